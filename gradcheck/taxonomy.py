"""What was differentiated, how, what was kept, and how contact was treated.

The first two axes span the 3x3 table of the report; retention and contact are read beside it.
"""

from enum import StrEnum


class Referent(StrEnum):
    """The object whose derivative the engine claims to return."""

    EXECUTED = "executed computation"
    CONVERGED = "converged equation"
    CONTINUOUS = "continuous dynamics"


class Realization(StrEnum):
    """How the derivative is organised. `DIFFERENCES` lies outside the 3x3 table."""

    GENERATED = "generated differentiation"
    EQUATION_ADJOINT = "equation-level adjoint"
    CUSTOM_ADJOINT = "custom adjoint"
    DIFFERENCES = "finite differences"


class Retention(StrEnum):
    """How the backward pass gets the states of the forward pass."""

    STORE_ALL = "store all"
    CHECKPOINT = "checkpoint"
    RECOMPUTE = "recompute"
    INVERT = "invert"
    NOTHING = "nothing retained"


class ContactTreatment(StrEnum):
    """How the non-smooth map at contact is treated."""

    EXACT_BRANCH = "exact on the active branch"
    PENALTY = "compliant penalty"
    REGULARISED_CONVEX = "regularised convex"
    COMPLEMENTARITY = "complementarity with an active set"
    SMOOTHED_COMPLEMENTARITY = "smoothed complementarity or barrier"
    POSITION_BASED = "position-based"
    TIME_OF_IMPACT = "event with time of impact"
    RANDOMISED = "randomised smoothing"
    SURROGATE = "surrogate or frozen in the backward pass"
    NONE = "none"


TABLE_ROWS: tuple[Referent, ...] = tuple(Referent)
TABLE_COLUMNS: tuple[Realization, ...] = (
    Realization.GENERATED,
    Realization.EQUATION_ADJOINT,
    Realization.CUSTOM_ADJOINT,
)


def cell(referent: Referent | None, realization: Realization | None) -> tuple[int, int] | None:
    """Row and column of the 3x3 table, or None for a method outside it or not stated."""
    if referent is None or realization not in TABLE_COLUMNS:
        return None
    return TABLE_ROWS.index(referent), TABLE_COLUMNS.index(realization)
