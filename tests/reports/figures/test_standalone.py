"""A figure by itself: XML in SVG's name space, black on white, nothing left to a page."""

import xml.etree.ElementTree as ET

from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.plot import Plot, Series
from gradcheck.reports.figures.standalone import standalone


def test_it_is_a_document_of_its_own() -> None:
    plot = Plot("a", "b", "x", "y", (Series("one < two", [1, 2], [3, 4]), Series("ref", [1], [2])))
    inline = draw({"k": plot})["k"]
    assert "var(" in inline
    assert "currentColor" in inline
    text = standalone(inline, "Libertinus Serif")
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["font-family"] == "Libertinus Serif"
    assert "var(" not in text
    assert "currentColor" not in text
    assert "#000000" in text
    assert "#0062b0" in text
