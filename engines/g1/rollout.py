"""Many steps, and the gradient of a loss of them."""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from gradcheck.engine import BadInput
from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.compiled import compiled
from gradcheck.engines.g1.implicit import SOLUTION
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.parameters import Parameters, real
from gradcheck.engines.g1.state import UNUSABLE, State, Status, check, told
from gradcheck.engines.g1.step import step
from gradcheck.engines.g1.tangent import to_tangent

KEEPS = ("steps", "sqrt")


def rollout(
    model: Model,
    start: State,
    controls: Array,
    keep: str = "steps",
    entering: Callable[[State, Array], State] | None = None,
) -> tuple[State, State]:
    """The last state, and all states after each step [T, batch, ...].

    controls [T, batch, nu] (or [T, nu] without batch). In reverse mode only a few vectors a step
    are kept (the state, the control, the solution of the step's equations) and the step is computed
    again without its solver; keep="sqrt" keeps whole steps only at every sqrt(T)-th and runs the
    steps between twice. entering(state, index) -> state is what step `index` (0 to T - 1) starts
    from: the place for `gradcheck.engines.jax_remedies.remedied`.

    Raises `BadInput` for shapes that do not fit and, outside jit, for a start or a control that
    `step` would refuse; what goes wrong later on is flagged in `status`.
    """
    if keep not in KEEPS:
        raise BadInput(f"g1: keep='{keep}' is unknown (it has: {', '.join(KEEPS)})")
    controls = real("controls", controls, model.dtype)
    check(model, start, controls, "controls")
    steps = controls.shape[0]
    policy = jax.checkpoint_policies.save_only_these_names(SOLUTION)

    def one(current: State, given: tuple[Array, Array]) -> tuple[State, State]:
        ctrl, index = given
        current = current if entering is None else entering(current, index)
        after = step(model, current, ctrl)
        return after, after

    small = jax.checkpoint(one, policy=policy)
    given = controls, jnp.arange(steps)
    size = int(steps**0.5) if keep == "sqrt" else 1
    if size < 2:
        return jax.lax.scan(small, start, given)

    def many(current: State, some: tuple[Array, Array]) -> tuple[State, State]:
        return jax.lax.scan(small, current, some)

    whole = steps // size
    blocks = jax.tree.map(lambda x: x[: whole * size].reshape(whole, size, *x.shape[1:]), given)
    last, states = jax.lax.scan(jax.checkpoint(many), start, blocks)
    states = jax.tree.map(lambda x: x.reshape(whole * size, *x.shape[2:]), states)
    last, rest = many(last, jax.tree.map(lambda x: x[whole * size :], given))
    return last, jax.tree.map(lambda a, b: jnp.concatenate([a, b]), states, rest)


class Gradient(NamedTuple):
    """Of the sum of all worlds' losses. qpos [batch, nv]: in the tangent space of the initial
    configuration, as qvel is (root translation in world axes, rotation in body axes, joints);
    qvel [batch, nv]; controls [T, batch, nu]; parameters: of the shapes they have in the model."""

    qpos: Array
    qvel: Array
    controls: Array
    parameters: Parameters


class Result(NamedTuple):
    """value [batch]: each world's loss; last: the state at the end, with its flags."""

    value: Array
    gradient: Gradient
    last: State


def value_and_grad(
    model: Model,
    loss: Callable[[State, State], Array],
    keep: str = "steps",
    entering: Callable[[State, Array], State] | None = None,
) -> Callable[[State, Array], Result]:
    """A function (start, controls) -> `Result` of loss(last, states), a number a world [batch].

    `last` and `states` [T, batch, ...] are what `rollout` returns. Worlds that were flagged on the
    way (NaN, no convergence) carry no gradient through that step; outside jit they raise
    `BadInput`, as bad input does: their gradient is refused.
    """

    def of(
        parts: tuple[Array, Array, Array, Parameters], start: State
    ) -> tuple[Array, tuple[Array, State]]:
        qpos, qvel, controls, parameters = parts
        begin = dataclasses.replace(start, qpos=qpos, qvel=qvel)
        mine = dataclasses.replace(model, parameters=parameters)
        last, states = rollout(mine, begin, controls, keep, entering)
        value = jnp.asarray(loss(last, states))
        lead = start.qpos.shape[:-1]
        if value.shape != lead or not jnp.issubdtype(value.dtype, jnp.floating):
            raise BadInput(
                f"g1: the loss has shape {value.shape} of {value.dtype}; it must give one real "
                f"number a world, {lead}"
            )
        return jnp.sum(value), (value, last)

    @compiled
    def computed(model_: Model, start: State, controls: Array) -> Result:
        parts = (start.qpos, start.qvel, controls, model_.parameters)
        (_, (value, last)), raw = jax.value_and_grad(of, has_aux=True)(parts, start)
        gradient = Gradient(to_tangent(start.qpos, raw[0]), *raw[1:])
        return Result(value, gradient, last)

    def run(start: State, controls: Array) -> Result:
        controls = real("controls", controls, model.dtype)
        check(model, start, controls, "controls")
        result: Result = computed(model, start, controls)
        refuse(result.last)
        return result

    return run


def refuse(last: State) -> None:
    """Raise `BadInput` for worlds that did not converge on the way; inside jit nothing is known."""
    if isinstance(last.status, jax.core.Tracer):
        return
    flags = jnp.atleast_1d(last.status)
    wrong = flags & (Status.NOT_CONVERGED | UNUSABLE)
    if bool(jnp.any(wrong != 0)):
        world = int(jnp.argmax(wrong != 0))
        raise BadInput(
            f"g1: no gradient: {int(jnp.sum(wrong != 0))} of {flags.size} worlds are flagged, "
            f"the first is {world}: {'; '.join(told(int(flags[world])))}"
        )
