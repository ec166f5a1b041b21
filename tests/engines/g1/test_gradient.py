"""Gradients, A and B of the made-up robot against central differences, block by block.

`python -m tests.bench.g1_gradient` does it for the G1, at more states, for both cones.
"""

import numpy as np
import pytest

from tests.engines.g1.gradients import LOSSES, NAMES, Block, Programs, Worlds, adjoint, compare
from tests.engines.g1.reference import tight
from tests.engines.g1.states import states
from tests.engines.g1.synthetic import synthetic
from tests.engines.g1.transition import against_mujoco, against_steps

BAR, ADJOINT = 1e-6, 1e-10
COUNT, STEPS = 5, 10
BLOCKS = ("base translation", "base rotation", "joints", "qvel", "ctrl", *NAMES)


@pytest.fixture(scope="module")
def programs() -> Programs:
    return Programs(tight(synthetic("elliptic", "implicitfast")), STEPS, chunk=512)


@pytest.fixture(scope="module")
def worlds(programs: Programs) -> Worlds:
    return programs.worlds(states(programs.model.structure.mj_model, COUNT, seed=1))


@pytest.fixture(scope="module")
def found(programs: Programs, worlds: Worlds) -> dict[tuple[str, str], Block]:
    return compare(programs, worlds)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", BLOCKS)
def test_block(found: dict[tuple[str, str], Block], loss: str, block: str) -> None:
    one = found[loss, block]
    assert one.screened <= 0.1 * one.total
    assert one.errors.max() <= BAR


def test_adjoint_identity(programs: Programs, worlds: Worlds) -> None:
    """Forward mode and reverse mode are transposes, parameters included."""
    assert adjoint(programs, worlds).max() <= ADJOINT


def test_transition_matrices(programs: Programs, worlds: Worlds) -> None:
    errors, screened = against_steps(programs, worlds)
    assert screened <= 0.1 * len(errors)
    assert errors.max() <= BAR
    # MuJoCo's own are differences of one step size, with its roundings.
    assert np.median(against_mujoco(programs, worlds)) <= 1e-5
