"""One directional derivative under solver budgets, beside that of the converged solver."""

from gradcheck.artifact import BudgetRow, Referents
from gradcheck.engine import Knob, Settings, Unsupported
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.subject import Subject

STEPS = step_sizes(-8.0, -3.0, 2)
"""In typical changes. Wide, since an unconverged solver is noisy."""


def measure(subject: Subject) -> Referents:
    """The gradient and the program's own slope at each budget that the engine allows."""
    if not subject.knows(Knob.ITERATIONS):
        raise Unsupported(f"{subject.engine_name} has no knob 'iterations'")
    subject.require_builds()
    rows, refusal = [], ""
    for iterations in subject.budget.iterations:
        try:
            rows.append(_row(subject, iterations))
        except Unsupported as error:
            refusal = str(error)
    if not rows:
        raise Unsupported(refusal)
    return Referents(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        label=subject.joint().label,
        rows=rows,
        converged=rows[-1].difference,
        converged_uncertainty=rows[-1].uncertainty,
    )


def _row(subject: Subject, iterations: int) -> BudgetRow:
    simulation = subject.simulation(Settings(iterations=iterations))
    gradient = subject.gradient_of(simulation)
    (curve,) = sample(subject, simulation, [subject.joint()], STEPS, gradient)
    slope = curve.program()
    return BudgetRow(
        iterations=iterations,
        gradient=curve.gradient,
        difference=slope.value,
        uncertainty=slope.uncertainty,
        residual=simulation.diagnostics(subject.nominal).get("residual"),
    )
