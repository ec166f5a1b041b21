"""The exact engine: values and gradients of the physics, from a testbed's closed form."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    EngineCard,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
    require_knobs,
)
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed, Truth

CARD = EngineCard(
    name="closed_form",
    version="1",
    summary="the testbed's own closed form, with its derivative written by hand",
    referent=Referent.CONTINUOUS,
    realization=Realization.CUSTOM_ADJOINT,
    retention=Retention.NOTHING,
    contact=ContactTreatment.TIME_OF_IMPACT,
    frozen=(),
    abilities=(Ability.COMPLEX,),
    knobs=(),
    sources={
        "referent": "each testbed's Truth.source: formulas in continuous time, no time step",
        "realization": "each testbed's Truth.jacobian, written by hand",
        "retention": "the formulas keep no states",
        "contact": "each testbed's Truth.outputs: impacts enter through their exact times",
        "frozen": "each testbed's Truth.jacobian: contact times and normals vary with the inputs",
    },
)


class ClosedForm(AbstractEngine):
    """value = weights . outputs, gradient = weights . jacobian, both of `Testbed.truth`."""

    card = CARD

    def simulate(self, testbed: Testbed, settings: Settings) -> "ClosedFormSimulation":
        """Raises `Unsupported` for a testbed whose truth is absent or not a closed form."""
        require_knobs(self.card, settings)
        if testbed.truth is None:
            raise Unsupported(f"testbed {testbed.name} states no truth")
        if testbed.truth.accuracy > 0:
            raise Unsupported(
                f"the truth of testbed {testbed.name} is a numerical reference "
                f"(relative error {testbed.truth.accuracy:g}), not a closed form"
            )
        return ClosedFormSimulation(testbed.truth, np.asarray(testbed.weights, np.float64))


class ClosedFormSimulation(AbstractSimulation):
    """One closed form under fixed weights [n_out]."""

    def __init__(self, truth: Truth, weights: NDArray[np.float64]) -> None:
        self.truth = truth
        self.weights = weights

    def value(self, inputs: Inputs) -> float:
        """weights . outputs."""
        return float(self.weights @ self.truth.outputs(inputs))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        """weights . outputs and weights . jacobian."""
        rows = self.truth.jacobian(inputs)
        grads = {name: np.tensordot(self.weights, row, axes=1) for name, row in rows.items()}
        return self.value(inputs), grads

    def value_complex(self, inputs: Mapping[str, NDArray[np.complex128]]) -> complex:
        """weights . outputs at complex inputs. Raises `Unsupported` where the form is real only."""
        # Branches of a closed form compare real parts, so it is analytic on each side of one.
        outputs = self.truth.outputs(inputs)  # type: ignore[arg-type]
        if not np.iscomplexobj(outputs):
            raise Unsupported("this closed form drops the imaginary part of its inputs")
        return complex(self.weights @ outputs)
