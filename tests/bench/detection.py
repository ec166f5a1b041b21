"""Does the audit catch every planted fault, and does it leave right engines alone?

    python -m tests.bench.detection [--seeds 20] [--fault-seeds 1] [--faults NAME,…]
        [--engines NAME,…] [--only planted|controls] [--quick] [--jobs 2] [--out FILE.json]

Beside it, on the same cases: `jax.test_util.check_grads`, `scipy.optimize.check_grad` and, if
installed, `torch.autograd.gradcheck`. `--engines` keeps the cases on those right engines. `--quick`
takes each fault on its first testbed and two seeds. Exit 1 where a fault is missed under its own
code, or a control is not left alone.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import joblib
from rich.console import Console
from rich.table import Table

from gradcheck.engines.faulty_table import FAULTS
from tests.bench.controls import CONTROLS, Control, Quiet, control
from tests.bench.others import Answer, checkers
from tests.bench.planted import Planted, cases, plant

R = TypeVar("R")
SEEDS = 10


def main() -> int:
    """Run both parts, print them, and say whether anything is wrong."""
    options = _options()
    begin = time.perf_counter()
    planted_cases, seeds = _planted_cases(options), range(2 if options.quick else options.seeds)
    # All seeds of a control in one process, which compiles its programs once
    controls = [(one, seeds[k : k + SEEDS]) for one in _controls(options) for k in seeds[::SEEDS]]
    run = joblib.Parallel(n_jobs=options.jobs, return_as="generator", batch_size=1)
    planted: list[Planted] = _followed(
        run(
            joblib.delayed(plant)(*case, seed=seed)
            for case in planted_cases
            for seed in range(options.fault_seeds)
        ),
        len(planted_cases) * options.fault_seeds,
    )
    groups: list[list[Quiet]] = _followed(
        run(joblib.delayed(_control)(*case) for case in controls), len(controls)
    )
    quiet = [one for group in groups for one in group]
    console = Console(width=max(Console().width, 120))
    console.print(_planted_table(planted), _quiet_table(quiet))
    missed = [one for one in planted if not one.caught]
    alarms = [one for one in quiet if one.alarms]
    for one in missed:
        console.print(f"[red]missed[/] {one.fault} on {one.testbed}: {one.message} {one.problem}")
    for case in alarms:
        told = "; ".join(case.alarms)
        console.print(f"[red]alarm[/] {case.engine} on {case.testbed}, seed {case.seed}: {told}")
    _summary(console, planted, quiet)
    console.print(f"{time.perf_counter() - begin:.0f} s")
    if options.out is not None:
        raw = {"planted": [asdict(p) for p in planted], "controls": [asdict(q) for q in quiet]}
        options.out.write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")
    return int(bool(missed or alarms))


def _followed(results: Iterable[R], total: int) -> list[R]:
    """The results, each told on standard error as it comes."""
    found = []
    begin = time.perf_counter()
    for one in results:
        found.append(one)
        seconds = time.perf_counter() - begin
        told = "; ".join(map(str, one)) if isinstance(one, list) else str(one)
        print(f"[{len(found)}/{total}] {seconds:.0f} s {told}", file=sys.stderr)
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = lambda text: [one for one in text.split(",") if one]  # noqa: E731
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--fault-seeds", type=int, default=1, help="seeds for each planted fault")
    parser.add_argument("--faults", type=names, default=[])
    parser.add_argument("--engines", type=names, default=[])
    parser.add_argument("--only", choices=("planted", "controls"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if unknown := sorted(set(options.faults) - set(FAULTS)):
        parser.error(f"unknown fault {unknown[0]!r}; the faults are {', '.join(FAULTS)}")
    return options


def _planted_cases(options: argparse.Namespace) -> list[tuple[str, str, str]]:
    if options.only == "controls":
        return []
    chosen = [
        (base, testbed, fault)
        for base, testbed, fault in cases()
        if (not options.faults or fault in options.faults)
        and (not options.engines or base in options.engines)
    ]
    if options.quick:
        chosen = [case for case in chosen if case[1] == next(iter(FAULTS[case[2]].testbeds))]
    return chosen


def _controls(options: argparse.Namespace) -> list[Control]:
    """All, those on the chosen engines, or none where only faults were asked for."""
    if options.only == "planted":
        return []
    if options.engines:
        return [one for one in CONTROLS if one.engine in options.engines]
    return [] if options.faults else list(CONTROLS)


def _control(case: Control, seeds: Sequence[int]) -> list[Quiet]:
    return [control(case, seed) for seed in seeds]


def _planted_table(planted: Sequence[Planted]) -> Table:
    table = Table(title="Planted faults")
    for column in ("fault", "testbed", "on", "right code", "also", "signature", "where"):
        table.add_column(column)
    for name in checkers():
        table.add_column(name)
    for one in planted:
        right = f"[green]{one.codes[0]}[/]" if one.caught else f"[red]missed {one.codes[0]}[/]"
        also = ", ".join(code for code in one.failed if code != one.codes[0])
        named = {None: "", True: "[green]named[/]", False: "[yellow]other[/]"}[one.named]
        table.add_row(
            one.fault, one.testbed, one.base, right, also, named, _where(one.where),
            *(_caught(one.others[name][0]) for name in checkers()),
        )  # fmt: skip
    return table


def _where(where: dict[str, Any] | None) -> str:
    if not where:
        return ""
    short = {"first_bad_step": "step", "shortest_horizon": "horizon", "label": ""}
    return ", ".join(f"{short[key]} {where[key]}".strip() for key in short if key in where)


def _caught(answer: Answer) -> str:
    return {Answer.WRONG: "caught", Answer.RIGHT: "[red]missed[/]"}.get(answer, f"[red]{answer}[/]")


def _quiet_table(quiet: Sequence[Quiet]) -> Table:
    table = Table(title="Controls: false alarms over seeds")
    for column in ("engine", "testbed", "seeds", "checks passed", "gradcheck", *checkers()):
        table.add_column(column)
    groups: dict[tuple[str, str], list[Quiet]] = {}
    for one in quiet:
        groups.setdefault((one.engine, one.testbed), []).append(one)
    for (engine, testbed), rows in groups.items():
        own = sum(bool(one.alarms) for one in rows)
        others = [_count(rows, name) for name in checkers()]
        counts = sorted({len(one.passed) for one in rows})
        passed = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        own_text = f"[red]{own}[/]" if own else "0"
        table.add_row(engine, testbed, str(len(rows)), passed, own_text, *others)
    return table


def _count(rows: Sequence[Quiet], name: str) -> str:
    answers = [one.others[name][0] for one in rows]
    alarms, cannot = answers.count(Answer.WRONG), answers.count(Answer.CANNOT)
    return f"{alarms}" + (f" ({cannot} cannot be asked)" if cannot else "")


def _summary(console: Console, planted: Sequence[Planted], quiet: Sequence[Quiet]) -> None:
    table = Table(title="Summary")
    for column in ("", "caught", "of planted", "false alarms", "of controls"):
        table.add_column(column)
    expected = [one.named for one in planted if one.named is not None]
    caught = sum(one.caught for one in planted)
    any_code = sum(bool(set(one.codes) & set(one.failed)) for one in planted)
    table.add_row(
        "gradcheck", f"{caught} under the right code, {any_code} under any", str(len(planted)),
        str(sum(bool(one.alarms) for one in quiet)), str(len(quiet)),
    )  # fmt: skip
    for name in checkers():
        answers = [one.others[name][0] for one in planted]
        alarms = [one.others[name][0] for one in quiet]
        table.add_row(
            name, str(answers.count(Answer.WRONG)), str(len(planted)),
            str(alarms.count(Answer.WRONG)), str(len(quiet)),
        )  # fmt: skip
    console.print(table)
    if planted:
        console.print(
            f"{100 * caught / len(planted):.1f} % of planted faults caught under the right code; "
            f"{sum(expected)} of {len(expected)} expected signatures named"
        )


if __name__ == "__main__":
    sys.exit(main())
