"""The simulator's gradients beside central differences of its own rollouts, block by block.

A world's inputs are perturbed one coordinate at a time; all the perturbed worlds of a state are one
batch of one shape, so that one compiled rollout serves every block.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from numpy.typing import NDArray

from gradcheck.engines import g1
from tests.engines.g1.states import Floats, States

NAMES = tuple(one.name for one in dataclasses.fields(g1.Parameters))
# Steps of the difference: of qpos; of everything else, for parameters relative to their size.
STEP_QPOS, STEP = 1e-5, 1e-4
OFFSETS = (-3, -2, -1, 1, 2, 3)
# A coordinate is screened out where its one-sided slopes differ by more than curvature explains,
# or the central slopes of one and two steps differ, relative to the block's largest slope.
KINK, UNEVEN = 1e-6, 1e-4
# A block's slopes count relative to its largest in the world, or to this part of its largest in any
# world: where nothing touches the ground, friction has a slope of 0.
FLOOR = 1e-3


class Worlds(NamedTuple):
    """qpos [B, nq], qvel [B, nv], controls [T, B, nu], parameters [B, ...]."""

    qpos: Any
    qvel: Any
    controls: Any
    parameters: g1.Parameters


class Ends(NamedTuple):
    """qpos and qvel after the first step and after the last, [B, n]."""

    qpos: Any
    qvel: Any
    last_qpos: Any
    last_qvel: Any


class Weights(NamedTuple):
    """Of the loss: of the state after the first step, and of the last."""

    one: float
    last: float


LOSSES = {"one step": Weights(1.0, 0.0), "all steps": Weights(0.0, 1.0)}


class Coordinate(NamedTuple):
    """One number that is perturbed: the block that it counts to, where it stands, and by how
    much."""

    block: str
    of: str
    place: tuple[int, ...]
    step: float


class Programs:
    """What is compiled of a model, once: its rollout, its gradient, its tangent."""

    def __init__(self, model: mujoco.MjModel, steps: int, chunk: int) -> None:
        self.model = g1.load(model, dtype="float64")
        self.steps, self.chunk = steps, chunk
        rng = np.random.default_rng(7)
        self.weights = rng.standard_normal(self.model.nq), rng.standard_normal(self.model.nv)
        options: Any = {"compiler_options": g1.COMPILER_OPTIONS}
        self.forward = jax.jit(self._forward, **options)
        self.graded = jax.jit(self._graded, **options)
        self.pushed = jax.jit(self._pushed, **options)

    def worlds(self, some: States, seed: int = 0) -> Worlds:
        """Worlds at these states, their controls a random walk, with the model's parameters."""
        count = len(some.qpos)
        rng = np.random.default_rng(seed)
        noise = 0.05 * rng.standard_normal((self.steps, count, self.model.nu))
        low, high = self.model.structure.ctrl_range.T
        controls = np.clip(some.ctrl + noise.cumsum(0), low, high)
        own = jax.tree.map(np.asarray, self.model.parameters)
        wide = jax.tree.map(lambda x: np.broadcast_to(x, (count, *x.shape)).copy(), own)
        return Worlds(some.qpos, some.qvel, controls, wide)

    def loss(self, qpos: Any, qvel: Any) -> Any:
        """[...] of a state: linear in qpos, linear and quadratic in qvel."""
        q, v = self.weights
        return (q * qpos).sum(-1) + (v * qvel).sum(-1) + 0.05 * (qvel**2).sum(-1)

    def losses(self, ends: Ends) -> dict[str, Floats]:
        """Of `LOSSES`, [B]."""
        return {
            "one step": self.loss(ends.qpos, ends.qvel),
            "all steps": self.loss(ends.last_qpos, ends.last_qvel),
        }

    def _with(self, parameters: g1.Parameters) -> g1.Model:
        return dataclasses.replace(self.model, parameters=parameters)

    def _forward(self, some: Worlds) -> tuple[Ends, Any]:
        """Ends, and each world's status."""
        begin = g1.state(self.model, some.qpos, some.qvel)
        last, states = g1.rollout(self._with(some.parameters), begin, some.controls)
        return Ends(states.qpos[0], states.qvel[0], last.qpos, last.qvel), last.status

    def _graded(self, some: Worlds, weights: Weights) -> g1.Result:
        def loss(last: g1.State, states: g1.State) -> Any:
            first = self.loss(states.qpos[0], states.qvel[0])
            return weights.one * first + weights.last * self.loss(last.qpos, last.qvel)

        begin = g1.state(self.model, some.qpos, some.qvel)
        return g1.value_and_grad(self._with(some.parameters), loss)(begin, some.controls)

    def _pushed(self, some: Worlds, along: Worlds) -> tuple[Ends, Ends]:
        ends, out = jax.jvp(lambda x: self._forward(x)[0], (some,), (along,))
        return ends, out

    def run(self, some: Worlds) -> Ends:
        """`forward` in chunks of one shape, the last one filled up."""
        count = len(some.qpos)
        found = []
        for begin in range(0, count, self.chunk):
            rows = np.minimum(np.arange(begin, begin + self.chunk), count - 1)
            ends, _ = self.forward(chosen(some, rows))
            found.append(jax.tree.map(np.asarray, ends))
        whole = [np.concatenate(parts)[:count] for parts in zip(*found, strict=True)]
        return Ends(*whole)


def chosen(some: Worlds, rows: Any) -> Worlds:
    """Some worlds of a batch."""
    return Worlds(
        some.qpos[rows],
        some.qvel[rows],
        some.controls[:, rows],
        jax.tree.map(lambda x: x[rows], some.parameters),
    )


def coordinates(programs: Programs) -> list[Coordinate]:
    """All inputs of a world: tangent coordinates of qpos, qvel, the controls of the first step and
    of a middle one, every entry of every parameter (friction loss: where there is any)."""
    model = programs.model
    made = []
    for dof in range(model.nv):
        block = "base translation" if dof < 3 else "base rotation" if dof < 6 else "joints"
        made.append(Coordinate(block, "qpos", (dof,), STEP_QPOS))
    made += [Coordinate("qvel", "qvel", (dof,), STEP) for dof in range(model.nv)]
    for step in sorted({0, programs.steps // 2}):
        made += [Coordinate("ctrl", "controls", (step, u), STEP) for u in range(model.nu)]
    for name in NAMES:
        made += list(_of_parameter(name, np.asarray(getattr(model.parameters, name))))
    return made


def _of_parameter(name: str, values: NDArray[np.float64]) -> Iterator[Coordinate]:
    for index in np.ndindex(values.shape):
        if name == "dof_frictionloss" and not values[index] > 0:
            continue
        yield Coordinate(name, name, index, STEP * (abs(float(values[index])) or 1.0))


def perturbed(world: Worlds, some: list[Coordinate]) -> Worlds:
    """The world itself, then each coordinate moved by each of `OFFSETS` steps."""
    count = 1 + len(some) * len(OFFSETS)
    made = chosen(world, np.zeros(count, int))
    made = jax.tree.map(np.array, made)
    turn = np.zeros_like(made.qvel)
    for row, (one, offset) in enumerate(((c, k) for c in some for k in OFFSETS), 1):
        if one.of == "qpos":
            turn[row, one.place[0]] = offset * one.step
        elif one.of == "qvel":
            made.qvel[row, one.place[0]] += offset * one.step
        elif one.of == "controls":
            made.controls[one.place[0], row, one.place[1]] += offset * one.step
        else:
            getattr(made.parameters, one.of)[(row, *one.place)] += offset * one.step
    moved = np.asarray(g1.retract(jnp.asarray(made.qpos), jnp.asarray(turn)))
    out: Worlds = made._replace(qpos=moved)
    return out


class Slopes(NamedTuple):
    """Of each coordinate, [C, ...]: the fourth-order central slope; how much the one-sided slopes
    differ beyond a curvature; how much the central slopes of one and of two steps differ."""

    slope: Floats
    kink: Floats
    uneven: Floats


def slopes(values: Floats, some: list[Coordinate]) -> Slopes:
    """Of values [1 + 6 C, ...] at the `perturbed` worlds."""
    at = values[0]
    h = np.array([one.step for one in some]).reshape(-1, *[1] * at.ndim)
    moved = values[1:].reshape(len(some), len(OFFSETS), *at.shape)
    low, high = moved[:, 2::-1].swapaxes(0, 1), moved[:, 3:].swapaxes(0, 1)
    one, two = (high[0] - low[0]) / (2 * h), (high[1] - low[1]) / (4 * h)
    bends = (high + low - 2 * at) / h
    # Curvature makes them grow as 1, 4, 9. A kink at 2/3 of a step does so in the first two, at 3/4
    # in the first and the third; none does in all.
    kink = np.maximum(np.abs(bends[1] - 4 * bends[0]) / 2, np.abs(bends[2] - 9 * bends[0]) / 3)
    return Slopes((4 * one - two) / 3, kink, np.abs(two - one))


class Block(NamedTuple):
    """Of a block and a loss, over all worlds: errors of the slopes that count, relative; how many
    were screened out, of how many."""

    errors: Floats
    screened: int
    total: int


def compare(programs: Programs, worlds: Worlds) -> dict[tuple[str, str], Block]:
    """Blocks by (loss, block)."""
    some = coordinates(programs)
    blocks = np.array([one.block for one in some])
    count = len(worlds.qpos)
    measured: dict[str, list[Slopes]] = {name: [] for name in LOSSES}
    for world in range(count):
        ends = programs.run(perturbed(chosen(worlds, [world]), some))
        for name, values in programs.losses(ends).items():
            measured[name].append(slopes(values, some))
    out = {}
    for name, weights in LOSSES.items():
        gradient = programs.graded(worlds, weights).gradient
        exact = np.array([[_entry(gradient, one, w) for one in some] for w in range(count)])
        found = Slopes(*(np.array(part) for part in zip(*measured[name], strict=True)))
        for block in dict.fromkeys(blocks):
            mine = blocks == block
            out[name, str(block)] = _block(exact[:, mine], Slopes(*(x[:, mine] for x in found)))
    return out


def _entry(gradient: g1.Gradient, one: Coordinate, world: int) -> float:
    if one.of == "controls":
        return float(gradient.controls[one.place[0], world, one.place[1]])
    of = gradient if one.of in ("qpos", "qvel") else gradient.parameters
    return float(np.asarray(getattr(of, one.of))[(world, *one.place)])


def _block(exact: Floats, found: Slopes) -> Block:
    size = np.maximum(np.abs(exact), np.abs(found.slope)).max(1, keepdims=True)
    size = np.maximum(size, FLOOR * size.max())
    size = np.where(size > 0, size, 1.0)
    smooth = (found.kink <= KINK * size) & (found.uneven <= UNEVEN * size)
    errors = np.abs(exact - found.slope) / size
    errors = np.where(np.isnan(errors), np.inf, errors)
    return Block(errors[smooth], int((~smooth).sum()), smooth.size)


def adjoint(programs: Programs, worlds: Worlds, seed: int = 0) -> Floats:
    """|<Jv, w> - <v, J^T w>| / (|Jv| |w|) of each world, v random in all inputs and w the slope of
    the loss of the last state."""
    rng = np.random.default_rng(seed)
    along = jax.tree.map(lambda x: _random_like(rng, x), worlds)
    turn = rng.standard_normal(worlds.qvel.shape)
    # d/dt of the turned quaternion, which the simulator's own helper is not asked for
    w, v = worlds.qpos[:, 3:4], worlds.qpos[:, 4:7]
    spin = turn[:, 3:6]
    rate = 0.5 * np.concatenate(
        [-(v * spin).sum(1, keepdims=True), w * spin + np.cross(v, spin)], 1
    )
    along = along._replace(qpos=np.concatenate([turn[:, :3], rate, turn[:, 6:]], 1))
    ends, out = programs.pushed(worlds, along)
    by_q = np.broadcast_to(programs.weights[0], out.last_qpos.shape)
    by_v = programs.weights[1] + 0.1 * np.asarray(ends.last_qvel)
    left = (by_q * out.last_qpos).sum(1) + (by_v * out.last_qvel).sum(1)
    gradient = programs.graded(worlds, LOSSES["all steps"]).gradient
    right = (gradient.qpos * turn).sum(1) + (gradient.qvel * along.qvel).sum(1)
    right = right + (gradient.controls * along.controls).sum((0, 2))
    for name in NAMES:
        product = getattr(gradient.parameters, name) * getattr(along.parameters, name)
        right = right + product.reshape(len(turn), -1).sum(1)
    size = np.hypot(np.linalg.norm(out.last_qpos, axis=1), np.linalg.norm(out.last_qvel, axis=1))
    size = size * np.hypot(np.linalg.norm(by_q, axis=1), np.linalg.norm(by_v, axis=1))
    return np.asarray(np.abs(left - right) / size)


def _random_like(rng: np.random.Generator, x: Any) -> Floats:
    """Random, of the size of what it moves."""
    return np.asarray(rng.standard_normal(x.shape) * (np.abs(x).mean() if x.size else 1.0))
