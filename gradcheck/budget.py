"""How much each measurement may do. Counts only, so that two runs measure the same."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Budgets of one profile.

    per_decade: step sizes per decade of the agreement curves, from 1e-9 to 0.3 typical changes.
    directions: random directions per input. coordinates: per input, for agreement and physics;
    horizon_coordinates: the same on the horizon ladder. probes: random states.
    halves: does the ladder also stop between powers of two? step_rows: calls of a single step.
    sweep_points, events, sections: points of a sweep; events located on it, and into how many
    parts an interval is cut each time. evaluations: bounds of the loss evaluations of a smoothed
    estimate. work: time steps that one such estimate may take. refinements: halvings of the time
    step. repeats: of a timing. builds: may a further program be built where that is slow?
    """

    per_decade: int
    directions: int
    coordinates: int
    horizon_coordinates: int
    probes: int
    halves: bool
    step_rows: int
    sweep_points: int
    events: int
    sections: int
    evaluations: tuple[int, int]
    work: int
    refinements: int
    repeats: int
    builds: bool


QUICK = Budget(
    per_decade=2,
    directions=2,
    coordinates=24,
    horizon_coordinates=8,
    probes=1024,
    halves=True,
    step_rows=100_000,
    sweep_points=81,
    events=6,
    sections=16,
    evaluations=(256, 16384),
    work=131_072,
    refinements=3,
    repeats=5,
    builds=True,
)
# One rollout costs milliseconds and each further program many seconds.
QUICK_SLOW = Budget(
    per_decade=2,
    directions=1,
    coordinates=8,
    horizon_coordinates=4,
    probes=256,
    halves=False,
    step_rows=10_000,
    sweep_points=33,
    events=2,
    sections=24,
    evaluations=(64, 256),
    work=8_192,
    refinements=2,
    repeats=3,
    builds=False,
)
FULL = Budget(
    per_decade=3,
    directions=4,
    coordinates=96,
    horizon_coordinates=24,
    probes=4096,
    halves=True,
    step_rows=1_000_000,
    sweep_points=161,
    events=24,
    sections=16,
    evaluations=(1024, 65536),
    work=1_048_576,
    refinements=3,
    repeats=9,
    builds=True,
)
