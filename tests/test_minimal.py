"""Which minimum a failure is located at, not only that there is one."""

import ast

from gradcheck.checks import judge
from gradcheck.finding import Where
from gradcheck.minimal import locate, measured_again, snippet
from tests.checks import made_up as m

WRONG = {"x": [m.RIGHT["x"][0] * 1.01, m.RIGHT["x"][1] * 1.5], "p": [m.RIGHT["p"][0] * 1.2]}


def test_the_minimum_is_the_worst_coordinate_shortest_horizon_and_first_step() -> None:
    evidence = m.evidence(
        m.agreement(gradient=WRONG),
        m.steps(first_bad=17),
        m.horizon(m.ladder(lambda n: 1.0 + (n > 17), lambda n: 1.0)),
    )
    assert locate(evidence) == Where(
        first_bad_step=17, shortest_horizon=32, input="x", coordinate=1, label="x[1]"
    )
    assert locate(evidence, "p") == Where(
        first_bad_step=17, shortest_horizon=None, input="p", coordinate=0, label="p[0]"
    )


def test_of_equally_bad_coordinates_the_first_is_taken() -> None:
    nan = {"x": [m.RIGHT["x"][0], float("nan")], "p": [float("nan")]}
    assert locate(m.evidence(m.agreement(gradient=nan))).label == "x[1]"


def test_nan_is_worse_than_any_number() -> None:
    nan = {"x": [9.0, m.P], "p": [float("nan")]}
    assert locate(m.evidence(m.agreement(gradient=nan))).label == "p[0]"


def test_a_right_gradient_has_no_minimum() -> None:
    assert locate(m.evidence()) == Where()


def test_the_snippet_is_python_that_names_the_minimum() -> None:
    where = Where(shortest_horizon=4, input="x", coordinate=1)
    text = snippet(m.evidence(), where)
    assert text == (
        "import gradcheck\n"
        "\n"
        "sim = gradcheck.simulate('made', 'up', steps=4)\n"
        "print(gradcheck.compare(sim, 'x', 1))\n"
    )
    at = {"x": [0.1, 0.2], "p": [3.0]}
    text = snippet(m.evidence(), where.model_copy(update={"shortest_horizon": 64, "at": at}))
    assert "simulate('made', 'up')\n" in text
    assert "compare(sim, 'x', 1, at=at)" in text
    ast.parse(text)


def test_a_snippet_without_a_coordinate_shows_the_loss_and_all_of_the_gradient() -> None:
    text = snippet(m.evidence(), Where())
    assert text.endswith("print(sim.value(), sim.value_and_grad())\n")
    assert "compare(sim, 'x', 0, at=at)" in snippet(m.evidence(), Where(at={"x": [0.1, 0.2]}))


def test_what_one_comparison_cannot_show_is_measured_again() -> None:
    evidence = m.evidence()
    text = measured_again(evidence, "GC501")
    told = evidence.provenance
    (block,) = [one for one in ast.parse(text).body if isinstance(one, ast.With)]
    assert ast.unparse(block.body[0]) == (
        "report = gradcheck.audit(['made'], ['up'], codes=['GC501'], "
        f"profile={told.profile!r}, seed={told.seed}, out=out)"
    )


def test_located_findings_carry_their_snippet() -> None:
    found = judge(m.evidence(m.agreement(gradient=WRONG)))
    wrong = next(one for one in found if one.code == "GC201")
    assert wrong.where is not None
    assert wrong.where.label == "x[1]"
    assert wrong.snippet is not None
    assert "compare(sim, 'x', 1)" in wrong.snippet
    assert all(one.snippet is None for one in judge(m.evidence()))
