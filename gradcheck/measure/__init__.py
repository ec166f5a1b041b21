"""Engine -> artifact: raw numbers, not judged. One file per method."""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcheck.artifact import AnyArtifact
    from gradcheck.subject import Subject

KINDS = (
    "basics",
    "agreement",
    "probes",
    "precision",
    "horizon",
    "steps",
    "sweep",
    "smoothing",
    "cost",
    "physics",
    "referents",
    "construction",
)


def _measurement(kind: str) -> "Callable[[Subject], AnyArtifact]":
    """`measure` of that file, which is imported when it is first called."""

    def measure(subject: "Subject") -> "AnyArtifact":
        found: Callable[[Subject], AnyArtifact] = importlib.import_module(
            f"gradcheck.measure.{kind}"
        ).measure
        return found(subject)

    return measure


MEASUREMENTS: "dict[str, Callable[[Subject], AnyArtifact]]" = {
    kind: _measurement(kind) for kind in KINDS
}
"""Every measurement by its artifact's `kind`, in the order in which they are made.

Each raises `Unsupported` with the reason where the engine cannot be measured so.
"""
