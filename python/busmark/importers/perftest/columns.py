"""Perftest's CSV: headers tell the tables apart, since titles are not always printed."""

from __future__ import annotations

import re

from busmark.importers.model import Imported, Run
from busmark.importers.numbers import NANOSECONDS
from busmark.importers.perftest.report import NAMES, latency_run, throughput_run
from busmark.importers.text import Line, SourceText

SIZES = ("Sample Size (Bytes)", "Length (Bytes)")
"""First column of a summary, and of intervals."""

_COLUMN = re.compile(r"(.+?)\s*\((.+)\)$")
_ROW = re.compile(r"\s*-?\d+\s*,")


def recognise(text: str) -> bool:
    """By the header of a summary."""
    return "Sample Size (Bytes), " in text or "Length (Bytes), Latency (" in text


def read(source: SourceText, imported: Imported) -> None:
    """All summaries, in order."""
    header: list[str] = []
    intervals: list[int] = []
    for line in source.lines:
        if line.text.startswith(SIZES):
            header = [part.strip() for part in line.text.split(",")]
            if header[0] not in SIZES:
                raise source.malformed(line, f"a header that begins with {SIZES[0]} and a comma")
        elif _ROW.match(line.text):
            if not header:
                raise source.malformed(line, 'a header, as "Sample Size (Bytes), Ave (μs), …"')
            if header[0].startswith("Length"):
                intervals.append(line.number)
            else:
                _summary(source, imported, header, line)
    if intervals:
        imported.left_out.append(
            f"{source.name}, line {intervals[0]}: interval lines ({len(intervals)}) are not read: "
            "they repeat single samples and running means"
        )
    if not imported.runs:
        raise source.nothing('a summary, as a table with the header "Sample Size (Bytes), …"')


def _summary(source: SourceText, imported: Imported, header: list[str], line: Line) -> None:
    cells = [cell.strip() for cell in line.text.split(",")]
    if len(cells) != len(header):
        told = f"{len(header)} columns, as in its header; here are {len(cells)}"
        raise source.malformed(line, told)
    row = dict(zip(header, cells, strict=True))
    size = source.count(line, row["Sample Size (Bytes)"], "a size in bytes")
    if "Total Samples" in row:
        imported.runs.append(_throughput(source, line, size, row))
    else:
        imported.runs.append(latency_run(size, _times(source, line, row), line.number))


def _throughput(source: SourceText, line: Line, size: int, row: dict[str, str]) -> Run:
    names = ("Total Samples", "Avg Samples/s", "Avg Mbps", "Lost Samples")
    if absent := [name for name in names if name not in row]:
        raise source.malformed(line, f"the column {absent[0]} in the header before it")
    total, per_s, mbit, lost = (row[name] for name in names)
    return throughput_run(
        size,
        source.count(line, total),
        source.number(line, per_s, "a rate"),
        source.number(line, mbit, "a rate"),
        source.count(line, lost),
        line.number,
    )


def _times(source: SourceText, line: Line, row: dict[str, str]) -> dict[str, float | None]:
    found = {}
    for name, cell in row.items():
        column = _COLUMN.match(name)
        if column and column[1] in NAMES and column[2] in NANOSECONDS:
            found[column[1]] = source.time(line, cell, column[2])
    if not found:
        raise source.malformed(line, "a header before it whose columns are times in a known unit")
    return found
