"""JSON of other tools: errors name file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from busmark.errors import UserError
from busmark.importers.text import SourceText

_SPACE = re.compile(r"[\s,:]*")


class Document(BaseModel):
    """A part of another tool's JSON: what is not named here is not read. Numbers must be numbers:
    a text is not taken for one."""

    model_config = ConfigDict(extra="ignore", strict=True)


M = TypeVar("M", bound=Document)


def parsed(source: SourceText, text: str, line: int = 1) -> Any:
    """JSON `text`, whose first line is `line` of the file. NaN and infinity become None."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise UserError(
            f"not JSON: {error.msg.lower()} at column {error.colno}",
            where=f"{source.name}, line {line - 1 + error.lineno}",
            remedy="The file may be cut off: a run that is interrupted leaves half a document.",
        ) from None
    except RecursionError:
        raise UserError("not JSON: nested too deep", where=f"{source.name}, line {line}") from None


def checked(source: SourceText, model: type[M], text: str, line: int = 1) -> M:
    """JSON `text` as `model`; errors name the line."""
    try:
        return model.model_validate(parsed(source, text, line))
    except ValidationError as error:
        first = error.errors()[0]
        where = line - 1 + line_of(text, first["loc"])
        key = ".".join(str(part) for part in first["loc"]) or "the document"
        raise UserError(
            f"{key}: {first['msg'].lower()}",
            where=f"{source.name}, line {where}",
            remedy="The file is of another version of the tool, or was changed.",
        ) from None


def line_of(text: str, path: Sequence[int | str]) -> int:
    """In which line of JSON `text` the value at `path` begins; of what is not there, the line of
    what should hold it."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    for part in path:
        inner = _member(text, position, part, decoder)
        if inner is None:
            break
        position = inner
    return text.count("\n", 0, position) + 1


def _member(text: str, position: int, part: int | str, decoder: json.JSONDecoder) -> int | None:
    """Where the member `part` of the object or list at `position` begins."""
    opening = text[position : position + 1]
    if opening not in ("{", "["):
        return None
    position = _skip(text, position + 1)
    index = 0
    while text[position : position + 1] not in ("}", "]", ""):
        key: Any = index
        if opening == "{":
            key, position = decoder.raw_decode(text, position)
            position = _skip(text, position)
        if key == part:
            return position
        position = _skip(text, decoder.raw_decode(text, position)[1])
        index += 1
    return None


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position
