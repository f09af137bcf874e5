"""What all tables of a scenario file have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, create_model, field_validator

from busmark.model import units
from busmark.model.parameter import Parameter


class Section(BaseModel):
    """A table of the file: unknown keys and values of a wrong type are errors. Sizes, rates, times
    and shares may be texts with a unit."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _with_unit(cls, value: Any, info: ValidationInfo) -> Any:
        of = units.of_key(info.field_name or "")
        if of is None:
            return value
        if isinstance(value, list):
            return [_amount(part, *of) for each in value for part in _typed(each)]
        parts = _typed(value)
        return [_amount(part, *of) for part in parts] if len(parts) > 1 else _amount(value, *of)


def _typed(value: Any) -> list[Any]:
    """The amounts of a list as people type it, `64,1k`; `uniform(64, 1k)` stays one value."""
    if not isinstance(value, str) or not units.begins_with_number(value):
        return [value]
    return [part.strip() for part in value.split(",")]


def _amount(value: Any, kind: str, scale: float) -> Any:
    if not isinstance(value, str) or not units.begins_with_number(value):
        return value
    return units.read_size(value) if kind == "size" else units.read(value, kind) * scale


def table(rows: Iterable[Parameter]) -> Any:
    """Return the base of a table with a value of each parameter; one without an initial value must
    be there, unless it may be null."""
    fields: dict[str, Any] = {}
    for each in rows:
        optional = each.initial is not None or type(None) in get_args(each.asked)
        default = each.initial if optional else ...
        fields[each.name] = (each.asked, Field(default=default, description=each.meaning))
    return create_model("Table", __base__=Section, **fields)
