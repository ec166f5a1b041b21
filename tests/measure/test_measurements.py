"""The table of measurements: order, laziness, and that every artifact survives its JSON."""

import subprocess
import sys

import numpy as np
import pytest

from gradcheck.artifact import ARTIFACT
from gradcheck.engine import Unsupported
from gradcheck.measure import KINDS, MEASUREMENTS
from gradcheck.subject import Profile
from gradcheck.testbed import Family, Input, Sweep
from tests.measure.test_horizon import pendulum
from tests.measure.toys import Stepper, bed, subject

BED = bed(
    Input("x", np.array([0.4, 0.3]), scale=0.1),
    dt=0.01,
    steps=30,
    family=Family.CONTACT,
    sweep=Sweep("x", 0, -1.0, 1.0),
)


def test_names_in_order() -> None:
    assert tuple(MEASUREMENTS) == KINDS
    assert KINDS[:4] == ("basics", "agreement", "probes", "precision")
    assert len(KINDS) == 12


def test_the_table_imports_no_measurement() -> None:
    code = (
        "import sys, gradcheck.measure; "
        "print([m for m in sys.modules if m.startswith(('gradcheck.measure.', 'scipy', 'jax'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", KINDS)
def test_artifacts_survive_their_json(kind: str) -> None:
    if kind == "precision":
        with pytest.raises(Unsupported):
            MEASUREMENTS[kind](subject(Stepper(pendulum), BED))
        return
    artifact = MEASUREMENTS[kind](subject(Stepper(pendulum), BED))
    assert artifact.kind == kind
    assert (artifact.engine, artifact.testbed, artifact.seed) == ("toy", "toy", 0)
    again = ARTIFACT.validate_json(artifact.model_dump_json())
    assert again.model_dump_json() == artifact.model_dump_json()


@pytest.mark.parametrize("kind", ["agreement", "probes", "horizon", "sweep", "physics"])
def test_the_same_seed_gives_the_same_numbers(kind: str) -> None:
    one, two = (
        MEASUREMENTS[kind](subject(Stepper(pendulum), BED, 7)).model_dump_json() for _ in range(2)
    )
    assert one == two


def test_the_full_profile_runs() -> None:
    full = subject(Stepper(pendulum), BED, profile=Profile.FULL)
    for kind in ("agreement", "horizon", "sweep"):
        assert MEASUREMENTS[kind](full).kind == kind
