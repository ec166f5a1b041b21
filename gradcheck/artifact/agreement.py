"""Step-size curves beside the gradient."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.curve import Curve


class Agreement(Artifact):
    """Step-size curves of the loss along coordinates and random directions, at nominal inputs.

    `truncated` names inputs whose coordinates were sampled, with (measured, total).
    `forward_mode_reason` says why no curve has a derivative by forward mode.
    """

    kind: Literal["agreement"] = "agreement"
    steps: int
    dt: float
    curves: list[Curve]
    truncated: dict[str, tuple[int, int]]
    forward_mode_reason: str | None = None
