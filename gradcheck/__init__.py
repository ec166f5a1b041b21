"""Audit the gradients of differentiable physics engines.

The public names, each imported from here. Nothing is loaded before it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcheck import testing as testing
    from gradcheck.api import CheckResult as CheckResult
    from gradcheck.api import Simulated as Simulated
    from gradcheck.api import WrongGradient as WrongGradient
    from gradcheck.api import audit as audit
    from gradcheck.api import check as check
    from gradcheck.api import compare as compare
    from gradcheck.api import simulate as simulate
    from gradcheck.comparison import Comparison as Comparison
    from gradcheck.engine import Ability as Ability
    from gradcheck.engine import AbstractEngine as AbstractEngine
    from gradcheck.engine import AbstractSimulation as AbstractSimulation
    from gradcheck.engine import BadInput as BadInput
    from gradcheck.engine import EngineCard as EngineCard
    from gradcheck.engine import Knob as Knob
    from gradcheck.engine import Settings as Settings
    from gradcheck.engine import Unsupported as Unsupported
    from gradcheck.engines.jax_program import JaxEngine as JaxEngine
    from gradcheck.engines.jax_program import Program as Program
    from gradcheck.finding import Finding as Finding
    from gradcheck.finding import Signature as Signature
    from gradcheck.finding import Verdict as Verdict
    from gradcheck.finding import Where as Where
    from gradcheck.report import Report as Report
    from gradcheck.scene import Balls as Balls
    from gradcheck.scene import Equations as Equations
    from gradcheck.scene import Field as Field
    from gradcheck.scene import Formula as Formula
    from gradcheck.scene import Mjcf as Mjcf
    from gradcheck.scene import Plane as Plane
    from gradcheck.taxonomy import ContactTreatment as ContactTreatment
    from gradcheck.taxonomy import Realization as Realization
    from gradcheck.taxonomy import Referent as Referent
    from gradcheck.taxonomy import Retention as Retention
    from gradcheck.testbed import Family as Family
    from gradcheck.testbed import Input as Input
    from gradcheck.testbed import Sweep as Sweep
    from gradcheck.testbed import Testbed as Testbed
    from gradcheck.testbed import Truth as Truth

_HOME = {
    "gradcheck.api": (
        "CheckResult",
        "Simulated",
        "WrongGradient",
        "audit",
        "check",
        "compare",
        "simulate",
    ),
    "gradcheck.comparison": ("Comparison",),
    "gradcheck.engine": (
        "Ability",
        "AbstractEngine",
        "AbstractSimulation",
        "BadInput",
        "EngineCard",
        "Knob",
        "Settings",
        "Unsupported",
    ),
    "gradcheck.engines.jax_program": ("JaxEngine", "Program"),
    "gradcheck.finding": ("Finding", "Signature", "Verdict", "Where"),
    "gradcheck.report": ("Report",),
    "gradcheck.scene": ("Balls", "Equations", "Field", "Formula", "Mjcf", "Plane"),
    "gradcheck.taxonomy": ("ContactTreatment", "Realization", "Referent", "Retention"),
    "gradcheck.testbed": ("Family", "Input", "Sweep", "Testbed", "Truth"),
}
_MODULES = {name: module for module, names in _HOME.items() for name in names}

__all__ = [*_MODULES, "__version__", "testing"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found = getattr(importlib.import_module(_MODULES[name]), name)
    elif name == "testing":
        found = importlib.import_module("gradcheck.testing")
    elif name == "__version__":
        found = _version()
    else:
        raise AttributeError(f"module 'gradcheck' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gradcheck")
    except PackageNotFoundError:
        return "0+unknown"
