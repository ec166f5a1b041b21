"""A missing time of impact is only blamed where there is an impact."""

import pytest

from gradcheck.checks.gc202_agrees_with_physics import GC202AgreesWithPhysics
from gradcheck.finding import Signature, Verdict
from tests.checks import made_up as m


@pytest.mark.parametrize(
    ("speed", "signature"), [(1.0, Signature.TIME_DISCRETISATION), (0.0, None)]
)
def test_signature_needs_contact(speed: float, signature: Signature | None) -> None:
    halved = {key: [x / 2 for x in entries] for key, entries in m.RIGHT.items()}
    evidence = m.evidence(m.physics(reference=halved), testbed={"speed": speed})
    found = GC202AgreesWithPhysics().judge(evidence)[0]
    assert found.verdict is Verdict.FAIL
    assert found.signature is signature


def test_numbers_are_in_the_unit_of_the_input() -> None:
    evidence = m.evidence(
        m.physics(reference={key: [2 * x for x in v] for key, v in m.RIGHT.items()})
    )
    wide = [one.model_copy(update={"scale": 0.1}) for one in evidence.testbed.inputs]
    scaled = evidence.model_copy(
        update={"testbed": evidence.testbed.model_copy(update={"inputs": wide})}
    )
    one, other = (GC202AgreesWithPhysics().judge(each)[0].message for each in (evidence, scaled))
    assert one == other
