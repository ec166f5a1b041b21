"""The G1 simulator's fields, accelerations and next states against C MuJoCo's, in float64.

    python -m tests.bench.g1_parity [--states 1000] [--models feet] [--cones ...]

Random states of standing, walking, falling, flying and past the joint limits; both contact sets,
cones and integrators, and a made-up robot with everything that is computed. Prints the median and
the worst error of each field, relative to the field's largest entry in its state. What follows the
solve counts where both solvers converged; how many did is printed. Exit code 1 where an error is
above 1e-9, or the constraint rows are not the same.
"""

import argparse
import itertools
import os

os.environ.setdefault("NPROC", "8")

import jax
import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

from gradcheck.engines import g1
from tests.engines.g1.parity import FIELDS, Parity, parity
from tests.engines.g1.states import states
from tests.engines.g1.synthetic import synthetic, with_options

BAR = 1e-9
CONES = ("pyramidal", "elliptic")
INTEGRATORS = ("Euler", "implicitfast")
MODELS = ("feet", "body", "everything")


def model_of(name: str, cone: str, integrator: str) -> mujoco.MjModel:
    """The G1 with a contact set, or the made-up robot."""
    if name == "everything":
        return synthetic(cone, integrator)
    return with_options(g1.load_mjmodel(name), cone, integrator)


def table(found: Parity) -> tuple[Table, bool]:
    """Median and worst error by field, and whether all are under the bar."""
    out = Table("field", "median", "worst", "at state")
    good = bool(found.same.all())
    for name in FIELDS:
        errors = found.of(name)
        worst = float(errors.max(initial=0.0))
        good &= worst <= BAR
        middle = float(np.median(errors)) if len(errors) else 0.0
        where = str(int(np.argmax(errors))) if worst else "-"
        out.add_row(name, f"{middle:.1e}", f"{worst:.1e}", where)
    return out, good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--cones", nargs="+", choices=CONES, default=CONES)
    parser.add_argument("--integrators", nargs="+", choices=INTEGRATORS, default=INTEGRATORS)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    console = Console()
    good = True
    for which in itertools.product(options.models, options.cones, options.integrators):
        some = model_of(*which)
        found = parity(some, states(some, options.states, options.seed))
        shown, fine = table(found)
        console.print(
            f"{', '.join(which)}: {options.states} states, {found.rows} constraint rows, "
            f"{int(found.same.sum())} states with the same rows, both solves converged in "
            f"{int(found.solved.sum())}"
        )
        console.print(shown)
        good &= fine
    console.print("all under" if good else "ABOVE", f"{BAR:g}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
