"""Stamps of an application beside a capture: when each sample was sent and received."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from busmark import files
from busmark.plugins.capture.figures import NONE, Times
from busmark.errors import UserError

KEYS = ("seq", "sent_ns", "received_ns")
LARGEST = (1 << 63) - 1
REMEDY = (
    'Give JSON lines such as {"seq": 1, "sent_ns": 1700000000000000000, "received_ns": null}, or '
    "CSV with the columns seq, sent_ns, received_ns. Times are whole nanoseconds since the epoch; "
    "received_ns is null or empty for a lost sample."
)


@dataclass(frozen=True, slots=True)
class Stamps:
    """In the order in which samples were sent; a time that is not there is NONE."""

    numbers: Times
    sent: Times
    received: Times


def read_stamps(path: Path) -> Stamps:
    """Reads stamps. Raises `UserError` that names line and key of what is not as it must be."""
    try:
        text = files.content(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"stamps cannot be read: {error}", where=str(path), remedy=REMEDY) from None
    lines = _json(path, text) if text.lstrip().startswith("{") else _csv(path, text)
    rows: dict[int, tuple[int, int]] = {}
    for line, record in lines:
        number, sent, received = (_value(path, line, record, key) for key in KEYS)
        if number in rows:
            raise _wrong(path, line, "seq", f"{number} is there twice")
        rows[number] = (sent, received)
    if not rows:
        raise UserError("there are no stamps", where=str(path), remedy=REMEDY)
    table = np.array([(number, *times) for number, times in rows.items()], dtype=np.int64)
    table = table[np.lexsort((table[:, 0], table[:, 1]))]
    return Stamps(numbers=table[:, 0], sent=table[:, 1], received=table[:, 2])


def _wrong(path: Path, line: int, key: str | None, what: str) -> UserError:
    named = f"{key}: {what}" if key else what
    return UserError(named, where=f"{path}, line {line}", remedy=REMEDY)


def _json(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in enumerate(text.splitlines(), 1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError):
            raise _wrong(path, line, None, "this is no JSON") from None
        if not isinstance(record, dict):
            raise _wrong(path, line, None, "this is no JSON object")
        yield line, record


def _csv(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.reader(io.StringIO(text))
    try:
        heads = [head.strip() for head in next(reader, [])]
        for key in KEYS:
            if heads.count(key) != 1:
                raise _wrong(path, 1, key, "the first line must name this column once")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(heads):
                what = f"{len(cells)} values for {len(heads)} columns"
                raise _wrong(path, reader.line_num, None, what)
            record: dict[str, Any] = dict(zip(heads, cells, strict=True))
            yield reader.line_num, {key: _number(record[key]) for key in KEYS}
    except csv.Error as error:
        raise _wrong(path, reader.line_num, None, str(error)) from None


def _number(cell: str) -> int | str | None:
    """Other text is returned unchanged, for the error to name."""
    cell = cell.strip()
    if not cell:
        return None
    digits = cell.removeprefix("-")
    return int(cell) if digits.isascii() and digits.isdigit() and len(digits) < 20 else cell


def _value(path: Path, line: int, record: dict[str, Any], key: str) -> int:
    if key not in record:
        raise _wrong(path, line, key, "this key is missing")
    value = record[key]
    if value is None and key == "received_ns":
        return NONE
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise _wrong(path, line, key, f"a whole number from 0 is needed, not {value!r:.40}")
    return value
