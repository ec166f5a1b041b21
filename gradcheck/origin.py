"""Where an audit's numbers come from, as far as that can change them."""

import re
from collections.abc import Collection
from typing import Self

from gradcheck.record import Record
from gradcheck.report import Report

NO_NUMBERS = ("time limit (s)", "memory limit (bytes)")
"""Settings that may cut a measurement short, and change no number of it."""

KERNEL = re.compile(r"^(\w+)-.*-(?=(?:x86_64|aarch64|arm64|AMD64)\b)")
"""Of `platform.platform()`: a kernel's release changes no number, and changes weekly."""


class Origin(Record):
    """Provenance without times, names of machines and limits. `engines`: their versions."""

    versions: dict[str, str]
    engines: dict[str, str]
    platform: str
    python: str
    device: str
    cores: int
    precision: str
    seed: int
    profile: str
    settings: dict[str, str]

    @classmethod
    def of(cls, report: Report) -> Self:
        """That of a report."""
        made = report.provenance
        engines = {one.engine: one.card.version for one in report.evidence}
        return cls(
            versions=dict(sorted(made.versions.items())),
            engines=dict(sorted(engines.items())),
            platform=KERNEL.sub(r"\1-", made.platform),
            python=made.python,
            device=made.device,
            cores=made.cores,
            precision=made.precision,
            seed=made.seed,
            profile=made.profile,
            settings={
                name: text for name, text in sorted(made.settings.items()) if name not in NO_NUMBERS
            },
        )

    def changes(self, new: "Origin") -> list[str]:
        """Every entry that is another in the new one: `version jax 0.10.1 -> 0.10.2`."""
        # An engine that only one of them has is told as missing, or new.
        engines = self.engines.keys() & new.engines.keys()
        before, now = self._flat(engines), new._flat(engines)
        return [
            f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}"
            for name in dict.fromkeys([*before, *now])
            if before.get(name) != now.get(name)
        ]

    def _flat(self, engines: Collection[str]) -> dict[str, str]:
        """Every entry, and the versions of these engines, by a name that a reader knows."""
        tables = {
            "version": self.versions,
            "engine": {name: text for name, text in self.engines.items() if name in engines},
            "setting": self.settings,
        }
        flat = {
            f"{kind} {key}": text for kind, table in tables.items() for key, text in table.items()
        }
        for name in ("platform", "python", "device", "cores", "precision", "seed", "profile"):
            flat[name] = str(getattr(self, name))
        return flat
