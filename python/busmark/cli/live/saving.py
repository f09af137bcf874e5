"""What a screen shows, as files: a table for a spreadsheet, and text as on the screen."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from busmark.cli.live.columns import GAP, Column, R
from busmark.cli.output import visible

WIDEST = 40
"""Characters of a column in text."""


def save(folder: Path, name: str, heading: str, columns: Sequence[Column[R]], rows: Sequence[R],
         detail: Sequence[str]) -> tuple[Path, Path]:  # fmt: skip
    """Writes NAME-DATE-TIME.csv and .txt, which are new; where they are.

    Raises:
        OSError: they cannot be written; nothing is left then.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    at = next(
        number for number in range(1, 10_000)
        if not any(_path(folder, stem, number, end).exists() for end in ("csv", "txt"))
    )  # fmt: skip
    found = _path(folder, stem, at, "csv"), _path(folder, stem, at, "txt")
    texts = _csv(columns, rows), _text(heading, columns, rows, detail)
    try:
        for path, text in zip(found, texts, strict=True):
            path.write_text(text, encoding="utf-8")
    except OSError:
        for path in found:
            path.unlink(missing_ok=True)
        raise
    return found


def _path(folder: Path, stem: str, number: int, end: str) -> Path:
    return folder / f"{stem}{f'-{number}' if number > 1 else ''}.{end}"


def _csv(columns: Sequence[Column[R]], rows: Sequence[R]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([[_value(column.value(row)) for column in columns] for row in rows])
    return out.getvalue()


def _value(value: Any) -> Any:
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) else value


def _text(heading: str, columns: Sequence[Column[R]], rows: Sequence[R],
          detail: Sequence[str]) -> str:  # fmt: skip
    widths = [max(column.width, WIDEST if column.grows else 0) for column in columns]
    gap = " " * GAP
    lines = [time.strftime("%Y-%m-%d %H:%M:%S %z"), heading, ""]
    lines.append(gap.join(
        column.title.ljust(width) if column.left else column.title.rjust(width)
        for column, width in zip(columns, widths, strict=True)
    ))  # fmt: skip
    for row in rows:
        cells = [column.cell(row, width) for column, width in zip(columns, widths, strict=True)]
        lines.append(gap.join(cells))
    lines += ["", *detail] if detail else []
    return "\n".join(visible(line).rstrip() for line in lines) + "\n"
