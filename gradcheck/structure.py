"""What a framework shows of how a computation is differentiated."""

from pydantic import Field

from gradcheck.record import Record


class Structure(Record):
    """Of the differentiated computation, or of one step of it, as the framework recorded it.

    source: where this was read, such as "JAX jaxpr of a step". operations: all of them, inner ones
    included. rules: derivative rules that the engine brings of its own, by name and place, with
    the operations that each stands for (0 where that is not shown). solves: linear equations that
    are differentiated as equations, by name, how many. recomputed: computations marked to be made
    again in the backward pass.
    """

    source: str
    operations: int
    rules: dict[str, int] = Field(default_factory=dict)
    solves: dict[str, int] = Field(default_factory=dict)
    recomputed: int = 0

    @property
    def share(self) -> float | None:
        """Part of the operations that own rules stand for; None where that is not shown."""
        if any(count == 0 for count in self.rules.values()):
            return None
        return min(1.0, sum(self.rules.values()) / self.operations) if self.operations else 0.0
