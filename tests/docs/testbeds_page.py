"""Writes docs/testbeds.md from the testbeds themselves.

python -m tests.docs.testbeds_page
"""

from pathlib import Path

from gradcheck import registry
from gradcheck.testbed import Family, Testbed

PAGE = Path(__file__).parents[2] / "docs/testbeds.md"
HEAD = """# Testbeds

One physical question each, in `testbeds/`, with its scene, its loss and, where there is one, the
truth of the physics. An engine answers those whose scene it understands. This page is written by
`python -m tests.docs.testbeds_page`.

A testbed without a truth of its own is held against the engine refined in time.
"""
TITLES = {
    Family.SMOOTH: "Smooth: a right gradient must not be flagged here",
    Family.CONTACT: "Contact: the gradient of the program and that of the physics may part",
    Family.HORIZON: "Horizon: growth and decay over many steps",
}


def row(testbed: Testbed) -> str:
    """One line of the table."""
    inputs = ", ".join(f"`{one.name}`" for one in testbed.inputs)
    scenes = ", ".join(type(scene).__name__ for scene in testbed.scenes)
    steps = f"{testbed.steps} × {testbed.dt:g} s" if testbed.dt else "no time steps"
    truth = testbed.truth.source if testbed.truth else "refined time step"
    cells = (f"`{testbed.name}`", testbed.question, inputs, scenes, steps, truth)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def page() -> str:
    """The whole page."""
    every = [registry.testbed(name) for name in registry.testbed_names()]
    parts = [HEAD]
    for family, title in TITLES.items():
        rows = [row(one) for one in every if one.family is family]
        head = "| name | question | inputs | scene as | steps | truth |\n|---|---|---|---|---|---|"
        parts.append("\n".join([f"\n## {title}\n", head, *rows]) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
