"""The reference values of the contact testbeds that need no simulation, to all digits given."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad

from gradcheck.engine import Array, Gradient
from gradcheck.scene import Formula
from gradcheck.testbed import Testbed
from gradcheck.testbeds import (
    bounce,
    gap_push,
    oblique_impact,
    over_the_wall,
    soft_wall,
    step_push,
    two_balls,
    wall,
)


def at(testbed: Testbed, **changes: list[float]) -> tuple[Array, Gradient]:
    """Outputs and Jacobian of the truth, with some inputs changed."""
    assert testbed.truth is not None
    inputs = {**testbed.nominal(), **{key: np.array(value) for key, value in changes.items()}}
    return testbed.truth.outputs(inputs), testbed.truth.jacobian(inputs)


def test_bounce() -> None:
    value, rows = at(bounce.TESTBED, x0=[-1.0, 1.0])
    assert value[0] == pytest.approx(1.2, abs=1e-15)
    assert rows["x0"].tolist() == [[0, -1]]
    assert rows["v0"].tolist() == [[0, -1]]
    # A force held over the first step: -T dt to first order in dt.
    assert rows["u0"][0, 0] == 0
    assert rows["u0"][0, 1] == pytest.approx(-1 / 480, abs=bounce.DT**2)


def test_wall() -> None:
    value, rows = at(wall.TESTBED)
    assert value[0] == pytest.approx(2 - 0.2537, abs=1e-15)
    assert rows["q0"].tolist() == [[-1]]


def test_soft_wall() -> None:
    assert pytest.approx(0.445403, abs=5e-7) == soft_wall.CONTACT_TIME
    assert pytest.approx(0.800354, abs=5e-7) == soft_wall.RESTITUTION
    value, rows = at(soft_wall.TESTBED)
    assert rows["q0"][0, 0] == pytest.approx(-0.800354, abs=5e-7)
    assert value[0] == pytest.approx(0.800354 * (2 - 0.2537 - 0.445403), abs=2e-6)


def test_two_balls() -> None:
    value, rows = at(two_balls.TESTBED)
    assert value[0] == pytest.approx(1.2, abs=1e-15)
    assert [rows[name].item() for name in ("x1", "x2", "v0", "u0")] == [1, 0, 1, 0]


def test_oblique_impact() -> None:
    met = oblique_impact.impact(oblique_impact.TESTBED.nominal())
    assert met is not None
    time, normal = met
    assert time == pytest.approx(0.429190, abs=5e-7)
    assert normal == pytest.approx([0.927025, 0.375], abs=5e-7)
    value, rows = at(oblique_impact.TESTBED)
    assert value == pytest.approx([0.509460, -0.198433, 1.290540, 0.348433], abs=5e-7)
    table = np.hstack([rows["a"], rows["b"], rows["v"]])
    exact_x = [0.859375, 1.417903, 0.140625, -1.417903, 0.859375, 0.806983]
    exact_y = [0.347634, -0.965790, -0.347634, 1.965790, 0.347634, -0.334237]
    assert table[2] == pytest.approx(exact_x, abs=5e-7)
    assert table[3] == pytest.approx(exact_y, abs=5e-7)


@pytest.mark.parametrize(("sigma", "slope"), [(0.1, 0.022750), (0.2, 0.158655)])
def test_gap_push(sigma: float, slope: float) -> None:
    assert gap_push.smoothed_slope(np.array([0.0]), sigma) == pytest.approx([slope], abs=5e-7)
    value, rows = at(gap_push.TESTBED)
    assert value[0] == 0
    assert rows["u"].item() == 0


@pytest.mark.parametrize(("x", "slope"), [(0.0, 3.989423), (0.1, 2.419707)])
def test_step_push(x: float, slope: float) -> None:
    assert step_push.smoothed_slope(np.array([x]), 0.1) == pytest.approx([slope], abs=5e-7)
    assert at(step_push.TESTBED, x=[x])[1]["x"].item() == 0


@pytest.mark.parametrize(
    ("theta", "zeroth", "first"),
    [
        (0.3, -0.0089534, -0.0089422),
        (0.5, -0.0046795, -0.0007045),
        (0.7854, -0.0147919, 0.0020085),
    ],
)
def test_over_the_wall(theta: float, zeroth: float, first: float) -> None:
    """To two units of the last digit given, which is what the given digits hold: the zeroth-order
    means come out as -0.00895344, -0.00467966 and -0.01479172 by two independent quadratures."""
    found = (over_the_wall.zeroth_order(theta), over_the_wall.first_order(theta))
    assert found == pytest.approx((zeroth, first), abs=2e-7)


@pytest.mark.parametrize("theta", [0.3, 0.5, 0.7854])
def test_over_the_wall_by_adaptive_quadrature(theta: float) -> None:
    """The same means with scipy's adaptive rule on the pieces between jumps."""
    sigma = over_the_wall.SIGMA
    formula = over_the_wall.TESTBED.scene(Formula).outputs
    cuts = [theta - 0.9, *sorted(over_the_wall.edges()), theta + 0.9]

    def density(noise: float) -> float:
        return float(np.exp(-((noise / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi)))

    def zeroth(at: float) -> float:
        noise = at - theta
        return float(formula({"theta": np.array(at)}, np)) * noise / sigma**2 * density(noise)

    def first(at: float) -> float:
        return float(over_the_wall.slope(np.array(at))) * density(at - theta)

    for integrand, claimed in (
        (zeroth, over_the_wall.zeroth_order(theta)),
        (first, over_the_wall.first_order(theta)),
    ):
        pieces = itertools.pairwise(sorted(cuts))
        total = sum(quad(integrand, *piece, epsabs=1e-14, epsrel=1e-11)[0] for piece in pieces)
        assert total == pytest.approx(claimed, abs=1e-12)


def test_over_the_wall_at_its_nominal_angle_has_the_wrong_sign() -> None:
    theta = over_the_wall.TESTBED.nominal()["theta"].item()
    assert over_the_wall.zeroth_order(theta) < -0.005
    assert over_the_wall.first_order(theta) > 0.002
