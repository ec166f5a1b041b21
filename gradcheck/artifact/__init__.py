"""Raw measurements, saved as they come. Numbers only: nothing here is judged.

Each artifact belongs to one engine and one testbed. Units are SI; a gradient's unit is that of
the loss over that of its input. Per-coordinate lists run over tangent coordinates.
"""

from typing import Annotated

from pydantic import Field, TypeAdapter

from gradcheck.artifact.agreement import Agreement
from gradcheck.artifact.base import Artifact
from gradcheck.artifact.basics import Basics, Precision, Probes
from gradcheck.artifact.construction import Construction, MemoryRow
from gradcheck.artifact.cost import Cost, CostRow
from gradcheck.artifact.horizon import Horizon, HorizonRow, Ladder, Steps
from gradcheck.artifact.missing import Missing
from gradcheck.artifact.physics import Physics, PhysicsRow
from gradcheck.artifact.referents import ReferentRow, Referents, Setting, Slopes
from gradcheck.artifact.smoothing import Smoothing, SmoothRow
from gradcheck.artifact.sweep import Event, SweepResult

__all__ = [
    "ARTIFACT",
    "Agreement",
    "AnyArtifact",
    "Artifact",
    "Basics",
    "Construction",
    "Cost",
    "CostRow",
    "Event",
    "Horizon",
    "HorizonRow",
    "Ladder",
    "MemoryRow",
    "Missing",
    "Physics",
    "PhysicsRow",
    "Precision",
    "Probes",
    "ReferentRow",
    "Referents",
    "Setting",
    "Slopes",
    "SmoothRow",
    "Smoothing",
    "Steps",
    "SweepResult",
]

AnyArtifact = Annotated[
    Basics
    | Agreement
    | Probes
    | Precision
    | Horizon
    | Steps
    | SweepResult
    | Smoothing
    | Cost
    | Physics
    | Referents
    | Construction
    | Missing,
    Field(discriminator="kind"),
]
ARTIFACT: TypeAdapter[AnyArtifact] = TypeAdapter(AnyArtifact)
