"""Testbeds made of another one, so that an engine that knows only a loss can be fitted.

An engine answers with weights . outputs. `asked` makes that one output of the last state, `fitted`
the squared distance of all outputs from a target; both come in as one more input.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcheck.engine import Array, BadInput
from gradcheck.scene import AnyArray, AnyInputs, Formula, Mjcf, Scene
from gradcheck.testbed import Input, Testbed

PICK, TARGET = "pick of outputs", "target of outputs"
"""Names of the inputs that are added; no testbed has such."""

Of = Callable[[AnyArray, AnyInputs, Any], AnyArray]
"""(outputs [n_out], inputs, xp) -> the one output [1] in their place."""


def asked(testbed: Testbed) -> Testbed:
    """Its loss is PICK . outputs."""

    def of(outputs: AnyArray, inputs: AnyInputs, xp: Any) -> AnyArray:
        return xp.sum(inputs[PICK] * outputs)[None]

    return _made(testbed, PICK, of)


def fitted(testbed: Testbed, weights: Array) -> Testbed:
    """Its loss is the sum of (weights (outputs - TARGET))²; weights [n_out]."""

    def of(outputs: AnyArray, inputs: AnyInputs, xp: Any) -> AnyArray:
        return xp.sum((xp.asarray(weights) * (outputs - inputs[TARGET])) ** 2)[None]

    return _made(testbed, TARGET, of)


def _made(testbed: Testbed, name: str, of: Of) -> Testbed:
    scenes = tuple(_scene(one, of) for one in testbed.scenes if not isinstance(one, Mjcf))
    if not scenes:
        raise BadInput(
            f"testbed {testbed.name} is stated as MJCF, whose outputs are fixed and cannot be "
            "compared with a target: choose a testbed with a function `outputs`"
        )
    return dataclasses.replace(
        testbed,
        inputs=(*testbed.inputs, Input(name, np.zeros(len(testbed.weights)))),
        outputs=(name,),
        weights=(1.0,),
        scenes=scenes,
        truth=None,
    )


def _scene(scene: Scene, of: Of) -> Scene:
    assert not isinstance(scene, Mjcf)
    if isinstance(scene, Formula):
        whole = scene.outputs
        return Formula(lambda inputs, xp: of(whole(inputs, xp), inputs, xp))
    before = scene.outputs

    def outputs(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: Any) -> AnyArray:
        return of(before(q, v, inputs, xp), inputs, xp)

    return dataclasses.replace(scene, outputs=outputs)
