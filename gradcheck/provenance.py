"""What is needed to run measurements again: versions, machine, seed, command."""

import os
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from gradcheck.evidence import Provenance
from gradcheck.jobs import software
from gradcheck.jobs.order import Ready


def device() -> str:
    """Where this process computes: JAX's first device if JAX is loaded, else the processor."""
    if (jax := sys.modules.get("jax")) is not None:
        return str(jax.devices()[0].device_kind)
    return platform.machine()


def provenance(
    *,
    seed: int,
    profile: str,
    command: str = "",
    started: str = "",
    settings: Mapping[str, str] | None = None,
    readies: Sequence[Ready] | None = None,
) -> Provenance:
    """The provenance of what child processes said when they were ready, or of this process.

    command: how to run it again, by default the command line of this process; started: ISO 8601
    time, by default now.
    """
    versions = dict(software.installed()) if readies is None else {}
    pythons, devices, precisions = set(), set(), set()
    for ready in readies or ():
        versions |= ready.versions
        pythons.add(ready.python)
        devices.add(ready.device)
        precisions.add(str(ready.card.precision))
    if readies is None:
        devices.add(device())
    return Provenance(
        versions=dict(sorted(versions.items())),
        platform=platform.platform(),
        python=", ".join(sorted(pythons)) or platform.python_version(),
        device=", ".join(sorted(devices)) or "none",
        cores=os.cpu_count() or 1,
        precision=", ".join(sorted(precisions)) or "float64",
        seed=seed,
        profile=profile,
        command=command or shlex.join(sys.argv),
        started=started or datetime.now(UTC).isoformat(timespec="seconds"),
        settings=dict(settings or {}),
    )
