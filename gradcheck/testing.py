"""A conformance suite for authors of adapters: does an engine keep to the contract?

It looks at the form of the answers, not at whether the gradient is right: that is the audit's.

    def test_my_engine() -> None:
        gradcheck.testing.check_engine(MyEngine())
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from gradcheck import registry
from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    Inputs,
    Knob,
    Settings,
    Unsupported,
    unstack,
)
from gradcheck.guard import Breach, GuardedEngine
from gradcheck.reason import reason
from gradcheck.scene import Scene
from gradcheck.testbed import Family, Input, Testbed

SAME = 1e-9
"""Relative difference up to which two ways to compute one number count as the same: compilers
may order sums differently."""

STATED = ("referent", "realization", "retention", "contact", "frozen")


def check_engine(engine: AbstractEngine, testbeds: Sequence[str | Testbed] | None = None) -> None:
    """Raise `AssertionError` with every breach of the contract, one a line.

    testbeds: names or objects; None takes all built-in ones. The engine may refuse testbeds by
    `Unsupported`, but not all of them.
    """
    scenes = [
        registry.testbed(one) if isinstance(one, str) else one
        for one in (registry.testbed_names() if testbeds is None else testbeds)
    ]
    problems = [*_card(engine), *_foreign(engine)]
    answered = 0
    for testbed in scenes:
        try:
            engine.simulate(testbed, Settings())
        except Unsupported as refusal:
            if not str(refusal):
                problems.append(f"{testbed.name}: Unsupported is raised without a reason")
            continue
        except Exception as error:
            problems.append(f"{testbed.name}: simulate raises {reason(error)}, not Unsupported")
            continue
        answered += 1
        problems += [f"{testbed.name}: {problem}" for problem in _testbed(engine, testbed)]
    if not answered:
        problems.append(f"the engine refuses all of {', '.join(one.name for one in scenes)}")
    if problems:
        raise AssertionError(f"{len(problems)} breaches of the contract:\n" + "\n".join(problems))


def _card(engine: AbstractEngine) -> Iterator[str]:
    card = engine.card
    if not card.name:
        yield "the card has no name"
    if not card.version:
        yield "the card has no version"
    for field in STATED:
        if getattr(card, field) is None:
            yield f"the card does not state {field}"
    if engine.probe_limit < 1:
        yield f"probe_limit is {engine.probe_limit}, which leaves no probe"


@dataclass(frozen=True)
class Foreign:
    """A scene of a form that no engine can know."""


def _foreign(engine: AbstractEngine) -> Iterator[str]:
    """Is a scene of an unknown form refused by `Unsupported`, with a reason?"""
    strange = Testbed(
        name="foreign",
        question="is it refused?",
        family=Family.SMOOTH,
        source="gradcheck.testing",
        inputs=(Input("x", np.zeros(1)),),
        outputs=("y",),
        weights=(1.0,),
        scenes=(cast(Scene, Foreign()),),
    )
    try:
        engine.simulate(strange, Settings())
    except Unsupported as refusal:
        if not str(refusal):
            yield "a foreign scene is refused without a reason"
    except Exception as error:
        yield f"a foreign scene raises {reason(error)}, not Unsupported"
    else:
        yield "a foreign scene is not refused: raise Unsupported"


def _testbed(engine: AbstractEngine, testbed: Testbed) -> Iterator[str]:
    """Everything about one testbed. A method that raises ends only its own part."""
    guarded = GuardedEngine(engine)
    raw = engine.simulate(testbed, Settings())
    try:
        simulation = guarded.simulate(testbed, Settings())
    except Breach as breach:
        yield str(breach)
        return
    inputs = testbed.nominal()
    parts: list[Callable[[], Iterator[str]]] = [
        lambda: _numbers(raw, simulation, inputs, guarded),
        lambda: _batch(simulation, testbed),
        lambda: _abilities(engine, simulation, testbed),
        lambda: _knobs(engine, testbed),
    ]
    for part in parts:
        try:
            yield from part()
        except Exception as error:
            yield str(error) if isinstance(error, Breach) else f"raises {reason(error)}"


def _numbers(
    raw: AbstractSimulation, simulation: AbstractSimulation, inputs: Inputs, guarded: GuardedEngine
) -> Iterator[str]:
    """Finite, float64, repeatable, the same with and without gradients, inputs left alone."""
    kept = {name: array.copy() for name, array in inputs.items()}
    value, again = simulation.value(inputs), simulation.value(inputs)
    with_gradient, gradient = simulation.value_and_grad(inputs)
    second = simulation.value_and_grad(inputs)[1]
    if guarded.non_finite:
        yield f"{guarded.non_finite} at the nominal inputs"
        return
    if value != again:
        yield f"value is not repeatable: {value!r}, then {again!r}"
    if not _same(value, with_gradient):
        yield f"value gives {value!r}, value_and_grad {with_gradient!r}: the forward pass changes"
    for name, array in gradient.items():
        if not np.array_equal(array, second[name]):
            yield f"the gradient by '{name}' is not repeatable"
    for name, entry in raw.value_and_grad(inputs)[1].items():
        found = getattr(entry, "dtype", type(entry).__name__)
        if not isinstance(entry, np.ndarray | np.generic) or found != np.float64:
            yield f"the gradient by '{name}' is {found}, not a NumPy array of float64"
    for name, text in simulation.undifferentiated.items():
        if not text:
            yield f"undifferentiated gives no reason for '{name}'"
    for name, array in kept.items():
        if not np.array_equal(array, inputs[name]):
            yield f"the input '{name}' is changed in place"


def _batch(simulation: AbstractSimulation, testbed: Testbed) -> Iterator[str]:
    """Is a batch of inputs the same as one after the other?"""
    batch = {
        one.name: np.stack(
            [
                one.retract(one.default, np.full(one.tangent_size, k * 1e-3 * one.scale))
                for k in (0, 1, 2)
            ]
        )
        for one in testbed.inputs
    }
    singles = unstack(batch)
    values, gradients = simulation.values_and_grads(batch)
    for title, many in (("values", simulation.values(batch)), ("values_and_grads", values)):
        if not _same(many, np.array([simulation.value(one) for one in singles])):
            yield f"{title} of a batch differ from value one by one"
    for name, rows in gradients.items():
        if not _same(rows, np.stack([simulation.value_and_grad(one)[1][name] for one in singles])):
            yield f"values_and_grads of a batch differ from value_and_grad one by one in '{name}'"


def _abilities(
    engine: AbstractEngine, simulation: AbstractSimulation, testbed: Testbed
) -> Iterator[str]:
    """Do the declared abilities work?"""
    inputs = testbed.nominal()
    abilities = engine.card.abilities
    if Ability.FORWARD_MODE in abilities:
        slope = simulation.jvp(inputs, {name: np.ones_like(v) for name, v in inputs.items()})
        if not np.isfinite(slope):
            yield f"jvp gives {slope}"
    if Ability.COMPLEX in abilities:
        complex_value = simulation.value_complex({k: v.astype(complex) for k, v in inputs.items()})
        if not _same(complex_value.real, simulation.value(inputs)) or complex_value.imag != 0:
            yield f"value_complex at real inputs gives {complex_value!r}, value another number"
    if Ability.MEMORY in abilities and not min(simulation.memory()) >= 0:
        yield f"memory gives {simulation.memory()}, not two numbers of bytes"
    if Ability.STRUCTURE in abilities and simulation.structure(inputs).operations < 1:
        yield "structure shows no operation"
    if Ability.STEPS in abilities and testbed.dt > 0:
        yield from _steps(simulation, testbed)


def _steps(simulation: AbstractSimulation, testbed: Testbed) -> Iterator[str]:
    """Do single steps make up the trajectory?"""
    inputs = testbed.nominal()
    states = simulation.trajectory(inputs)
    if len(states) != testbed.steps + 1:
        yield f"trajectory shows {len(states)} states, not steps + 1 = {testbed.steps + 1}"
        return
    stepped = simulation.step(states[:-1], np.arange(testbed.steps), inputs)
    if not _same(stepped, states[1:]):
        yield "step from each state of the trajectory does not give the next one"
    jacobians = simulation.step_jacobians(inputs)
    size = states.shape[1]
    if jacobians.shape != (testbed.steps, size, size):
        yield f"step_jacobians has shape {jacobians.shape}, not {(testbed.steps, size, size)}"


def _knobs(engine: AbstractEngine, testbed: Testbed) -> Iterator[str]:
    """Does every declared knob turn, and is every other one refused?"""
    turned: dict[Knob, Any] = {Knob.PRECISION: "float32", Knob.ITERATIONS: 2, Knob.TOLERANCE: 1e-3}
    if testbed.dt > 0:
        turned |= {Knob.STEPS: max(1, testbed.steps // 2), Knob.DT: testbed.dt / 2}
    for knob, setting in turned.items():
        declared = knob in engine.card.knobs
        try:
            guarded = GuardedEngine(engine)
            made = guarded.simulate(testbed, Settings(**{knob.value: setting}))
            made.value_and_grad(testbed.nominal())
        except Unsupported as refusal:
            if declared:
                yield f"the knob '{knob}' is declared, but {setting} is refused: {refusal}"
            continue
        if not declared:
            yield f"the knob '{knob}' is not declared, yet {setting} is not refused"
        elif guarded.non_finite:
            yield f"with {knob} = {setting}, {guarded.non_finite}"
        elif knob is Knob.STEPS and Ability.STEPS in engine.card.abilities:
            shown = len(made.trajectory(testbed.nominal())) - 1
            if shown != setting:
                yield f"with steps = {setting}, the trajectory has {shown} steps"


def _same(one: float | Array, other: float | Array) -> bool:
    """Equal up to `SAME` of the larger entry of the two."""
    a, b = np.asarray(one), np.asarray(other)
    size = max(np.max(np.abs(a), initial=0.0), np.max(np.abs(b), initial=0.0))
    return a.shape == b.shape and bool(np.max(np.abs(a - b), initial=0.0) <= SAME * size)
