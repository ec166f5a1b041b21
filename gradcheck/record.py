"""The base of every record that is written to or read from JSON."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen and closed: an unknown field is an error, NaN and infinity survive as strings.

    JSON has no NaN; pydantic writes `"NaN"` and `"Infinity"` and reads them back as floats,
    so a non-finite measurement is never turned into null or dropped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
