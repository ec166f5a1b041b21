"""Every planted fault does what its row of the table says, and nothing else."""

import numpy as np
import pytest

from gradcheck import registry
from gradcheck.checks import CHECKS
from gradcheck.engine import AbstractSimulation, Array, Gradient, Settings, Unsupported
from gradcheck.engines import faulty_gradient, faulty_program, faulty_scene
from gradcheck.engines.closed_form import ClosedForm
from gradcheck.engines.faulty import OTHER_ENGINES, FaultyEngine
from gradcheck.engines.faulty_table import FAULTS, Fault, Mechanism

# MJX takes a minute to compile; its fault is planted on it by the benchmark.
QUICK = {name: fault for name, fault in FAULTS.items() if "mjx" not in fault.testbeds.values()}


def test_the_table_is_complete() -> None:
    planted = {
        Mechanism.GRADIENT: set(faulty_gradient.FAULTS),
        Mechanism.PROGRAM: set(faulty_program.FAULTS),
        Mechanism.SCENE: set(faulty_scene.FAULTS),
        Mechanism.ENGINE: set(OTHER_ENGINES),
    }
    assert len(FAULTS) >= 24
    for mechanism, names in planted.items():
        assert names == {f.name for f in FAULTS.values() if f.mechanism is mechanism}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_row_is_well_formed(fault: Fault) -> None:
    assert fault.summary[0].isupper()
    assert fault.summary.endswith(".")
    assert fault.codes
    assert set(fault.codes) <= {check.code for check in CHECKS}
    assert fault.testbeds
    assert set(fault.testbeds) <= set(registry.testbed_names())


@pytest.mark.parametrize("fault", QUICK.values(), ids=QUICK)
def test_the_loss_is_right_and_the_gradient_is_not(fault: Fault) -> None:
    testbed = registry.testbed(next(iter(fault.testbeds)))
    engine = FaultyEngine(fault.name)
    right = engine.base(testbed.name).simulate(testbed, Settings())
    wrong = engine.simulate(testbed, Settings())
    inputs = testbed.nominal()

    assert engine.card.name == f"faulty:{fault.name}"
    same = 1e-4 if fault.name == "float32_inside" else 1e-12
    assert wrong.value(inputs) == pytest.approx(right.value(inputs), rel=same)
    value, gradient = wrong.value_and_grad(inputs)
    true = right.value_and_grad(inputs)[1]
    if fault.name == "forward_changed":
        assert value != pytest.approx(right.value(inputs), rel=1e-6)
    else:
        assert value == pytest.approx(right.value(inputs), rel=same)
    if fault.name == "missing_toi":
        # Its gradient is right of its program: what is wrong is the card.
        assert _same(gradient, true)
        assert engine.card.contact != engine.base(testbed.name).card.contact
    elif fault.name == "cross_talk":
        assert _same(gradient, true)
        batch = {name: np.stack([array, 1.1 * array]) for name, array in inputs.items()}
        mixed = wrong.values_and_grads(batch)[1]
        assert not _same({name: rows[0] for name, rows in mixed.items()}, true)
    elif fault.name == "accumulated":
        assert _same(gradient, true)
        assert not _same(wrong.value_and_grad(inputs)[1], true)
    elif fault.name == "nan_rare":
        assert _same(gradient, true)
        _rare(wrong, testbed.name)
    elif fault.name == "quaternion_component":
        one = testbed.input("qpos")
        for name, array in gradient.items():
            there, here = testbed.input(name), inputs[name]
            assert there.pull(here, array) == pytest.approx(there.pull(here, true[name]), rel=1e-9)
        assert abs(gradient[one.name][3:] @ one.default[3:]) > 1e-3 * np.abs(true["qpos"]).max()
    else:
        assert not _same(gradient, true)


def _rare(wrong: AbstractSimulation, name: str) -> None:
    """NaN in 2 of 1000 equally spaced points of the probed range."""
    testbed = registry.testbed(name)
    batch = {n: np.repeat(array[None], 1000, axis=0) for n, array in testbed.nominal().items()}
    one = testbed.input("length")
    batch["length"] = batch["length"] + one.scale * (np.arange(1000)[:, None] / 1000 - 0.4995)
    bad = np.isnan(wrong.values_and_grads(batch)[1]["length"]).sum()
    assert bad == 2


def test_a_wrapped_fault_goes_on_any_engine() -> None:
    testbed = registry.testbed("free_fall")
    right = ClosedForm()
    wrong = FaultyEngine("negated", base=right)
    assert _negative(wrong.simulate(testbed, Settings()), right.simulate(testbed, Settings()))
    by_name = FaultyEngine("negated", base="closed_form")
    assert _negative(by_name.simulate(testbed, Settings()), right.simulate(testbed, Settings()))


def _negative(wrong: AbstractSimulation, right: AbstractSimulation) -> bool:
    inputs = registry.testbed("free_fall").nominal()
    true = right.value_and_grad(inputs)[1]
    return all(
        np.array_equal(array, -true[name])
        for name, array in wrong.value_and_grad(inputs)[1].items()
    )


def test_what_cannot_be_planted_is_refused_with_its_reason() -> None:
    with pytest.raises(ValueError, match="no fault is called 'gremlin': choose one of sign_flip"):
        FaultyEngine("gremlin")
    with pytest.raises(Unsupported, match="engines written in JAX; closed_form is none"):
        FaultyEngine("detached_state", base="closed_form")
    engine = FaultyEngine("ctrl_scaled_by_dt", base="closed_form")
    testbed = registry.testbed("free_fall")
    with pytest.raises(Unsupported, match="free_fall has no control"):
        engine.simulate(testbed, Settings()).value_and_grad(testbed.nominal())


def test_single_and_batched_answers_are_spoilt_alike() -> None:
    testbed = registry.testbed("free_fall")
    wrong = FaultyEngine("sign_flip", base="closed_form").simulate(testbed, Settings())
    inputs = testbed.nominal()
    rows = wrong.values_and_grads({n: np.stack([a, a]) for n, a in inputs.items()})[1]
    for name, array in wrong.value_and_grad(inputs)[1].items():
        assert rows[name].tolist() == [array.tolist()] * 2


def _same(one: Gradient, other: Gradient) -> bool:
    def close(a: Array, b: Array) -> bool:
        return bool(np.allclose(a, b, rtol=1e-9, atol=0, equal_nan=True))

    return all(close(one[name], other[name]) for name in other)
