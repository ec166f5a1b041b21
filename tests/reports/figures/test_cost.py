"""The cost figure: time always, memory only where an engine tells it."""

import math

from gradcheck.artifact import Cost, CostRow
from gradcheck.reports.figures.cost import cost


def artifact(*memories: tuple[float | None, float | None]) -> Cost:
    rows = [
        CostRow(
            steps=10 * (place + 1),
            forward=0.1,
            backward=0.4,
            forward_bytes=forward,
            backward_bytes=backward,
        )
        for place, (forward, backward) in enumerate(memories)
    ]
    return Cost(engine="e", testbed="t", rows=rows, input_count=1)


def test_without_memory_there_is_one_figure() -> None:
    (time,) = cost(artifact((None, None), (None, None)))
    assert [list(one.y) for one in time.series] == [[0.1, 0.1], [0.4, 0.4]]
    assert list(time.series[0].x) == [10.0, 20.0]


def test_memory_that_is_not_told_leaves_a_gap() -> None:
    _, memory = cost(artifact((1.0, 2.0), (None, 4.0), (None, None)))
    forward, backward = memory.series
    assert list(backward.y) == [2.0, 4.0]
    assert forward.y[0] == 1.0
    assert math.isnan(forward.y[1])


def test_nothing_timed_gives_no_figure() -> None:
    assert cost(artifact()) == []
