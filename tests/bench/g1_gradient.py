"""The G1 simulator's gradients and transition matrices against central differences, in float64.

    python -m tests.bench.g1_gradient [--states 20] [--steps 10] [--models feet] [--cones ...]

Of each input block, for a loss of one step and of `--steps` steps: the median and the worst error
relative to the block's largest slope in the world, and how many coordinates were screened out
because a kink or a jump lies within the difference. The adjoint identity. A and B against
differences of the simulator's own step, and against MuJoCo's `mjd_transitionFD` (centred), which
is no better than its own rounding. Exit code 1 where an error is above its bar.
"""

import argparse
import itertools
import os
import time

os.environ.setdefault("NPROC", "8")

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

from tests.bench.g1_parity import CONES, MODELS, model_of
from tests.engines.g1.gradients import Block, Programs, adjoint, compare
from tests.engines.g1.reference import tight
from tests.engines.g1.states import states
from tests.engines.g1.transition import against_mujoco, against_steps

BAR, ADJOINT = 1e-6, 1e-10


def table(found: dict[tuple[str, str], Block]) -> tuple[Table, bool]:
    """Errors by loss and block, and whether all are under the bar."""
    out = Table("loss", "block", "median", "worst", "screened out", "of")
    good = True
    for (loss, block), one in found.items():
        worst = float(one.errors.max(initial=0.0))
        good &= worst <= BAR
        middle = float(np.median(one.errors)) if len(one.errors) else np.nan
        numbers = f"{middle:.1e}", f"{worst:.1e}", str(one.screened), str(one.total)
        out.add_row(loss, block, *numbers)
    return out, good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--cones", nargs="+", choices=CONES, default=CONES)
    parser.add_argument("--integrator", choices=("Euler", "implicitfast"), default="implicitfast")
    parser.add_argument("--no-transition", dest="transition", action="store_false")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    console = Console()
    good = True
    for name, cone in itertools.product(options.models, options.cones):
        begin = time.perf_counter()
        model = tight(model_of(name, cone, options.integrator))
        programs = Programs(model, options.steps, options.chunk)
        worlds = programs.worlds(states(model, options.states, options.seed))
        shown, fine = table(compare(programs, worlds))
        product = float(adjoint(programs, worlds).max())
        console.print(f"{name}, {cone}, {options.integrator}: {options.states} states")
        console.print(shown)
        console.print(f"<Jv, w> - <v, J^T w>, {options.steps} steps: at most {product:.1e}")
        good &= fine and product <= ADJOINT
        if options.transition:
            own, out = against_steps(programs, worlds)
            theirs = against_mujoco(programs, worlds)
            console.print(
                f"A and B against own steps: median {np.median(own):.1e}, worst {own.max():.1e} "
                f"({out} of {out + own.size} entries screened out); against mjd_transitionFD: "
                f"median {np.median(theirs):.1e}, worst {theirs.max():.1e} of the states"
            )
            good &= bool(own.max() <= BAR)
        console.print(f"{time.perf_counter() - begin:.0f} s")
    console.print("all under" if good else "ABOVE", f"{BAR:g} and {ADJOINT:g}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
