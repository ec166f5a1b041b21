"""Every field, qacc and the next state against C MuJoCo, at random states.

`python -m tests.bench.g1_parity` does it at a thousand, for every contact set, cone, integrator.
"""

import jax.numpy as jnp
import mujoco
import numpy as np
import pytest

from gradcheck.engines import g1
from tests.engines.g1.hopper import HOPPER
from tests.engines.g1.parity import FIELDS, Parity, parity
from tests.engines.g1.reference import tight
from tests.engines.g1.states import KINDS, states
from tests.engines.g1.synthetic import synthetic, with_options

BAR = 1e-9
COUNT = 64
MODELS = (
    ("everything", "elliptic", "Euler"),
    ("body", "pyramidal", "implicitfast"),
)


def model_of(name: str, cone: str, integrator: str) -> mujoco.MjModel:
    if name == "everything":
        return synthetic(cone, integrator)
    return with_options(g1.load_mjmodel(name), cone, integrator)


@pytest.fixture(scope="module", params=MODELS, ids="-".join)
def found(request: pytest.FixtureRequest) -> Parity:
    model = model_of(*request.param)
    return parity(model, states(model, COUNT))


def test_the_same_constraint_rows(found: Parity) -> None:
    assert found.same.all()
    # States in contact, most of them, and some in the air.
    assert found.rows > COUNT


def test_both_solves_converge(found: Parity) -> None:
    assert found.solved.all()


@pytest.mark.parametrize("name", FIELDS)
def test_field(found: Parity, name: str) -> None:
    errors = found.of(name)
    worst = int(np.argmax(errors))
    assert errors[worst] <= BAR, f"{name}, state {worst} ({KINDS[worst % len(KINDS)]})"


def test_the_made_up_robot_touches_with_every_geom() -> None:
    """Else its parity would say little: each geom and each limit occurs at the command's states."""
    model = synthetic("pyramidal", "Euler")
    data = mujoco.MjData(model)
    some = states(model, 1000)
    touched, limits = set(), set()
    for qpos, qvel in zip(some.qpos, some.qvel, strict=True):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        touched |= {int(contact.geom.max()) for contact in data.contact}
        kinds = data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT
        limits |= set(data.efc_id[kinds].tolist())
    assert touched == set(range(2, model.ngeom))
    assert limits == set(np.flatnonzero(model.jnt_limited).tolist())


@pytest.mark.parametrize("plane", ["0 0 0", "0.4 0 0", "0.3 1.1 0"])
@pytest.mark.parametrize("lean", [0.0, 1e-6, 0.2, 0.6, 1.5])
def test_frame_of_an_upright_capsule(plane: str, lean: float) -> None:
    """C MuJoCo's first tangent is the capsule's axis, however short its projection; not MJX's."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle="radian"/><worldbody>
        <geom type="plane" size="1 1 1" euler="{plane}"/>
        <body euler="{plane}"><freejoint/>
          <geom type="capsule" size=".1 .1" euler="0 {lean} 0.3" condim="3"/>
        </body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # One rotation after another leaves 1e-16 of an exactly upright axis, which then decides.
    if lean == 0.0 and plane != "0 0 0":
        pytest.skip("upright on a tilted plane is decided by roundings")
    ours = g1.load(model, dtype="float64")
    frame = np.asarray(g1.fields(ours, g1.state(ours, batch=1), jnp.zeros((1, 0))).frame)[0]
    near = np.argmin(np.abs(data.contact[0].dist - np.array([c.dist for c in data.contact])))
    np.testing.assert_allclose(frame[near], data.contact[near].frame.reshape(3, 3), atol=1e-9)


PLAIN = HOPPER.replace(' damping="0.2"', "")
VARIED = {
    "damping": ("dof_damping", [0.0] * 6 + [20.0]),
    "friction loss": ("dof_frictionloss", [0.0] * 6 + [0.7]),
}


@pytest.mark.parametrize("what", VARIED)
def test_parameters_that_the_loaded_model_has_none_of(what: str) -> None:
    """With them, the step is that of a MuJoCo model that has them."""
    name, value = VARIED[what]
    theirs = mujoco.MjModel.from_xml_string(PLAIN)
    ours = g1.load(theirs, dtype="float64")
    assert ours.with_parameters(**{name: value}).structure is (
        ours.with_parameters(**{name: value}).structure
    )
    theirs = tight(theirs)
    getattr(theirs, name)[:] = value
    some = states(theirs, 16, seed=2)
    data = mujoco.MjData(theirs)
    after = g1.step(
        ours.with_parameters(**{name: value}),
        g1.state(ours, some.qpos, some.qvel),
        jnp.asarray(some.ctrl),
    )
    plain = g1.step(ours, g1.state(ours, some.qpos, some.qvel), jnp.asarray(some.ctrl))
    assert float(jnp.abs(after.qvel - plain.qvel).max()) > 1e-3
    assert (np.asarray(after.status) == 0).all()
    for world in range(16):
        data.qpos[:], data.qvel[:] = some.qpos[world], some.qvel[world]
        data.ctrl[:], data.qacc_warmstart[:] = some.ctrl[world], 0
        mujoco.mj_step(theirs, data)
        size = 1 + np.abs(data.qvel).max()
        np.testing.assert_allclose(after.qvel[world], data.qvel, rtol=0, atol=1e-8 * size)


def test_a_model_that_its_owner_changes_later_is_as_it_was_loaded() -> None:
    theirs = mujoco.MjModel.from_xml_string(PLAIN)
    ours = g1.load(theirs, dtype="float64")
    theirs.dof_damping[:] = 20.0
    theirs.qpos0[2] = 7.0
    assert not ours.structure.damps
    assert g1.state(ours).qpos[2] == 0.5
