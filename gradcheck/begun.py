"""The audit that was begun in a folder: what `--resume` goes on with."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from gradcheck import checks, plan, request, target, whole_file
from gradcheck.config import Config
from gradcheck.engine import BadInput
from gradcheck.folder import Folder
from gradcheck.jobs import software
from gradcheck.jobs.order import Order
from gradcheck.jobs.outcome import Limits
from gradcheck.jobs.software import Software
from gradcheck.measure import KINDS
from gradcheck.record import Record
from gradcheck.request import Request, first
from gradcheck.subject import Profile

ANEW = "or start anew without --resume"
MOST = 1e6
"""Seconds, or GiB."""


class Begun(Record):
    """All that decides what is measured and judged. `software` by interpreter ("" is the one that
    measures where no other is named), `files` by path with a digest, `jobs` at once."""

    version: Literal[1] = 1
    orders: tuple[Order, ...] = Field(min_length=1)
    codes: tuple[str, ...]
    limits: Limits
    jobs: int
    command: str
    started: str
    software: dict[str, Software] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    resumed: int = 0

    @classmethod
    def anew(cls, asked: Request) -> Self:
        """What is asked for, worked out. Raises `BadInput` for what cannot be."""
        said = asked.said
        profile = first(asked.profile, said.profile, request.PROFILE)
        if profile not in tuple(Profile):
            raise BadInput(f"unknown profile '{profile}'; there are {' and '.join(Profile)}")
        codes = tuple(checks.by_code(one).code for one in asked.codes or said.codes)
        # The basics are cheap, and an audit that measures nothing has no verdict.
        needed = checks.needed(codes) | {"basics"} if codes else set(KINDS)
        orders = tuple(
            Order(
                engine=engine.name,
                testbed=testbed.name,
                target=engine.target,
                scene=testbed.target,
                python=engine.python,
                measurements=tuple(kind for kind in KINDS if kind in needed),
                seed=first(asked.seed, said.seed, request.SEED),
                profile=profile,
            )
            for engine, testbed in plan.plan(asked.engines, asked.testbeds, asked.config)
        )
        memory = _within(
            "memory limit", first(asked.memory_limit, said.memory_limit, request.MEMORY_LIMIT)
        )
        seconds = _within(
            "time limit", first(asked.time_limit, said.time_limit, request.TIME_LIMIT)
        )
        return cls(
            orders=orders,
            codes=tuple(dict.fromkeys(codes)),
            limits=Limits(
                seconds=seconds,
                memory=int(memory * 2**30),
            ),
            jobs=first(asked.jobs, said.jobs, request.JOBS),
            command=asked.command,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            files=digests(orders),
        )

    @classmethod
    def load(cls, folder: Folder) -> Self:
        """What was begun in the folder. Raises `BadInput`."""
        try:
            return cls.model_validate_json(folder.run.read_bytes())
        except FileNotFoundError:
            raise BadInput(
                f"there is nothing to resume in {folder.path}: name the folder of an audit "
                "with --out, or leave --resume out to begin one"
            ) from None
        except OSError as error:
            raise BadInput(f"cannot read {folder.run}: {error.strerror}") from None
        except ValidationError:
            raise BadInput(
                f"{folder.run} is cut short, or was written by another gradcheck: resume with that "
                f"one, {ANEW}"
            ) from None

    def save(self, folder: Folder) -> None:
        """Write it whole. Raises `BadInput`."""
        whole_file.write(folder.run, self.model_dump_json() + "\n")

    def agree(self, asked: Request) -> None:
        """Raise `BadInput` where something else is asked for than was begun."""
        for option, wanted, had in self._compared(asked):
            if wanted not in (None, "", had):
                before = "left out" if had == "" else had
                raise BadInput(
                    f"the audit in {asked.folder} was begun with {option} {before}, not {wanted}: "
                    f"leave {option} out, {ANEW}"
                )

    def unchanged(self, now: Mapping[str, Software]) -> None:
        """Raise `BadInput` where what measures now is not what measured before."""
        for file, before in self.files.items():
            found = software.digest(file)
            if found != before:
                what = "is gone" if found is None else "has changed"
                raise BadInput(f"{file} {what} since this audit was begun: restore it, {ANEW}")
        for python, then in self.software.items():
            difference = then.difference(now[python]) if python in now else None
            if difference is not None:
                where = f" in {python}" if python else ""
                raise BadInput(
                    f"{difference}{where} since this audit was begun: restore that, {ANEW}"
                )

    def _compared(self, asked: Request) -> Iterable[tuple[str, Any, Any]]:
        """Option, what is asked for, what was begun. None and empty: it is not said."""
        engines = plan.sources(asked.engines, Path(), asked.config or Config())
        yield "--engine", _once(one.name for one in engines), _once(o.engine for o in self.orders)
        yield "--testbed", _once(asked.testbeds), _once(o.testbed for o in self.orders)
        yield "--code", _once(one.upper() for one in asked.codes), _once(self.codes)
        yield "--profile", asked.profile, self.orders[0].profile
        yield "--seed", asked.seed, self.orders[0].seed
        yield "--time-limit", asked.time_limit, self.limits.seconds
        yield "--memory-limit", asked.memory_limit, self.limits.memory / 2**30


def digests(orders: Sequence[Order]) -> dict[str, str]:
    """The users' files that engines and testbeds are made of, and those that these import from
    beside them, with their digests."""
    targets = [one for order in orders for one in (order.target, order.scene)]
    files = [file for one in targets if target.is_target(one) for file in target.files(one)]
    return {file: software.digest(file) or "" for file in dict.fromkeys(files)}


def _within(name: str, value: float) -> float:
    """The limit, if it is one that a system can keep. Raises `BadInput`."""
    if not 0 < value <= MOST:
        raise BadInput(f"a {name} of {value:g} cannot be kept: give more than 0, at most {MOST:g}")
    return value


def _once(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
