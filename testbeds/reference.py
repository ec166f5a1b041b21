"""A high-order reference for equations without a closed form.

The equation and its variational equations are integrated together by DOP853 (scipy; Hairer,
Nørsett, Wanner, Solving Ordinary Differential Equations I, II.10). Partial derivatives of the
acceleration are taken by complex step, exact to rounding.
"""

from dataclasses import dataclass

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.scene import AnyArray, Equations
from gradcheck.testbed import Truth

# Far below the square root of rounding, where the error of the complex step vanishes.
PROBE = 1e-30
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Rollout:
    """An equation over `horizon` seconds, differentiated by all inputs at once.

    Requires that the outputs of the scene are q [n] and v [n], that every input has one axis, and
    that the scene's functions accept a trailing batch axis (q [n, b], inputs [k, b]).
    """

    scene: Equations
    horizon: float
    tolerance: float = TOLERANCE

    def final(self, inputs: Inputs) -> tuple[Array, Gradient]:
        """State (q, v) [2 n] at the end and its Jacobian by input [2 n, k]."""
        from scipy.integrate import solve_ivp

        names = list(inputs)
        flat = np.concatenate([inputs[name] for name in names])
        cuts = np.cumsum([len(inputs[name]) for name in names])[:-1]

        def named(vector: AnyArray) -> dict[str, AnyArray]:
            return dict(zip(names, np.split(vector, cuts), strict=True))

        def start(vector: AnyArray) -> AnyArray:
            return np.concatenate(self.scene.start(named(vector), np))

        first = start(flat)
        half, size = len(first) // 2, len(first)

        def rate(state_and_inputs: AnyArray, t: float) -> AnyArray:
            q, v = state_and_inputs[:half], state_and_inputs[half:size]
            given = named(state_and_inputs[size:])
            return np.concatenate([v, self.scene.acceleration(q, v, given, np.asarray(t), np)])

        def variational(t: float, packed: Array) -> Array:
            point = np.concatenate([packed[:size], flat])
            columns = packed[size:].reshape(size, len(flat))
            partial = jacobian(lambda p: rate(p, t), point)
            change = partial[:, :size] @ columns + partial[:, size:]
            return np.concatenate([rate(point, t), change.ravel()])

        packed = np.concatenate([first, jacobian(start, flat).ravel()])
        solved = solve_ivp(
            variational,
            (0.0, self.horizon),
            packed,
            "DOP853",
            rtol=self.tolerance,
            atol=self.tolerance,
        )
        if not solved.success:
            raise RuntimeError(f"the reference could not be integrated: {solved.message}")
        last = solved.y[:, -1]
        rows = np.split(last[size:].reshape(size, len(flat)), cuts, axis=1)
        return last[:size], dict(zip(names, rows, strict=True))


def jacobian(function: AnyArray, point: Array) -> Array:
    """Jacobian [m, k] at point [k] by complex step, of an analytic function [k, b] -> [m, b]."""
    probes = point[:, None] + 1j * PROBE * np.eye(len(point))
    columns: Array = function(probes).imag / PROBE
    return columns


def reference(scene: Equations, horizon: float, accuracy: float) -> Truth:
    """The truth of an equation by numerical reference, of the stated relative accuracy."""
    rollout = Rollout(scene, horizon)
    return Truth(
        source=f"DOP853 with variational equations, tolerance {TOLERANCE:g}",
        outputs=lambda inputs: rollout.final(inputs)[0],
        jacobian=lambda inputs: rollout.final(inputs)[1],
        accuracy=accuracy,
    )
