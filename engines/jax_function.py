"""A JAX function of the user. The precision of the user's process is left as it is."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engine import (
    Ability,
    AbstractSimulation,
    Array,
    BadInput,
    EngineCard,
    Gradient,
    Inputs,
    Knob,
    Settings,
)
from gradcheck.engines.argument import Argument
from gradcheck.engines.function import Function, FunctionEngine
from gradcheck.engines.jax_structure import structure
from gradcheck.reason import reason
from gradcheck.structure import Structure
from gradcheck.taxonomy import Realization, Referent

BATCH = 64


class JaxFunctionEngine(FunctionEngine):
    """Differentiates the function by `jax.grad`, in float64 and on demand in float32."""

    def __init__(self, function: Function, argument: Argument, name: str) -> None:
        card = EngineCard(
            name="JAX function",
            version=jax.__version__,
            referent=Referent.EXECUTED,
            realization=Realization.GENERATED,
            knobs=(Knob.PRECISION,),
        )
        super().__init__(function, argument, name, card)
        with jax.enable_x64(True):
            inputs = {k: jnp.asarray(v) for k, v in argument.arrays().items()}
            self.traced = _works(lambda: jax.eval_shape(self.loss, inputs))
            self._try(inputs)
            abilities = []
            if self.traced:
                abilities.append(Ability.STRUCTURE)
                batch = {k: v[None] for k, v in inputs.items()}
                if _works(lambda: jax.eval_shape(jax.vmap(jax.grad(self.loss)), batch)):
                    abilities.append(Ability.BATCH)
                # A rule for reverse mode alone is only refused when the program is lowered.
                if _works(lambda: jax.jit(_directional(self.loss)).lower(inputs, inputs)):
                    abilities.append(Ability.FORWARD_MODE)
        self.card = card.model_copy(update={"abilities": tuple(abilities)})

    def loss(self, inputs: Mapping[str, jax.Array]) -> jax.Array:
        """The function's one number."""
        answer = jnp.asarray(self.function(self.argument.build(inputs)))
        if answer.size != 1:
            raise BadInput(
                f"f returns an array of shape {answer.shape}: return one number, "
                "for example a sum with fixed random weights"
            )
        return answer.reshape(())

    def at(self, settings: Settings) -> AbstractSimulation:
        return JaxFunction(self, settings.precision)

    def _try(self, inputs: Mapping[str, jax.Array]) -> None:
        """Raise `BadInput` unless JAX can differentiate the function. One that branches on values
        cannot be traced, but can be differentiated, operation by operation."""
        gradient = jax.value_and_grad(self.loss)
        try:
            if self.traced:
                jax.eval_shape(gradient, inputs)
            else:
                gradient(dict(inputs))
        except BadInput:
            raise
        except Exception as error:
            raise BadInput(
                f"JAX cannot differentiate {self.testbed.name}: give its gradient as grad=, or "
                f"PyTorch tensors as x. JAX says: {reason(error)}"
            ) from None


class JaxFunction(AbstractSimulation):
    """The function in one precision."""

    def __init__(self, engine: JaxFunctionEngine, precision: str) -> None:
        self.engine = engine
        self.wide = precision == "float64"
        self.dtype = np.dtype(precision)
        compiled = jax.jit if engine.traced else lambda function: function
        self._value = compiled(engine.loss)
        self._value_and_grad = compiled(jax.value_and_grad(engine.loss))
        self._values = compiled(jax.vmap(engine.loss))
        self._values_and_grads = compiled(jax.vmap(jax.value_and_grad(engine.loss)))
        self._directional = compiled(_directional(engine.loss))

    def value(self, inputs: Inputs) -> float:
        return float(self._run(self._value, inputs))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        value, gradient = self._run(self._value_and_grad, inputs)
        return float(value), {k: np.asarray(v, np.float64) for k, v in gradient.items()}

    def values(self, batch: Inputs) -> Array:
        if Ability.BATCH not in self.engine.card.abilities:
            return super().values(batch)
        parts = [self._run(self._values, part)[:count] for part, count in _chunks(batch)]
        return np.concatenate([np.asarray(part, np.float64) for part in parts])

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        if Ability.BATCH not in self.engine.card.abilities:
            return super().values_and_grads(batch)
        values, gradients = [], []
        for part, count in _chunks(batch):
            value, gradient = self._run(self._values_and_grads, part)
            values.append(np.asarray(value, np.float64)[:count])
            gradients.append({k: np.asarray(v, np.float64)[:count] for k, v in gradient.items()})
        return np.concatenate(values), {
            k: np.concatenate([one[k] for one in gradients]) for k in gradients[0]
        }

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        return float(self._run(self._directional, inputs, tangents))

    def structure(self, inputs: Inputs) -> Structure:
        traced = self._run(jax.make_jaxpr(self.engine.loss), inputs)
        return structure(traced, "JAX jaxpr of the function")

    def _run(self, function: Callable[..., Any], *arguments: Inputs) -> Any:
        with jax.enable_x64(self.wide):
            cast = [
                {k: jnp.asarray(v, self.dtype) for k, v in argument.items()}
                for argument in arguments
            ]
            return function(*cast)


def _directional(loss: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    def run(inputs: Mapping[str, jax.Array], tangents: Mapping[str, jax.Array]) -> jax.Array:
        slope: jax.Array = jax.jvp(loss, (dict(inputs),), (dict(tangents),))[1]
        return slope

    return run


def _works(trace: Callable[[], Any]) -> bool:
    try:
        trace()
    except Exception:  # whatever a custom rule or a callback raises: the ability is not there
        return False
    return True


def _chunks(batch: Inputs) -> list[tuple[dict[str, Array], int]]:
    """Chunks of one size, the last padded by its first row, so that one shape is compiled."""
    total = len(next(iter(batch.values())))
    chunks = []
    for begin in range(0, total, BATCH):
        count = min(BATCH, total - begin)
        rows = np.r_[begin : begin + count, np.full(BATCH - count, begin)].astype(int)
        chunks.append(({k: np.asarray(v)[rows] for k, v in batch.items()}, count))
    return chunks
