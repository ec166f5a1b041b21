"""A page for each check, from its docstring, and their index."""

from gradcheck import checklist
from gradcheck.checks import CHECKS
from gradcheck.checks.check import AbstractCheck
from gradcheck.explanation import paragraphs, sections
from gradcheck.finding import Signature
from tests.docs.markdown import escaped, linked, table

FAMILIES = {
    "GC1": ("Identity", "what was differentiated and how: stated, observed, consistent"),
    "GC2": ("Agreement", "is the gradient right"),
    "GC3": ("Horizon", "does it explode or vanish over many steps"),
    "GC4": ("Contact", "jumps, kinks, blindness and frozen geometry"),
    "GC5": ("Usefulness", "against a zeroth-order estimate"),
    "GC6": ("Cost", "time and memory"),
    "GC7": ("Disclosure", "can it be repeated"),
}
PAGES = {check.code: f"{check.code}.md" for check in CHECKS}
HEAD = """# Checks

A check holds recorded numbers against one limit and says PASS, WARN, FAIL, ERROR or N/A. Each has
a code; `gradcheck explain CODE` prints its page.

- A number that is not within the limit fails; so NaN fails.
- A measurement that failed is ERROR, and an ERROR is never a pass.
- What an engine cannot do, with its reason, is N/A.
- Where a wrong gradient would pass as well, the verdict is not PASS.
- A kink or a jump is named, with both slopes, and is not called a wrong gradient.

"""
SIGNATURES = """## Signatures

Known patterns of a wrong or missing gradient. A finding that shows one names it.

"""


def pages() -> dict[str, str]:
    """The pages by their paths in docs/."""
    return {
        "checks/index.md": index(),
        **{f"checks/{PAGES[check.code]}": page(check) for check in CHECKS},
    }


def index() -> str:
    """All checks by family, and the signatures."""
    parts = [HEAD]
    for prefix, (title, question) in FAMILIES.items():
        rows = [
            (f"[{check.code}]({PAGES[check.code]})", escaped(check.title), limit(check) or "none")
            for check in CHECKS
            if check.code.startswith(prefix)
        ]
        if rows:
            parts.append(f"## {title}: {question}\n\n{table(('code', 'claim', 'limit'), rows)}\n")
    signatures = "".join(f"- {escaped(one)}\n" for one in Signature)
    return "".join(parts) + SIGNATURES + signatures


def limit(check: type[AbstractCheck]) -> str:
    """The limit with its unit."""
    return "" if check.limit is None else f"{check.limit.value:g} {check.limit.unit}".strip()


def page(check: type[AbstractCheck]) -> str:
    """One check."""
    others = {code: name for code, name in PAGES.items() if code != check.code}
    text = sections(check)
    parts = [f"# {check.code} {check.name}\n\n{prose(text.pop(''), others)}\n{facts(check)}"]
    for heading, body in text.items():
        written = example(body) if heading == "Failing example" else prose(body, others)
        parts.append(f"## {heading}\n\n{written}")
    return "\n".join(parts)


def facts(check: type[AbstractCheck]) -> str:
    """What is said of a check in a line each."""
    found = {"passes as": check.title, "fails as": check.failure_title}
    found["errs as"] = check.error_title
    if check.limit is not None:
        found["limit"] = f"{limit(check)}: {check.limit.why}"
    found["needs"] = ", ".join(f"`{need}`" for need in check.needs) or "no measurement of its own"
    items = [item for item in checklist.ITEMS if check.code in item.codes]
    if items:
        found["answers"] = " ".join(f"{item.id}: {item.question}" for item in items)
    return "".join(f"- **{name}**: {escaped(text)}\n" for name, text in found.items())


def prose(text: str, others: dict[str, str]) -> str:
    """The paragraphs of a section."""
    return "\n".join(f"{linked(escaped(one), others)}\n" for one in paragraphs(text))


def example(text: str) -> str:
    """Code that shows a fault."""
    return f"<!-- skip: a fragment that shows a fault -->\n```python\n{text}\n```\n"
