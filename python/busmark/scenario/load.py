"""From a TOML file to a `Scenario`, with errors that name file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from busmark.errors import UserError
from busmark.scenario.model import Matrix, Scenario


def load(path: Path, settings: list[str] | None = None) -> tuple[Scenario, str]:
    """The scenario of a file with `KEY=VALUE` settings applied, and the file's own text."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError("no such scenario file", where=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot be read as text ({error})", where=str(path)) from None
    return parse(text, str(path), settings or []), text


def parse(text: str, name: str, settings: list[str]) -> Scenario:
    """The scenario in `text`; `name` is what errors call it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"not TOML: {error}", where=name, remedy="See docs/reference/scenario.md for examples."
        ) from None
    for setting in settings:
        _apply(data, setting)
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise _explained(error, text, name) from None


def _apply(data: dict[str, Any], setting: str) -> None:
    key, separator, value = setting.partition("=")
    if not separator or not key:
        raise UserError(
            f"{setting!r} is not KEY=VALUE",
            where="--set",
            remedy="Write for example --set measure.duration_s=1 or --set 'matrix.size=[32, 1024]'.",
        )
    try:
        parsed: Any = tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        # A bare word is a text: --set matrix.adapter=udp.
        parsed = value
    *path, last = key.strip().split(".")
    table: Any = data
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UserError(f"{part} is not a table", where=f"--set {key}")
    table[last] = parsed


def _explained(error: ValidationError, text: str, name: str) -> UserError:
    """The first error, with its line and, for an unknown key, the nearest known one."""
    first = error.errors()[0]
    location = [part for part in first["loc"] if part not in ("[key]",)]
    key = ".".join(str(part) for part in location)
    line = _line_of(text, location)
    where = f"{name}:{line}" if line else name
    others = len(error.errors()) - 1
    more = f" (and {others} more)" if others else ""
    if first["type"] == "extra_forbidden":
        known = _known_keys(location[:-1])
        near = difflib.get_close_matches(str(location[-1]), known, n=1)
        remedy = f"Did you mean {near[0]}?" if near else f"Known keys: {', '.join(known)}."
        return UserError(f"unknown key {key}{more}", where=where, remedy=remedy)
    if first["type"] == "missing":
        return UserError(f"{key} is missing{more}", where=where)
    message = first["msg"].removeprefix("Value error, ")
    given = first.get("input")
    shown = f", not {given!r}" if isinstance(given, (str, int, float, bool)) else ""
    if first["type"] == "too_short" and given == []:
        message, shown = "an empty list makes an empty matrix; give at least one value", ""
    return UserError(f"{key}: {message}{shown}{more}", where=where)


def _known_keys(location: list[Any]) -> list[str]:
    """Keys of the section at this location."""
    model: type[BaseModel] = Scenario
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None:
            return sorted(Matrix.model_fields)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            model = field.annotation
    return sorted(model.model_fields)


def _line_of(text: str, location: list[Any]) -> int | None:
    """The line on which the deepest named key of the location stands, as far as text search tells."""
    names = [str(part) for part in location if isinstance(part, str)]
    for depth in range(len(names), 0, -1):
        line = _find_key(text, names[:depth])
        if line:
            return line
    return None


def _find_key(text: str, names: list[str]) -> int | None:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([\w.\-\"]+)\s*\]+", line)
        if header:
            table = [part.strip('"') for part in header[1].split(".")]
            if table == names:
                return number
            continue
        pair = re.match(r"\s*([\w.\-\"]+)\s*=", line)
        if pair:
            key = [*table, *(part.strip('"') for part in pair[1].split("."))]
            if key[: len(names)] == names:
                return number
    return None
