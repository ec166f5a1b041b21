"""What may be done about a gradient that explodes, each off unless asked for and named when on.

Pure functions of NumPy or JAX arrays; nothing here loads an engine or JAX. The form that goes into
a rollout under `jax.grad` is `gradcheck.engines.jax_remedies`.
"""

from gradcheck.remedies.backward import Backward, backward
from gradcheck.remedies.clip import Clipped, MedianClip, clip, clip_together
from gradcheck.remedies.remedy import Effect, Remedy, described
from gradcheck.remedies.smooth import StiffnessSchedule
from gradcheck.remedies.truncate import Truncation

__all__ = [
    "Backward",
    "Clipped",
    "Effect",
    "MedianClip",
    "Remedy",
    "StiffnessSchedule",
    "Truncation",
    "backward",
    "clip",
    "clip_together",
    "described",
]
