"""A PyTorch function or module of the user, in float64."""

import copy
from typing import Any

import numpy as np
import torch

from gradcheck.engine import (
    Ability,
    AbstractSimulation,
    BadInput,
    EngineCard,
    Gradient,
    Inputs,
    Settings,
)
from gradcheck.engines.argument import Argument, is_tensor
from gradcheck.engines.function import Function, FunctionEngine, scalar
from gradcheck.engines.torch_structure import structure
from gradcheck.reason import reason
from gradcheck.structure import Structure
from gradcheck.taxonomy import Realization, Referent


def in_float64(module: torch.nn.Module) -> torch.nn.Module:
    """A copy in float64: the user's own is left as it is."""
    return copy.deepcopy(module).double()


class TorchFunctionEngine(FunctionEngine):
    """Differentiates by `torch.autograd.grad`."""

    def __init__(self, function: Function, argument: Argument, name: str) -> None:
        card = EngineCard(
            name="PyTorch function",
            version=torch.__version__,
            referent=Referent.EXECUTED,
            realization=Realization.GENERATED,
            knobs=(),
            abilities=(Ability.STRUCTURE,),
        )
        super().__init__(function, argument, name, card)
        try:
            TorchFunction(self).value(argument.arrays())
        except BadInput:
            raise
        except Exception as error:
            raise BadInput(
                f"{name} does not run on float64 tensors ({reason(error)}): "
                "convert what it holds by .double()"
            ) from None

    def at(self, settings: Settings) -> AbstractSimulation:
        return TorchFunction(self)


class TorchFunction(AbstractSimulation):
    """The function, called on fresh tensors each time."""

    def __init__(self, engine: TorchFunctionEngine) -> None:
        self.engine = engine
        tensors = [leaf for leaf in engine.argument.leaves if is_tensor(leaf)]
        self.device = tensors[0].device if tensors else torch.device("cpu")

    def value(self, inputs: Inputs) -> float:
        with torch.no_grad():
            return self._number(self._call(self._tensors(inputs, gradients=False)))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        tensors = self._tensors(inputs, gradients=True)
        answer = self._call(tensors)
        value = self._number(answer)
        if not answer.requires_grad:  # nothing depends on the inputs, as far as PyTorch knows
            return value, {name: np.zeros(np.shape(inputs[name])) for name in tensors}
        found = torch.autograd.grad(answer.reshape(()), list(tensors.values()), allow_unused=True)
        return value, {
            name: np.zeros(np.shape(inputs[name])) if one is None else one.cpu().numpy()
            for name, one in zip(tensors, found, strict=True)
        }

    def structure(self, inputs: Inputs) -> Structure:
        """Of the graph that autograd recorded. What a custom function did inside is not in it."""
        answer = self._call(self._tensors(inputs, gradients=True))
        return structure(answer.grad_fn)

    def _tensors(self, inputs: Inputs, gradients: bool) -> dict[str, torch.Tensor]:
        names = [name for name in self.engine.argument.names if name is not None]
        return {
            name: torch.tensor(
                np.asarray(inputs[name]),
                dtype=torch.float64,
                device=self.device,
                requires_grad=gradients,
            )
            for name in names
        }

    def _call(self, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        answer: Any = self.engine.function(self.engine.argument.build(tensors))
        if not isinstance(answer, torch.Tensor):
            raise BadInput(f"f returns a {type(answer).__name__}: return a tensor with one number")
        return answer

    def _number(self, answer: torch.Tensor) -> float:
        return scalar(answer.detach().cpu().numpy())
