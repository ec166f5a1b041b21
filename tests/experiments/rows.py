"""Made-up rows of the experiment of the cells."""

from typing import Any

from gradcheck.experiments.cells_record import Cells, Error, Row
from gradcheck.taxonomy import Realization, Referent, Retention
from tests.checks.made_up import PROVENANCE


def row(engine: str, error: float, memory: float | None, **changes: Any) -> Row:
    """One with that error against the program, and ten times that against the equation."""
    fields: dict[str, Any] = {
        "engine": engine,
        "referent": Referent.EXECUTED,
        "realization": Realization.GENERATED,
        "retention": Retention.STORE_ALL,
        "keep": "all",
        "iterations": 3,
        "steps": 16,
        "errors": {
            Referent.EXECUTED: Error(median=error, worst=error, floor=1e-10),
            Referent.CONVERGED: Error(median=10 * error, worst=20 * error, floor=1e-10),
        },
        "unknown": {Referent.CONTINUOUS: "the testbed states no truth"},
        "memory": memory,
        "forward": 1e-3,
        "forward_spread": 1e-5,
        "backward": 4e-3,
        "backward_spread": 1e-4,
    }
    return Row(**{**fields, **changes})


def failed(engine: str, outcome: str) -> Row:
    return Row(
        engine=engine,
        referent=None,
        realization=None,
        retention=None,
        keep="all",
        iterations=3,
        steps=16,
        outcome=outcome,
    )


def found(*rows: Row) -> Cells:
    return Cells(
        testbed="toy",
        command="gradcheck experiment cells",
        seeds=[0, 1, 2],
        provenance=PROVENANCE,
        rows=list(rows),
    )
