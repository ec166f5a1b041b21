"""The stiffness schedule, by itself and by what MuJoCo makes of its solref."""

import itertools
from typing import Any

import jax
import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck.engine import Array, BadInput
from gradcheck.remedies import StiffnessSchedule

jax.config.update("jax_enable_x64", True)
DT = 0.002
SCHEDULES = st.builds(StiffnessSchedule, softness=st.floats(1, 1e4), iterations=st.integers(1, 60))
OWN = st.tuples(st.floats(2 * DT, 1), st.floats(0.1, 10))
DIRECT = st.tuples(st.floats(-1e5, 0), st.floats(-1e3, 0))


@given(SCHEDULES, OWN)
def test_starts_soft_ends_just_at_the_own_and_never_stiffens_back(
    schedule: StiffnessSchedule, own: tuple[float, float]
) -> None:
    points = [schedule.solref(own, i, DT) for i in range(schedule.iterations + 3)]
    constants = [point[0] for point in points]
    assert constants[0] == own[0] * schedule.softness
    assert all(later <= earlier for earlier, later in itertools.pairwise(constants))
    assert all(constant >= 2 * DT for constant in constants)
    assert all(tuple(point) == own for point in points[schedule.iterations :])
    assert all(point[1] == own[1] for point in points)


@given(SCHEDULES, DIRECT)
def test_the_direct_format_ends_just_at_the_own(
    schedule: StiffnessSchedule, own: tuple[float, float]
) -> None:
    points = np.array([schedule.solref(own, i, DT) for i in range(schedule.iterations + 3)])
    assert np.all(np.diff(points, axis=0) <= 0)
    assert np.all(points[schedule.iterations :] == own)


def test_steps_are_geometric() -> None:
    schedule = StiffnessSchedule(softness=100, iterations=4)
    assert schedule.ratio(np.arange(5)) == pytest.approx([100, 1000**0.5, 10, 10**0.5, 1])


def test_all_pairs_of_a_model_at_once_and_traced() -> None:
    schedule = StiffnessSchedule(softness=10, iterations=2)
    own = np.array([[0.02, 1.0], [-400.0, -20.0], [0.0, 0.0]])
    expected = np.array([[0.2, 1.0], [-4.0, -2.0], [0.0, 0.0]])
    assert schedule.solref(own, 0, DT) == pytest.approx(expected)
    traced = jax.jit(lambda i: schedule.solref(own, i, DT))
    assert np.asarray(traced(0)) == pytest.approx(expected)
    assert np.array_equal(traced(2), own)


def reference(solref: Any) -> Array:
    """Stiffness and damping that MuJoCo computes with, at a ball in the ground."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{DT}"/><worldbody>
        <geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.09"><freejoint/><geom size="0.1" priority="1"/></body>
        </worldbody></mujoco>"""
    )
    model.geom_solref[1] = solref
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 1
    return np.array(data.efc_KBIP[0, :2])


@pytest.mark.parametrize("own", [(0.02, 1.0), (2 * DT, 0.7), (-3000.0, -80.0)])
def test_mujoco_softens_by_the_square_of_the_ratio(own: tuple[float, float]) -> None:
    schedule = StiffnessSchedule(softness=5, iterations=10)
    stiffness, damping = reference(own)
    assert stiffness > 0
    for iteration in range(11):
        ratio = float(schedule.ratio(iteration))
        soft = reference(schedule.solref(own, iteration, DT))
        assert soft == pytest.approx([stiffness / ratio**2, damping / ratio])


def test_mujoco_would_have_ended_elsewhere_below_two_time_steps() -> None:
    own = (DT, 1.0)
    assert reference(own) == pytest.approx(reference((2 * DT, 1.0)))
    with pytest.raises(BadInput, match=r"time constant of 0\.002 s.*set it to 0\.004"):
        StiffnessSchedule(iterations=10).solref(own, 0, DT)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ((0.02, -1.0), "mixes signs"),
        ((0.02, 0.0), "mixes signs"),
        ((np.nan, 1.0), "finite"),
        ((0.02,), r"shape \(1,\)"),
    ],
)
def test_solref_that_mujoco_would_not_take_is_refused(own: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        StiffnessSchedule(iterations=10).solref(own, 0, DT)


@pytest.mark.parametrize("given_", [{"softness": 0.5}, {"softness": np.nan}, {"iterations": 0}])
def test_a_schedule_that_does_not_soften_is_refused(given_: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        StiffnessSchedule(**{"iterations": 10, **given_})


def test_description() -> None:
    assert StiffnessSchedule(softness=10, iterations=50).describe() == (
        "stiffness schedule: contact time constants from 10 x the model's own to just it, "
        "geometric over 50 iterations"
    )
