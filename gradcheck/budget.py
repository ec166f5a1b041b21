"""How much each measurement may do. Counts only, so that two runs measure the same."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Budgets of one profile.

    per_decade: step sizes per decade of the agreement curves, from 1e-9 to 0.3 typical changes.
    directions: random directions per input. coordinates: per input, for agreement and physics;
    horizon_coordinates: the same on the horizon ladder. probes: random states.
    halves: does the ladder also stop between powers of two? step_rows: calls of a single step.
    sweep_points: a prime and one, so that they do not fall in step with time steps. events:
    located on the sweep. sections: into how many parts an interval is cut each time.
    evaluations: least and most loss evaluations of a smoothed estimate, and work: time steps that
    they may take together. smooth_coordinates: per input. refinements: halvings of the time step.
    iterations: solver budgets. repeats: of a timing. builds: may a further program be built where
    that is slow?
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
    smooth_coordinates: int
    refinements: int
    iterations: tuple[int, ...]
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
    sweep_points=84,
    events=6,
    sections=16,
    evaluations=(128, 16384),
    work=65_536,
    smooth_coordinates=4,
    refinements=3,
    iterations=(1, 2, 4, 8, 32),
    repeats=9,
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
    sweep_points=32,
    events=2,
    sections=24,
    evaluations=(64, 256),
    work=4_096,
    smooth_coordinates=4,
    refinements=2,
    iterations=(),
    repeats=5,
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
    sweep_points=168,
    events=24,
    sections=16,
    evaluations=(1024, 65536),
    work=1_048_576,
    smooth_coordinates=24,
    refinements=3,
    iterations=(1, 2, 3, 4, 6, 8, 16, 32, 64, 128),
    repeats=15,
    builds=True,
)
