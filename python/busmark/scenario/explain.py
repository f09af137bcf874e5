"""What is wrong with a scenario: the first error with its file, line and key, and a remedy."""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from busmark.errors import UserError
from busmark.scenario.model import Scenario

Location = Sequence[str | int]
"""Keys, and indexes of lists, from the top of the file."""


Change = tuple[list[str], str]
"""A key that does not come from the file, and the option that it comes from."""


def explained(error: ValidationError, text: str, name: str, changed: Sequence[Change]) -> UserError:
    """The error as the user is told it; `changed` are the keys that came from options."""
    errors = error.errors()
    # A key that is missing may be one that is written wrongly.
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    location = _plain(first["loc"])
    wrong = {tuple(_plain(each["loc"])) for each in errors}
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    message, remedy = _message(first, location)
    return UserError(message + more, where=_where(location, text, name, changed), remedy=remedy)


def _plain(location: Location) -> list[str | int]:
    """Without what is not in the file: marks of keys, and which of a value's types was tried."""
    return [part for part in location if part not in ("[key]", "constrained-int", "str")]


def _message(error: ErrorDetails, location: Location) -> tuple[str, str]:
    key = _shown(location)
    if error["type"] == "extra_forbidden":
        return f"unknown key {key}", _nearest(location)
    if error["type"] == "missing":
        return f"{key} is missing", _meaning(location)
    if error["type"] == "too_short" and error["input"] == []:
        return f"{key}: an empty list makes an empty matrix", "Give at least one value."
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    given = error["input"]
    shown = f", not {given!r}" if isinstance(given, (str, int, float, bool)) else ""
    return f"{key}: {message}{shown}" if key else message, _meaning(location)


def _shown(location: Location) -> str:
    """As matrix.size[1]."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _nearest(location: Location) -> str:
    section = _section(location[:-1]) or Scenario
    known = sorted(section.model_fields)
    near = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"Did you mean {near[0]}?" if near else f"Known keys: {', '.join(known)}."


def _meaning(location: Location) -> str:
    """What the deepest documented key of the location is for."""
    for depth in range(len(location), 0, -1):
        section = _section(location[: depth - 1])
        field = section.model_fields.get(str(location[depth - 1])) if section else None
        if field is not None and field.description:
            return f"{_shown(location[:depth])}: {field.description}."
    return "See docs/reference/scenario.md for all keys."


def _section(location: Location) -> type[BaseModel] | None:
    """The table at this location; None if it is a value."""
    section: type[BaseModel] = Scenario
    named = False
    for part in location:
        if isinstance(part, int) or named:
            named = False
            continue
        field = section.model_fields.get(part)
        inner = _inner(field) if field else None
        if field is None or inner is None:
            return None
        section = inner
        # The user gives the tables of a dictionary their names.
        named = typing.get_origin(field.annotation) is dict
    return section


def _inner(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a table, or of the tables of an array."""
    for kind in (field.annotation, *typing.get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _where(location: Location, text: str, name: str, changed: Sequence[Change]) -> str:
    keys = [part for part in location if isinstance(part, str)]
    for path, option in changed:
        if path[: len(keys)] == keys or keys[: len(path)] == path:
            return option
    for depth in range(len(location), 0, -1):
        line = _find(text, list(location[:depth]))
        if line:
            return f"{name}:{line}"
    return name


def _find(text: str, wanted: list[Any]) -> int | None:
    """The line on which this key or table stands, as far as text search tells."""
    table: list[Any] = []
    arrays: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*(\[+)\s*([\w.\-\"]+)\s*\]+", line)
        pair = re.match(r"\s*([\w.\-\"]+)\s*=", line)
        if header:
            first, *rest = _parts(header[2])
            if header[1] == "[[":
                arrays[first] = arrays.get(first, -1) + 1
            table = [first, *([arrays[first]] if first in arrays else []), *rest]
            path = table
        elif pair:
            path = [*table, *_parts(pair[1])]
        else:
            continue
        if path[: len(wanted)] == wanted:
            return number
    return None


def _parts(key: str) -> list[str]:
    return [part.strip('"') for part in key.split(".")]
