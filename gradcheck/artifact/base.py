"""What every measurement says about itself."""

from gradcheck.record import Record


class Artifact(Record):
    """What every measurement says about itself."""

    engine: str
    testbed: str
    seed: int = 0
    seconds: float = 0.0
