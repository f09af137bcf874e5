"""A manifest as somebody may have changed it: what is damaged is left out and listed, the rest is
used."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from busmark.store.manifest import Manifest

Path = tuple[str | int, ...]

PARTS = {
    "cases": "case",
    "adapters": "adapter",
    "findings": "finding",
    "hosts": "host",
    "resumptions": "resumption",
    "missing_adapters": "missing adapter",
    "scenario": "scenario",
}
"""Lists and tables of which an entry can be left out: the others mean the same without it."""

DEEPEST = 40
"""Levels of nesting of a JSON document at most."""
LARGEST = 2**64
DIGITS = 400
"""Digits of a whole number: Python turns no more than 4300 into one."""
LONGEST = 4_000_000
"""Characters of a text: the scenario file is one."""
MOST = 20_000
"""Entries of one list or table: a campaign has 10,000 cases at most."""


class DamagedManifest(ValueError):
    """A manifest that nothing can be made of, and why."""


def manifest(document: dict[str, Any]) -> tuple[Manifest, list[str]]:
    """Return the manifest of a JSON document, and what of it had to be left out.

    Raises:
        DamagedManifest: what is wrong cannot be left out.
    """
    lines: list[str] = []
    for place, why in list(_odd(document, ())):
        _leave_out(document, place, why, lines)
    _leave_out_marked(document)
    try:
        found = Manifest.model_validate(document)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            _leave_out(document, each["loc"], _why(each), lines)
        _leave_out_marked(document)
        try:
            found = Manifest.model_validate(document)
        except ValidationError as again:
            first = again.errors(include_url=False)[0]
            raise DamagedManifest(f"{_name(first['loc'])}: {_why(first)}") from None
    _distinct(found, lines)
    return found, lines


def parse(data: bytes) -> Any:
    """Parse JSON; a value that is not of JSON, such as NaN, is absent, and a whole number of more
    digits than any of ours is infinite."""
    return json.loads(data, parse_constant=lambda _: None, parse_int=_whole)


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else math.inf


class _Gone:
    """Stands in a list for what is left out, so that the others keep their places."""


def _odd(value: Any, place: Path) -> Iterator[tuple[Path, str]]:
    """Yield what no program of ours has written, wherever it is."""
    if len(place) > DEEPEST:
        yield place, "nested too deeply"
    elif isinstance(value, dict | list):
        if len(value) > MOST:
            yield place, f"{len(value)} entries"
            return
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str) and not _is_text(key):
                yield (*place, key), "a name that is no text"
            else:
                yield from _odd(inner, (*place, key))
    elif isinstance(value, str):
        if not _is_text(value):
            yield place, "no text"
    elif isinstance(value, int | float) and not abs(value) <= LARGEST:
        # abs(float) up to the largest that a counter of 64 bits gives.
        yield place, "a number that cannot be"


def _is_text(text: str) -> bool:
    """Return whether it can be written anywhere: JSON can hold halves of characters."""
    if text.isascii():
        return len(text) <= LONGEST
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return len(text) <= LONGEST


def _leave_out(document: dict[str, Any], place: Path, why: str, lines: list[str]) -> None:
    """Mark the entry in which `place` is, and report it once."""
    if not place or place[0] not in PARTS or len(place) < 2:
        raise DamagedManifest(f"{_name(place)}: {why}")
    part, key = document[str(place[0])], place[1]
    if isinstance(part[key], _Gone):
        return
    inside = f"{_name(place[2:])}: " if len(place) > 2 else ""
    lines.append(f"{PARTS[str(place[0])]} {_called(part, key)} left out: {inside}{why}")
    part[key] = _Gone()


def _leave_out_marked(document: dict[str, Any]) -> None:
    for name in PARTS:
        part = document.get(name)
        if isinstance(part, dict):
            document[name] = {k: v for k, v in part.items() if not isinstance(v, _Gone)}
        elif isinstance(part, list):
            document[name] = [v for v in part if not isinstance(v, _Gone)]


def _called(part: Any, key: Any) -> str:
    """Return how the user knows the entry: a case or finding by its identifier."""
    entry = part[key]
    known = entry.get("id") if isinstance(entry, dict) else None
    named = known if isinstance(known, str) and isinstance(key, int) else key
    text = f"number {named + 1}" if isinstance(named, int) else repr(named)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _why(error: Any) -> str:
    """Return an error in one sentence; of a check within a check the inner one."""
    inner = error.get("ctx", {}).get("error")
    if isinstance(inner, ValidationError):
        first = inner.errors(include_url=False)[0]
        return f"{_name(first['loc'])}: {first['msg']}"
    return str(error["msg"])


def _name(place: Path) -> str:
    # Bytes that are not text must be reported too, and the report goes into files.
    text = ".".join(str(part) for part in place).encode(errors="backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:59]}…"


def _distinct(found: Manifest, lines: list[str]) -> None:
    """Leave out a case whose identifier an earlier one has: both have the same files."""
    known: set[str] = set()
    kept = []
    for case in found.cases:
        if case.id in known:
            lines.append(f"case {case.id!r} left out: there is one before of that identifier")
        else:
            kept.append(case)
        known.add(case.id)
    found.cases = kept
