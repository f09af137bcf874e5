"""What is wrong with a scenario: every error with its file, line and key, and a remedy."""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from busmark.errors import UserError, together
from busmark.plugin import absent, switched_off
from busmark.scenario.model import Scenario

Location = Sequence[str | int]
"""Keys, and indexes of lists, from the top of the file."""


TRIED = re.compile(r"\[key\]|str|constrained-\w+|literal\[.*\]")
"""Parts of a location that are not in the file."""

Change = tuple[list[str], str]
"""A key that does not come from the file, and the option that it comes from."""

Located = tuple[int, UserError]
"""An error and its line, 0 where it has none."""


def explained(
    error: ValidationError | None,
    text: str,
    name: str,
    changed: Sequence[Change],
    further: Sequence[Located] = (),
) -> UserError:
    """Return all errors, with `further` ones, in the order of their lines; `changed` are the keys
    that came from options."""
    # Each of the types that a value may have was tried: the first one's message is enough.
    first: dict[tuple[str | int, ...], ErrorDetails] = {}
    whole: list[ErrorDetails] = []
    for each in error.errors() if error else ():
        if each["loc"]:
            # The file has no marks of keys, and does not say which type was tried.
            parts = (part for part in each["loc"] if not TRIED.fullmatch(str(part)))
            first.setdefault(tuple(parts), each)
        else:
            whole.append(each)
    found = [*further]
    for location, each in [*first.items(), *(((), each) for each in whole)]:
        if each["type"] == "missing" and _misspelt(location, first):
            continue
        # A further matrix has what it does not name from the first, mistakes included.
        if location[:1] == ("also",) and ("matrix", *location[2:]) in first:
            continue
        message, remedy = _message(each, location)
        where, line = place(_key_of(each, location), text, name, changed)
        found.append((line, UserError(message, where=where, remedy=remedy)))
    wrong = [each for _, each in sorted(found, key=lambda one: one[0])]
    return together(wrong, name)


def _key_of(error: ErrorDetails, location: Location) -> Location:
    """Add the key with which the message of a whole table begins: `max = 5 is below min = 10`."""
    section, found = _section(location), re.match(r"(?:.*error, )?([a-z_.]+)", error["msg"])
    keys = found[1].split(".") if found else [""]
    return [*location, *keys] if section and keys[0] in section.model_fields else location


def _misspelt(missing: Location, wrong: Mapping[tuple[str | int, ...], ErrorDetails]) -> bool:
    """Return whether a missing key is likely one of the unknown keys of its table, written
    wrongly."""
    siblings = [
        str(location[-1])
        for location, each in wrong.items()
        if each["type"] == "extra_forbidden" and location[:-1] == missing[:-1]
    ]
    return bool(difflib.get_close_matches(str(missing[-1]), siblings))


def _message(error: ErrorDetails, location: Location) -> tuple[str, str]:
    key = key_text(location)
    if error["type"] == "extra_forbidden":
        if owner := switched_off(lambda plugin: any(own.name == key for own in plugin.keys)):
            needed = absent(owner, key)
            return f"{key} {needed.message}", needed.remedy
        return f"unknown key {key}", _nearest(location)
    if error["type"] == "missing":
        return f"{key} is missing", _meaning(location)
    if error["type"] == "too_short" and error["input"] == []:
        return f"{key}: an empty list makes an empty matrix", "Give at least one value."
    if error["type"] == "model_type" and (section := _section(location)):
        keys = ", ".join(sorted(section.model_fields))
        return f"{key} is a table, not a value", f"Write [{key}], and below it its keys: {keys}."
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    given = error["input"]
    message, _, written = message.partition("\n")
    plain = isinstance(given, (str, int, float, bool)) and repr(given) not in message
    shown = f", not {given!r}" if plain else ""
    remedy = written or _meant(error) or _meaning(_key_of(error, location))
    return f"{key}: {message}{shown}" if key else message, remedy


def _meant(error: ErrorDetails) -> str:
    """Return what the value may have been meant to be; empty if nothing is like it."""
    given = error["input"]
    if not isinstance(given, str):
        return ""
    words: list[str] = []
    if error["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
    elif error["type"] == "value_error":
        # The message says which words there are.
        words = re.findall(r"[a-z_]{3,}", error["msg"].replace(repr(given), ""))
    near = difflib.get_close_matches(given, words, n=1, cutoff=0.7)
    return f"Did you mean {near[0]}?" if near else ""


def key_text(location: Location) -> str:
    """Return the key as text, such as matrix.size[1]."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _nearest(location: Location) -> str:
    """Suggest keys of the table that are spelt alike, and keys of this name in other tables."""
    section, wanted = _section(location[:-1]) or Scenario, str(location[-1])
    known = sorted(section.model_fields)
    below = [path for path in _paths(section) if path.endswith(f".{wanted}")]
    near = difflib.get_close_matches(wanted, known, n=1) + below
    if not near:
        near = [path for path in _paths(Scenario) if f".{path}".endswith(f".{wanted}")]
    near = [f"[{path}]" if _section(path.split(".")) else path for path in near]
    return f"Did you mean {' or '.join(near)}?" if near else f"Known keys: {', '.join(known)}."


@cache
def _paths(section: type[BaseModel]) -> tuple[str, ...]:
    """Return all keys of a table and of the tables in it, such as matrix.qos.depth."""
    found = []
    for key, field in section.model_fields.items():
        found.append(key)
        inner = _inner(field)
        if inner is not None and typing.get_origin(field.annotation) not in (dict, list):
            found += [f"{key}.{path}" for path in _paths(inner)]
    return tuple(found)


def _meaning(location: Location) -> str:
    """Return what the deepest documented key of the location is for."""
    for depth in range(len(location), 0, -1):
        section = _section(location[: depth - 1])
        field = section.model_fields.get(str(location[depth - 1])) if section else None
        if field is not None and field.description:
            return f"{key_text(location[:depth])}: {field.description}."
    return "See docs/reference/scenario.md for all keys."


def _section(location: Location) -> type[BaseModel] | None:
    """Return the model of the table at this location; None if it is a value."""
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
    """Return the model of a table, or of the tables of an array; None: it is neither."""
    for kind in (field.annotation, *typing.get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def place(location: Location, text: str, name: str, changed: Sequence[Change]) -> tuple[str, int]:
    """Return the file with the line, or the option; and the line, 0 where there is none."""
    keys = [part for part in location if isinstance(part, str)]
    for path, option in changed:
        if path[: len(keys)] == keys or keys[: len(path)] == path:
            return option, 0
    for depth in range(len(location), 0, -1):
        line = _find(text, list(location[:depth]))
        if line:
            return f"{name}:{line}", line
    return name, 0


def _find(text: str, wanted: list[Any]) -> int | None:
    """Search the text for the line of this key or table; None: the search does not find it."""
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
