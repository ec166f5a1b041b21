"""The place of an event on a sweep is told in the input's own entries."""

from gradcheck.checks.gc401_jumps_and_kinks import GC401JumpsAndKinks
from gradcheck.evidence import InputRecord
from tests.checks import made_up as m


def test_behind_a_quaternion_the_entry_is_not_the_tangent_coordinate() -> None:
    rotation = [f"qpos[0:4].{axis}" for axis in "xyz"]
    joint = InputRecord(
        name="qpos",
        labels=[*rotation, "qpos[4]"],
        scale=1.0,
        reach=1.0,
        unit="",
        nominal=[1.0, 0.0, 0.0, 0.0, 0.7],
    )
    jump = m.sweep(events=[m.event(1.0, 1.0, 1.0, jump=0.5)])
    swept = jump.model_copy(update={"input": "qpos", "index": 3, "label": "qpos[4]"})
    evidence = m.evidence(swept)
    testbed = evidence.testbed.model_copy(update={"inputs": [*evidence.testbed.inputs, joint]})
    found = GC401JumpsAndKinks().judge(evidence.model_copy(update={"testbed": testbed}))
    where = found[0].where
    assert where is not None
    assert where.at == {"qpos": [1.0, 0.0, 0.0, 0.0, 0.4]}
