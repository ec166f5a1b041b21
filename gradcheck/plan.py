"""Which engines are audited on which testbeds."""

from collections.abc import Sequence

from gradcheck import registry

# What `gradcheck audit` measures when it is not told otherwise: on each question, the engines
# that answer it differently. The slowest come first, so that no slot is left with one at the end.
DEFAULT_PLAN: dict[str, tuple[str, ...]] = {
    "mjx": ("drop",),
    "particles:toi": ("oblique_impact", "bounce"),
    "particles:ideal": ("bounce", "wall"),
    "particles:penalty": ("bounce",),
    "equations": ("pendulum", "over_the_wall"),
    "mujoco": ("drop", "pendulum"),
    "closed_form": ("free_fall", "bounce", "wall", "oblique_impact", "over_the_wall"),
}


def plan(engines: Sequence[str], testbeds: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs (engine, testbed), each once. Raises `BadInput` for names that nobody knows.

    Engines without testbeds are put on every testbed, testbeds without engines get every engine
    of the default plan. A family of engines stands for its variants.
    """
    if not engines and not testbeds:
        return [(engine, one) for engine, names in DEFAULT_PLAN.items() for one in names]
    for name in testbeds:
        registry.testbed(name)
    chosen = [one for name in engines or DEFAULT_PLAN for one in registry.expand(name)]
    pairs = [
        (engine, testbed) for engine in chosen for testbed in testbeds or registry.testbed_names()
    ]
    return list(dict.fromkeys(pairs))
