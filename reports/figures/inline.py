"""A figure as matplotlib writes it, made fit to stand in a page among others.

What goes: declarations, metadata, a style sheet that would hold for the whole page, name spaces,
clipping, fonts (the page's apply), and groups and identifiers that nothing refers to. What comes:
colours that follow the page, and identifiers that start with the figure's own name.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from html import escape

from gradcheck.reports.figures.palette import CSS

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
DROPPED = {"metadata", "style", "clipPath"}
KEPT = {"d", "x", "y", "transform"}
# Of no effect, or said by the page.
PLAIN = {"stroke-linejoin", "stroke-linecap", "stroke-dashoffset", "font-size", "font-family"}
COLOUR = re.compile("#[0-9a-f]{6}")
LONG = re.compile(r"-?\d+\.\d{2,}")


def inline(document: str, name: str, label: str, titles: Mapping[str, str]) -> str:
    """The document as one `<svg>` element for HTML, described by `label`.

    `name` starts every identifier; `titles` are the texts of groups by their identifier.
    """
    root = ET.fromstring(document)
    body = _Inlined(name, titles).inside(root)
    return (
        f'<svg viewBox="{root.attrib["viewBox"]}" role="img" fill="currentColor" '
        f'aria-label="{escape(label)}">{body}</svg>'
    )


class _Inlined:
    """The elements of one figure as text."""

    def __init__(self, name: str, titles: Mapping[str, str]) -> None:
        self.name = name
        self.titles = titles
        self.identifiers: dict[str, str] = {}

    def inside(self, node: ET.Element) -> str:
        return "".join(self._element(one) for one in node)

    def _element(self, node: ET.Element) -> str:
        tag = node.tag.removeprefix(SVG)
        if tag in DROPPED:
            return ""
        if tag == "text":
            return f"<text{self._attributes(node)}>{escape(node.text or '')}</text>"
        if tag not in ("g", "defs"):
            return f"<{tag}{self._attributes(node)}/>"
        inner = self.inside(node)
        if tag == "defs":
            return inner and f"<defs>{inner}</defs>"
        if title := self.titles.get(node.attrib.get("id", "")):
            return f"<g><title>{escape(title)}</title>{inner}</g>"
        if len(node) > 1 and all(one.tag == f"{SVG}use" for one in node):
            # Markers of one series look the same: it is said once.
            style = self._style(node[0])
            return f"<g{style}>{inner.replace(style, '')}</g>" if style else inner
        return inner

    def _attributes(self, node: ET.Element) -> str:
        found = {key: text for key, text in node.attrib.items() if key in KEPT}
        if found.get("transform", "").startswith("rotate(-0 "):
            del found["transform"]
        out = "".join(
            f' {key}="{LONG.sub(_rounded, " ".join(text.split()))}"' for key, text in found.items()
        )
        if f"{XLINK}href" in node.attrib:
            out += f' href="#{self._identifier(node.attrib[f"{XLINK}href"][1:])}"'
        if node.tag == f"{SVG}path" and "id" in node.attrib:
            out += f' id="{self._identifier(node.attrib["id"])}"'
        return out + self._style(node)

    def _identifier(self, theirs: str) -> str:
        return self.identifiers.setdefault(theirs, f"{self.name}-{len(self.identifiers)}")

    def _style(self, node: ET.Element) -> str:
        parts = [one.strip() for one in node.attrib.get("style", "").split(";")]
        kept = ";".join(one for one in parts if one.split(":")[0] not in PLAIN).strip(";")
        coloured = COLOUR.sub(lambda match: CSS.get(match[0], match[0]), kept)
        return coloured and f' style="{coloured}"'


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")
