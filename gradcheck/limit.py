"""What a measured value is held against."""

from gradcheck.record import Record


class Limit(Record):
    """The number a value is held against: `if not value <= limit: FAIL`, so NaN fails."""

    value: float
    unit: str
    why: str
