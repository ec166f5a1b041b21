"""A page of all testbeds, from the testbeds themselves."""

from gradcheck import registry
from gradcheck.testbed import Family, Testbed
from tests.docs.markdown import table

HEAD = """# Testbeds

One physical question each, in `testbeds/`, with its scene, its loss and, where there is one, the
truth of the physics. An engine answers those whose scene it understands.

A testbed without a truth of its own is held against the engine refined in time.
"""
TITLES = {
    Family.SMOOTH: "Smooth: a right gradient must not be flagged here",
    Family.CONTACT: "Contact: the gradient of the program and that of the physics may part",
    Family.HORIZON: "Horizon: growth and decay over many steps",
}
COLUMNS = ("name", "question", "inputs", "scene as", "steps", "truth")


def row(testbed: Testbed) -> tuple[str, ...]:
    """One line of the table."""
    inputs = ", ".join(f"`{one.name}`" for one in testbed.inputs)
    scenes = ", ".join(type(scene).__name__ for scene in testbed.scenes)
    steps = f"{testbed.steps} × {testbed.dt:g} s" if testbed.dt else "no time steps"
    truth = testbed.truth.source if testbed.truth else "refined time step"
    return (f"`{testbed.name}`", testbed.question, inputs, scenes, steps, truth)


def pages() -> dict[str, str]:
    """The page by its path in docs/."""
    every = [registry.testbed(name) for name in registry.testbed_names()]
    parts = [HEAD]
    for family, title in TITLES.items():
        rows = [row(one) for one in every if one.family is family]
        parts.append(f"\n## {title}\n\n{table(COLUMNS, rows)}")
    return {"testbeds.md": "".join(parts)}
