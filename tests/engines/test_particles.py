"""The particle simulator: published tables, closed forms, and the defects that it can be given."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gradcheck import registry
from gradcheck.engine import AbstractSimulation, Array, Settings
from gradcheck.engines.jax_program import JaxInputs
from gradcheck.engines.particles import ParticlesEngine, State
from gradcheck.scene import AnyArray, AnyInputs, Balls, Plane
from gradcheck.testbed import Input, Testbed, Truth
from gradcheck.testbeds import bounce, oblique_impact, soft_wall, two_balls, wall

ENGINES = {name: ParticlesEngine(name) for name in ("ideal", "toi", "penalty")}
FROZEN_NORMAL = ParticlesEngine("toi", frozen_normal=True)


def simulation(variant: str, testbed: Testbed, dt: float | None = None) -> AbstractSimulation:
    if dt is None:
        return ENGINES[variant].simulate(testbed, Settings())
    steps = round(testbed.steps * testbed.dt / dt)
    return ENGINES[variant].simulate(testbed, Settings(dt=dt, steps=steps))


def differences(
    found: AbstractSimulation, at: dict[str, Array], name: str, index: int, steps: list[float]
) -> list[float]:
    """Central differences along one coordinate at several step sizes, in one batch."""
    moved = {key: np.repeat(value[None], 2 * len(steps), axis=0) for key, value in at.items()}
    moved[name][:, index] += np.concatenate([steps, np.negative(steps)])
    plus, minus = np.split(found.values(moved), 2)
    return list((plus - minus) / (2 * np.array(steps)))


def test_bounce_with_and_without_time_of_impact() -> None:
    # The start of the source, where the ball touches after exactly 216 steps.
    at = {**bounce.TESTBED.nominal(), "x0": np.array([-1.0, 1.0])}
    value, gradient = simulation("toi", bounce.TESTBED).value_and_grad(at)
    assert value == pytest.approx(1.2, abs=1e-12)
    assert gradient["x0"] == pytest.approx([0, -1], abs=1e-12)
    assert gradient["v0"] == pytest.approx([0, -1], abs=1e-12)
    assert gradient["u0"] == pytest.approx([0, -0.0020833], abs=5e-8)
    value, gradient = simulation("ideal", bounce.TESTBED).value_and_grad(at)
    assert value == pytest.approx(1.2, abs=1e-12)
    assert gradient["x0"] == pytest.approx([0, 1], abs=1e-12)
    assert gradient["v0"] == pytest.approx([0, -0.1], abs=1e-12)
    assert gradient["u0"] == pytest.approx([0, -0.00020833], abs=5e-9)


def test_bounce_at_two_scales_of_differences() -> None:
    found, at = simulation("ideal", bounce.TESTBED), bounce.TESTBED.nominal()
    assert at["x0"][1] == 1.0007
    steps = [1e-6, 1e-4, 1e-3, 1e-2, 5e-2]
    along_height = differences(found, at, "x0", 1, steps)
    assert along_height == pytest.approx([1.0, 1.0, -3.17, -1.083, -1.0], abs=5e-3)
    assert along_height[3] == pytest.approx(-1.083, abs=5e-4)
    along_speed = differences(found, at, "v0", 1, steps)
    assert along_speed == pytest.approx([-0.1, -0.1, -0.1, -0.93, -1.02], abs=5e-3)


@pytest.mark.parametrize(
    ("variant", "dt", "slope", "slopes"),
    [
        ("ideal", 0.1, 1.0, [1.0, 1.0, 1.0, -1.0]),
        ("ideal", 0.01, 1.0, [1.0, 1.0, -1.0, -1.0]),
        ("ideal", 0.001, 1.0, [1.0, -1.0, -1.0, -1.0]),
        ("penalty", 0.1, -2.298, [-2.298, -2.298, -2.298, -0.804]),
        ("penalty", 0.01, -1.020, [-1.020, -1.020, -0.803, -0.803]),
        ("penalty", 0.001, -0.815, [-0.815, -0.801, -0.801, -0.801]),
    ],
)
def test_wall_tables(variant: str, dt: float, slope: float, slopes: list[float]) -> None:
    found, at = simulation(variant, wall.TESTBED, dt), wall.TESTBED.nominal()
    assert found.value_and_grad(at)[1]["q0"] == pytest.approx([slope], abs=5.1e-4)
    read = differences(found, at, "q0", 0, [1e-7, 1e-3, 1e-2, 0.1])
    assert read == pytest.approx(slopes, abs=5.1e-4)


def test_two_balls_exactly() -> None:
    value, gradient = simulation("toi", two_balls.TESTBED).value_and_grad(
        two_balls.TESTBED.nominal()
    )
    assert value == pytest.approx(1.2, abs=1e-12)
    found = [gradient[name].item() for name in ("x1", "x2", "v0", "u0")]
    assert found == pytest.approx([1, 0, 1, 0], abs=1e-12)


FROZEN_X = [0.859375, 0.347634, 0.140625, -0.347634, 0.859375, 0.347634]
FROZEN_Y = [0.347634, 0.140625, -0.347634, 0.859375, 0.347634, 0.140625]
EXACT_X = [0.859375, 1.417903, 0.140625, -1.417903, 0.859375, 0.806983]
EXACT_Y = [0.347634, -0.965790, -0.347634, 1.965790, 0.347634, -0.334237]


@pytest.mark.parametrize(
    ("frozen", "row_x", "row_y"), [(False, EXACT_X, EXACT_Y), (True, FROZEN_X, FROZEN_Y)]
)
def test_oblique_impact_rows(frozen: bool, row_x: list[float], row_y: list[float]) -> None:
    engine = FROZEN_NORMAL if frozen else ENGINES["toi"]
    testbed = oblique_impact.TESTBED
    program, dt = engine.program(testbed, Settings()), jnp.asarray(testbed.dt)

    def final(inputs: JaxInputs) -> jax.Array:
        def step(index: jax.Array, state: State) -> State:
            after: State = program.step(state, inputs, index, dt)
            return after

        state = jax.lax.fori_loop(0, testbed.steps, step, program.start(inputs, dt))
        return program.outputs(state, inputs)

    at = testbed.nominal()
    value, rows = jax.jit(lambda x: (final(x), jax.jacfwd(final)(x)))(at)
    assert np.asarray(value) == pytest.approx(truth(testbed).outputs(at), abs=1e-12)
    table = np.hstack([rows[name] for name in ("a", "b", "v")])
    assert table[2] == pytest.approx(row_x, abs=5e-7)
    assert table[3] == pytest.approx(row_y, abs=5e-7)
    assert engine.card.frozen == (("contact normal",) if frozen else ())


def test_frozen_normal_shows_across_the_approach_and_not_along_it() -> None:
    testbed = oblique_impact.TESTBED
    frozen = FROZEN_NORMAL.simulate(testbed, Settings())
    gradient = frozen.value_and_grad(testbed.nominal())[1]
    exact = np.tensordot(testbed.weights, truth(testbed).jacobian(testbed.nominal())["b"], axes=1)
    along, across = (testbed.directions[name]["b"] for name in ("normal", "tangent"))
    assert gradient["b"] @ along == pytest.approx(exact @ along, rel=1e-12)
    assert gradient["b"] @ across == pytest.approx(-1.207009, abs=5e-7)
    assert exact @ across == pytest.approx(-3.383693, abs=5e-7)


def test_frozen_time_of_impact_is_the_ideal_defect_at_the_right_value() -> None:
    testbed = bounce.TESTBED
    engine = ParticlesEngine("toi", frozen_time=True)
    value, gradient = engine.simulate(testbed, Settings()).value_and_grad(testbed.nominal())
    assert engine.card.frozen == ("time of impact",)
    assert value == pytest.approx(truth(testbed).outputs(testbed.nominal())[0], abs=1e-12)
    assert gradient["x0"] == pytest.approx([0, 1], abs=1e-12)


@pytest.mark.parametrize("name", ["wall", "bounce", "two_balls", "oblique_impact", "bounce_chain"])
def test_time_of_impact_gives_the_closed_form(name: str) -> None:
    testbed = registry.testbed(name)
    value, gradient = simulation("toi", testbed).value_and_grad(testbed.nominal())
    weights = np.array(testbed.weights)
    assert value == pytest.approx(weights @ truth(testbed).outputs(testbed.nominal()), abs=1e-10)
    for key, rows in truth(testbed).jacobian(testbed.nominal()).items():
        # The force of the first step acts dt / 2 too early, as in any semi-implicit scheme.
        allowed = 2e-3 if key == "u0" else 1e-10
        exact = np.tensordot(weights, rows, axes=1)
        assert gradient[key] == pytest.approx(exact, rel=allowed, abs=1e-10)


def test_penalty_tends_to_the_soft_wall_and_ideal_never_to_the_rigid_one() -> None:
    # Of order dt, with a factor that depends on where in its step the mass leaves the wall.
    for dt in (0.004, 0.001, 0.0002):
        found = simulation("penalty", soft_wall.TESTBED, dt)
        gradient = found.value_and_grad(soft_wall.TESTBED.nominal())[1]
        assert gradient["q0"].item() == pytest.approx(-soft_wall.RESTITUTION, abs=50 * dt)
    for dt in (0.01, 0.001):
        gradient = simulation("ideal", wall.TESTBED, dt).value_and_grad(wall.TESTBED.nominal())[1]
        assert gradient["q0"].item() == pytest.approx(1.0)


def test_a_bounce_under_gravity_converges_with_its_derivative() -> None:
    """h(T) of a ball dropped from y0 onto an elastic floor: t* = sqrt(2 y0 / g), then up again."""
    gravity, horizon, height = 9.81, 0.8, 1.0

    def start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
        return inputs["y0"][:, None], 0.0 * inputs["y0"][:, None]

    def final(x: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
        return xp.concatenate([x[:, 0], v[:, 0]])

    def after(y0: float) -> Array:
        time = np.sqrt(2 * y0 / gravity)
        rest = horizon - time
        speed = 0.8 * gravity * time
        return np.array([speed * rest - gravity * rest**2 / 2, speed - gravity * rest])

    scene = Balls(
        (1.0,), (0.0,), start, final, planes=(Plane((1.0,)),), gravity=(-gravity,), elasticity=0.8
    )
    exact = (after(height + 1e-6) - after(height - 1e-6)) / 2e-6
    testbed = replace(
        wall.TESTBED,
        inputs=(Input("y0", np.array([height])),),
        outputs=("y", "v"),
        scenes=(scene,),
        dt=0.01,
        steps=80,
    )
    for index in (0, 1):
        one = replace(testbed, weights=(1.0 - index, 0.0 + index))
        for dt in (0.01, 0.001):
            found = ENGINES["toi"].simulate(one, Settings(dt=dt, steps=round(horizon / dt)))
            assert found.value(one.nominal()) == pytest.approx(after(height)[index], abs=10 * dt)
            slope = found.jvp(one.nominal(), {"y0": np.ones(1)})
            # Reflecting the whole step's gravity at the floor would err by 1.4 and 4.0 at any dt.
            assert slope == pytest.approx(exact[index], abs=10 * dt)


def test_three_balls_in_a_row_pass_the_speed_on_in_one_step() -> None:
    """The middle ball touches the last one: two impacts in the same step."""

    def start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
        none = 0.0 * inputs["x"][0]
        position = xp.stack([inputs["x"][0], none + 0.5, none + 0.701])
        velocity = xp.stack([none + 1.0, none, none])
        return position[:, None], velocity[:, None]

    def final(x: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
        return x[:, 0]

    scene = Balls((1.0,) * 3, (0.1,) * 3, start, final, pairs=((0, 1), (1, 2)))
    testbed = replace(
        wall.TESTBED,
        inputs=(Input("x", np.array([0.003])),),
        outputs=("a", "b", "c"),
        weights=(1.0, 10.0, 100.0),
        scenes=(scene,),
        dt=0.05,
        steps=20,
    )
    found = ENGINES["toi"].simulate(testbed, Settings())
    # The three take over one another's places and speeds; the last flies from 0.003 + 0.4.
    expected = 0.3 + 10 * 0.501 + 100 * 1.403
    assert found.value(testbed.nominal()) == pytest.approx(expected, abs=1e-10)
    assert found.jvp(testbed.nominal(), {"x": np.ones(1)}) == pytest.approx(100, abs=1e-9)


@pytest.mark.parametrize("variant", ["ideal", "toi", "penalty"])
def test_batches_and_forward_mode_equal_single_gradients(variant: str) -> None:
    found, at = simulation(variant, wall.TESTBED), wall.TESTBED.nominal()
    batch = {"q0": np.array([[0.2537], [0.4011], [2.3]]), "v0": np.array([[-1.0], [-0.7], [-1.0]])}
    values, gradients = found.values_and_grads(batch)
    for index in range(3):
        one = {name: value[index] for name, value in batch.items()}
        value, gradient = found.value_and_grad(one)
        assert values[index] == pytest.approx(value, abs=1e-13)
        for name in batch:
            assert gradients[name][index] == pytest.approx(gradient[name], abs=1e-12)
    tangents = {"q0": np.array([0.3]), "v0": np.array([-0.4])}
    slope = sum(
        float(gradient @ tangents[k]) for k, gradient in found.value_and_grad(at)[1].items()
    )
    assert found.jvp(at, tangents) == pytest.approx(slope, rel=1e-10)


def test_single_precision_stays_in_single_precision() -> None:
    found = ENGINES["toi"].simulate(bounce.TESTBED, Settings(precision="float32"))
    value = found.value(bounce.TESTBED.nominal())
    assert value == np.float32(value)
    assert value == pytest.approx(1.1993, abs=1e-4)


def truth(testbed: Testbed) -> Truth:
    assert testbed.truth is not None
    return testbed.truth


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="elastic"):
        ParticlesEngine("elastic")
