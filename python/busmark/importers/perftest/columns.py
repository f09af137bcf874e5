"""Perftest's CSV: headers tell the tables apart, since titles are not always printed.

The first column was "Length (Bytes)" in all tables of 3.1 to 3.3, and is "Sample Size (Bytes)" in
summaries since 4.0; averages were "Ave", and are "Avg" in throughput since 4.0. So a table of
intervals is recognised by what only it has: each latency, and each rate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from busmark.errors import UserError
from busmark.importers.model import Imported, Run
from busmark.importers.numbers import NANOSECONDS
from busmark.importers.perftest.report import (
    NAMES,
    PARTS,
    counted,
    latency_run,
    percent_of_cpus,
    throughput_run,
)
from busmark.importers.text import Line, SourceText

SIZES = ("Sample Size (Bytes)", "Length (Bytes)")
"""First column, of one version or another."""
OF_INTERVALS = ("Latency (", "Samples/s")
"""How a column begins that only intervals have."""
AVERAGES = {"Ave Samples/s": "Avg Samples/s", "Ave Mbps": "Avg Mbps"}
"""Names of columns up to 3.3, and since 4.0."""

_HEADER = re.compile(r"^(Sample Size|Length) \(Bytes\),", re.MULTILINE)
_COLUMN = re.compile(r"(.+?)\s*\((.+)\)$")
_CELLS = re.compile(r"\s*,\s*|(?<=[\d.])\s+(?=[-\d])")
"""What divides cells. C# left a comma out in 3.1 and 3.2, between the maximum and the median."""
_ROW = re.compile(r"\s*-?\d+\s*,")
_BARE = re.compile(r"\s*\d+,(\s*[\d.]+,){4,13}\s*[\d.]+\s*")
BARE_WIDTHS = (6, 7, 8, 9, 10, 11, 13, 14)
"""Columns that Perftest's tables have."""


def recognise(text: str) -> bool:
    """By a header, or by nothing but rows as wide as Perftest's: its headers can be left out."""
    return bool(_HEADER.search(text)) or is_bare(text)


def is_bare(text: str) -> bool:
    """Whether these are rows of Perftest without headers: columns of fixed width."""
    if len(text) > (1 << 24) or not text.startswith("   "):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and all(
        _BARE.fullmatch(line) and line.count(",") + 1 in BARE_WIDTHS for line in lines
    )


@dataclass(slots=True)
class Intervals:
    """Rows of intervals since the last summary."""

    lines: list[int] = field(default_factory=list)
    first: tuple[float, float] | None = None
    """Latency and mean in the first of them."""

    def add(self, source: SourceText, line: Line, header: list[str], cells: list[str]) -> None:
        """One more."""
        self.lines.append(line.number)
        if self.first is None and header[1].startswith("Latency (") and len(cells) > 2:
            latency, mean = (source.number(line, cell) for cell in cells[1:3])
            if latency is not None and mean is not None:
                self.first = latency, mean

    @property
    def count(self) -> int | None:
        """Latencies of which the summary is."""
        return counted(len(self.lines), *self.first) if self.first else None


def read(source: SourceText, imported: Imported) -> None:
    """All summaries, in order."""
    if is_bare(source.text):
        raise UserError(
            "looks like CSV of RTI Perftest without headers: columns and units are not known",
            where=f"{source.name}, line 1",
            remedy="Run Perftest without -noOutputHeaders (-noPrintHeaders in some builds).",
        )
    header: list[str] = []
    intervals: list[int] = []
    since = Intervals()
    for line in source.lines:
        if line.text.startswith(SIZES):
            # C# printed both signs of its "50%%" in 3.1 and 3.2, and Java of its "CPU (%%)".
            header = [part.strip().replace("%%", "%") for part in line.text.split(",")]
            if header[0] not in SIZES:
                raise source.malformed(line, f"a header that begins with {SIZES[0]} and a comma")
        elif _ROW.match(line.text):
            if not header:
                raise source.malformed(line, 'a header, as "Sample Size (Bytes), Ave (μs), …"')
            cells = _CELLS.split(line.text.strip())
            if any(name.startswith(OF_INTERVALS) for name in header):
                intervals.append(line.number)
                since.add(source, line, header, cells)
            else:
                _summary(source, imported, header, line, cells, since.count)
                since = Intervals()
    if intervals:
        imported.left_out.append(
            f"{source.name}, line {intervals[0]}: interval lines ({len(intervals)}) are not read: "
            "they repeat single samples and running means"
        )
    if not imported.runs:
        raise source.nothing('a summary, as a table with the header "Sample Size (Bytes), …"')


def _summary(
    source: SourceText, imported: Imported, header: list[str], line: Line, cells: list[str],
    count: int | None,
) -> None:  # fmt: skip
    if len(cells) != len(header):
        told = f"{len(header)} columns, as in its header; here are {len(cells)}"
        raise source.malformed(line, told)
    row = {AVERAGES.get(n, n): cell for n, cell in zip(header, cells, strict=True)}
    size = source.count(line, cells[0], "a size in bytes")
    if "Total Samples" in row:
        run = _throughput(source, line, size, row)
    else:
        run = latency_run(size, _times(source, line, row), line.number, count)
    share = next((cell for name, cell in row.items() if name.startswith("CPU")), None)
    percent_of_cpus(run, None if share is None else source.number(line, share, "a share"))
    imported.runs.append(run)


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
        if column and column[1] in {**NAMES, **PARTS} and column[2] in NANOSECONDS:
            found[column[1]] = source.time(line, cell, column[2])
    if not found.keys() & NAMES.keys():
        raise source.malformed(line, "a header before it whose columns are times in a known unit")
    return found
