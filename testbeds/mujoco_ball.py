"""A ball that meets a plane once, under MuJoCo's contact model in continuous time.

The flights before and after contact are exact, so the time of impact moves with the inputs; only
the contact itself is integrated, from the touch on. MuJoCo documentation, "Computation":
"Constraint model" (reference acceleration, impedance, regularisation) and "Contact" (pyramidal
cone); the scaling of the pyramid's regularisation is that of `mj_makeImpedance`
(engine_core_constraint.c).
"""

from dataclasses import dataclass

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.quaternion import multiply, rotate
from gradcheck.testbed import Truth

# Central differences of `final`; five times as many steps change no derivative of `drop` by 0.1 %.
STEP = 1e-4
ACCURACY = 1e-3
# MuJoCo's default solimp: impedance from 0.9 at the surface to 0.95 at 1 mm, by two parabolas.
IMPEDANCE = (0.9, 0.95)
WIDTH = 0.001
CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
# The pyramid's edges, up to the friction coefficient: normal plus or minus a tangent.
TANGENTS = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])
NORMAL = np.array([0.0, 0.0, 1.0])
# e @ ACROSS = (-NORMAL) x e
ACROSS = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


@dataclass(frozen=True)
class Ball:
    """A solid ball of mass 1 kg; `solref` is MuJoCo's (time constant s, damping ratio).

    `contact` is a time within which the ball has left the plane again, in seconds, integrated in
    `steps` steps of the classical Runge-Kutta scheme. States are batches [b, 13] of place,
    quaternion, velocity and rotation rate, the last in the world frame.
    """

    radius: float
    gravity: float
    solref: tuple[float, float]
    horizon: float
    contact: float
    steps: int = 800

    @property
    def inertia(self) -> float:
        """Moment of inertia about the centre."""
        return 0.4 * self.radius**2

    def final(self, qpos: Array, qvel: Array, friction: Array) -> Array:
        """qpos and qvel [b, 13] at the horizon, of qpos [b, 7], qvel [b, 6], friction [b, 1]."""
        turn = qpos[:, 3:] / np.linalg.norm(qpos[:, 3:], axis=1, keepdims=True)
        state = np.concatenate([qpos[:, :3], turn, qvel[:, :3], turned(turn, qvel[:, 3:])], axis=1)
        gap, sink = qpos[:, 2] - self.radius, -qvel[:, 2]
        touch = (np.sqrt(sink**2 + 2 * self.gravity * gap) - sink) / self.gravity
        state = self.flight(state, touch)
        step = self.contact / self.steps
        for _ in range(self.steps):
            one = self.rate(state, friction)
            two = self.rate(state + step / 2 * one, friction)
            three = self.rate(state + step / 2 * two, friction)
            four = self.rate(state + step * three, friction)
            state = state + step / 6 * (one + 2 * two + 2 * three + four)
        if np.any(self.forces(state, friction)[0]):
            raise RuntimeError(f"the ball is still in contact after {self.contact} s")
        state = self.flight(state, self.horizon - self.contact - touch)
        turn = state[:, 3:7] / np.linalg.norm(state[:, 3:7], axis=1, keepdims=True)
        local = turned(turn * CONJUGATE, state[:, 10:])
        return np.concatenate([state[:, :3], turn, state[:, 7:10], local], axis=1)

    def flight(self, state: Array, time: Array) -> Array:
        """The state after `time` [b] seconds without contact."""
        time = time[:, None]
        velocity = state[:, 7:10] - self.gravity * time * NORMAL
        place = state[:, :3] + (state[:, 7:10] + velocity) / 2 * time
        turn = state[:, 3:7]
        spin = turned(turn * CONJUGATE, state[:, 10:])
        return np.concatenate([place, rotate(turn, spin * time), velocity, state[:, 10:]], axis=1)

    def rate(self, state: Array, friction: Array) -> Array:
        """d state / dt in contact."""
        forces, edges, turns = self.forces(state, friction)
        spin = np.concatenate([np.zeros((len(state), 1)), state[:, 10:]], axis=1)
        push = (forces[:, None] @ edges)[:, 0] - self.gravity * NORMAL
        torque = (forces[:, None] @ turns)[:, 0]
        change = multiply(spin, state[:, 3:7]) / 2
        return np.concatenate([state[:, 7:10], change, push, torque / self.inertia], axis=1)

    def forces(self, state: Array, friction: Array) -> tuple[Array, Array, Array]:
        """Forces [b, 4] along the pyramid's edges, the edges [b, 4, 3] and their arms' moments.

        They vanish by themselves before the ball is clear of the plane: it then rises faster than
        the reference acceleration can hold.
        """
        distance = state[:, 2] - self.radius
        # The contact point lies midway between the two surfaces.
        arm = (self.radius + distance / 2)[:, None, None]
        edges = NORMAL + friction[:, :, None] * TANGENTS
        turns = arm * (edges @ ACROSS)
        speeds = (edges @ state[:, 7:10, None] + turns @ state[:, 10:, None])[:, :, 0]
        constant, ratio = self.solref
        damping = 2 / (IMPEDANCE[1] * constant)
        stiffness = 1 / (IMPEDANCE[1] * constant * ratio) ** 2
        impedance = _impedance(-distance)
        wanted = -damping * speeds - (stiffness * impedance * distance)[:, None]
        softness = 2 * friction[:, 0] ** 2 * (1 + friction[:, 0] ** 2) * (1 / impedance - 1)
        coupling = edges @ edges.swapaxes(1, 2) + turns @ turns.swapaxes(1, 2) / self.inertia
        coupling += softness[:, None, None] * np.eye(4)
        return _nonnegative(coupling, wanted + self.gravity), edges, turns

    def outputs(self, inputs: Inputs) -> Array:
        """qpos and qvel [13] at the horizon."""
        rows = self.final(*(inputs[name][None] for name in ("qpos", "qvel", "friction")))
        one: Array = rows[0]
        return one

    def jacobian(self, inputs: Inputs) -> Gradient:
        """Jacobian [13, size] of the outputs by input, by central differences in one batch."""
        sizes = {name: inputs[name].size for name in ("qpos", "qvel", "friction")}
        moves = STEP * np.eye(sum(sizes.values()))
        moves = np.concatenate([moves, -moves])
        parts = np.split(moves, np.cumsum(list(sizes.values()))[:-1], axis=1)
        moved = [inputs[name] + part for name, part in zip(sizes, parts, strict=True)]
        up, down = np.split(self.final(*moved), 2)
        columns = np.split((up - down) / (2 * STEP), np.cumsum(list(sizes.values()))[:-1])
        return {name: part.T for name, part in zip(sizes, columns, strict=True)}

    def truth(self) -> Truth:
        """The motion in continuous time and its derivative."""
        return Truth(
            source="MuJoCo's contact model in continuous time, with the exact time of impact",
            outputs=self.outputs,
            jacobian=self.jacobian,
            accuracy=ACCURACY,
        )


def turned(turn: Array, vector: Array) -> Array:
    """Vectors [b, 3] turned by unit quaternions [b, 4]."""
    padded = np.concatenate([np.zeros((len(vector), 1)), vector], axis=1)
    both: Array = multiply(multiply(turn, padded), turn * CONJUGATE)
    return both[:, 1:]


def _impedance(depth: Array) -> Array:
    along = np.clip(depth / WIDTH, 0.0, 1.0)
    curve = np.where(along <= 0.5, 2 * along**2, 1 - 2 * (1 - along) ** 2)
    return IMPEDANCE[0] + curve * (IMPEDANCE[1] - IMPEDANCE[0])


def _nonnegative(matrix: Array, pull: Array) -> Array:
    """f >= 0 [b, n] that minimises f . matrix f / 2 - pull . f, by its active set."""
    eye = np.eye(pull.shape[1])
    active = pull > 0
    for _ in range(50):
        both = active[:, :, None] & active[:, None, :]
        forces = np.linalg.solve(np.where(both, matrix, eye), np.where(active, pull, 0)[:, :, None])
        forces = forces[:, :, 0]
        missing = pull - (matrix @ forces[:, :, None])[:, :, 0]
        again = np.where(active, forces > 0, missing > 0)
        if np.array_equal(again, active):
            return forces
        active = again
    raise RuntimeError("the active set of the contact forces does not settle")
