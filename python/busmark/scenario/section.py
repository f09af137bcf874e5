"""What all tables of a scenario file have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of the file: unknown keys and values of a wrong type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
