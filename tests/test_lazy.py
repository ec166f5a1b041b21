"""Importing the package and asking for help loads nothing heavy."""

import subprocess
import sys

import pytest

import gradcheck

HEAVY = ("jax", "mujoco", "matplotlib", "pandas", "scipy", "torch", "numpy", "pydantic")


@pytest.mark.parametrize("module", ["gradcheck", "gradcheck.cli"])
def test_import_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert module in loaded
    assert not [name for name in HEAVY if name in loaded]


def test_every_public_name_can_be_had() -> None:
    for name in gradcheck.__all__:
        assert getattr(gradcheck, name) is not None
        assert name in dir(gradcheck)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = gradcheck.no_such_name
