"""What all tables of a scenario file have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model

from busmark.model.parameter import Parameter


class Section(BaseModel):
    """A table of the file: unknown keys and values of a wrong type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def table(rows: Iterable[Parameter]) -> Any:
    """Return the base of a table with a value of each parameter; one without an initial value must
    be there, unless it may be null."""
    fields: dict[str, Any] = {}
    for each in rows:
        optional = each.initial is not None or type(None) in get_args(each.asked)
        default = each.initial if optional else ...
        fields[each.name] = (each.asked, Field(default=default, description=each.meaning))
    return create_model("Table", __base__=Section, **fields)
