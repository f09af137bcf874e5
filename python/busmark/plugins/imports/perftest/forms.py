"""Forms of Perftest: summaries as it prints them (CSV, legacy text and JSON), and the file of
`-latencyFile`: every latency, in order of sending, as RTT/2.

CSV: headers tell the tables apart, since titles are not always printed. The first column was
"Length (Bytes)" in all tables of 3.1 to 3.3, and is "Sample Size (Bytes)" in summaries since 4.0;
averages were "Ave", and are "Avg" in throughput since 4.0. So a table of intervals is recognised by
what only it has: each latency, and each rate.

Legacy text: old builds print "us" for "μs".

JSON: as Java and C# write it, and as C++ does, whose document has neither begin nor end. C++ writes
`"length": …` up to the closing brace for every size, with `,{` before all but the first, and never
the wrapper around them (`print_initial_output` and `print_final_output` are not virtual, and are
called on the base class). Several runs in one file follow each other without a comma. So the file
is read element by element, from every `"length"` that has a summary.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import polars as pl
from pydantic import AliasChoices, Field

from busmark.errors import UserError
from busmark.plugins.imports.model import ImportedFile, Run, RunParameters, samples_of
from busmark.plugins.imports.perftest.figures import (
    ADAPTER,
    LATENCY_FILE,
    NAMES,
    PARTS,
    counted,
    latency_run,
    percent_of_cpus,
    serialization,
    throughput_run,
)
from busmark.plugins.imports.text import (
    NANOSECONDS,
    Document,
    Line,
    SourceText,
    checked,
    nanoseconds,
)

SIZES = ("Sample Size (Bytes)", "Length (Bytes)")
"""First column, of one version or another."""
OF_INTERVALS = ("Latency (", "Samples/s")
"""How a column begins that only intervals have."""
AVERAGES = {"Ave Samples/s": "Avg Samples/s", "Ave Mbps": "Avg Mbps"}
"""Names of columns up to 3.3, and since 4.0."""

_HEADER = re.compile(r"^(Sample Size|Length) \(Bytes\),", re.MULTILINE)
_COLUMN = re.compile(r"(.+?)\s*\((.+)\)$")
_CELLS = re.compile(r"\s*,\s*|(?<=[\d.])\s+(?=[-\d])")
"""Separator of cells. C# left a comma out in 3.1 and 3.2, between the maximum and the median."""
_ROW = re.compile(r"\s*-?\d+\s*,")
_BARE = re.compile(r"\s*\d+,(\s*[\d.]+,){4,13}\s*[\d.]+\s*")
BARE_WIDTHS = (6, 7, 8, 9, 10, 11, 13, 14)
"""Columns that Perftest's tables have."""


def recognise_csv(text: str) -> bool:
    """Return whether there is a header, or nothing but rows as wide as Perftest's: its headers can
    be left out."""
    return bool(_HEADER.search(text)) or is_bare(text)


def is_bare(text: str) -> bool:
    """Return whether these are rows of Perftest without headers: columns of fixed width."""
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
    """Latency and mean in the first line."""

    def add(self, source: SourceText, line: Line, header: list[str], cells: list[str]) -> None:
        """Add one more."""
        self.lines.append(line.number)
        if self.first is None and header[1].startswith("Latency (") and len(cells) > 2:
            latency, mean = (source.number(line, cell) for cell in cells[1:3])
            if latency is not None and mean is not None:
                self.first = latency, mean

    @property
    def count(self) -> int | None:
        """Latencies of which the summary is."""
        return counted(len(self.lines), *self.first) if self.first else None


def read_csv(source: SourceText, imported: ImportedFile) -> None:
    """Add a run for each summary, in order."""
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
                run = _csv_summary(source, header, line, cells, since.count)
                imported.runs.append(run)
                since = Intervals()
    _leave_out(source, imported, intervals)
    if not imported.runs:
        raise source.nothing('a summary, as a table with the header "Sample Size (Bytes), …"')


def _csv_summary(
    source: SourceText, header: list[str], line: Line, cells: list[str], count: int | None
) -> Run:
    if len(cells) != len(header):
        text = f"{len(header)} columns, as in its header; here are {len(cells)}"
        raise source.malformed(line, text)
    row = {AVERAGES.get(n, n): cell for n, cell in zip(header, cells, strict=True)}
    size = source.count(line, cells[0], "a size in bytes")
    if "Total Samples" in row:
        run = _csv_throughput(source, line, size, row)
    else:
        run = latency_run(size, _csv_times(source, line, row), line.number, count)
    share = next((cell for name, cell in row.items() if name.startswith("CPU")), None)
    percent_of_cpus(run, None if share is None else source.number(line, share, "a share"))
    return run


def _csv_throughput(source: SourceText, line: Line, size: int, row: dict[str, str]) -> Run:
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


def _csv_times(source: SourceText, line: Line, row: dict[str, str]) -> dict[str, float | None]:
    found = {}
    for name, cell in row.items():
        column = _COLUMN.match(name)
        if column and column[1] in {**NAMES, **PARTS} and column[2] in NANOSECONDS:
            found[column[1]] = source.time(line, cell, column[2])
    if not found.keys() & NAMES.keys():
        raise source.malformed(line, "a header before it whose columns are times in a known unit")
    return found


def _leave_out(source: SourceText, imported: ImportedFile, intervals: list[int]) -> None:
    if intervals:
        imported.left_out.append(
            f"{source.name}, line {intervals[0]}: interval lines ({len(intervals)}) are not read: "
            "they repeat single samples and running means"
        )


_NUMBER = r"\s*([-\d.]+)"
_LATENCY = re.compile(rf"^Length:{_NUMBER}\s+Latency:\s*(Ave\b.*)$")
_TIME = re.compile(rf"(Ave|Std|Min|Max|(?<![\d.])[\d.]+%){_NUMBER}\s*(ns|us|µs|μs|ms)\b")
_THROUGHPUT = re.compile(
    rf"^Length:{_NUMBER}\s+Packets:{_NUMBER}\s+Packets/s\(ave\):{_NUMBER}\s+"
    rf"Mbps\(ave\):{_NUMBER}\s+Lost:{_NUMBER}"
)
_CPU = re.compile(r"\bCPU(?:: +([\d.]+) ?(?:%|percent)| +([\d.]+) \(%\))$")
"""Up to 3.0, and since. Since 3.1 C# has neither sign: it prints a hundred times as much."""
_SERIALIZATION = re.compile(
    rf"^Serialization/Deserialization:{_NUMBER}\s*(us|µs|μs) /{_NUMBER}\s*(us|µs|μs) / TOTAL:"
)
_INTERVAL = re.compile(r"^(One-Way Latency:|One way Latency:|Packets:)")


def recognise_legacy(text: str) -> bool:
    """Return whether a summary line begins somewhere."""
    return bool(re.search(r"^Length:\s*\d+\s+(Latency: |Packets: )", text, re.MULTILINE))


def read_legacy(source: SourceText, imported: ImportedFile) -> None:
    """Add a run for each summary, in order."""
    intervals: list[int] = []
    for line in source.lines:
        if _INTERVAL.match(line.text):
            intervals.append(line.number)
        if imported.runs and (parts := _SERIALIZATION.match(line.text)):
            for name, value, unit in zip(PARTS, parts.group(1, 3), parts.group(2, 4), strict=True):
                serialization(imported.runs[-1], name, source.time(line, value, unit), line.number)
        if not line.text.startswith("Length:"):
            continue
        if found := _LATENCY.match(line.text):
            size = source.count(line, found[1], "a size in bytes")
            times = {
                name: source.time(line, value, unit)
                for name, value, unit in _TIME.findall(found[2])
                if name in NAMES
            }
            if not times:
                raise source.malformed(line, 'a latency summary, as "Length: 32 Latency: Ave …"')
            imported.runs.append(latency_run(size, times, line.number))
        elif found := _THROUGHPUT.match(line.text):
            size, total, lost = (source.count(line, found[n]) for n in (1, 2, 5))
            per_s, mbit = (source.number(line, found[n], "a rate") for n in (3, 4))
            imported.runs.append(throughput_run(size, total, per_s, mbit, lost, line.number))
        else:
            raise source.malformed(line, "a summary of latency or throughput")
        if share := _CPU.search(line.text.rstrip()):
            percent = source.number(line, share[1] or share[2], "a share")
            percent_of_cpus(imported.runs[-1], percent)
    _leave_out(source, imported, intervals)
    if not imported.runs:
        raise source.nothing('a summary, as "Length: 32 Latency: Ave …"')


_ELEMENT = re.compile(r'"length"\s*:\s*\d+\s*,\s*"(?:intervals|summary)"')

Number = float | None


class Summary(Document):
    """Summary of latency or throughput: the printers spell the keys of the two differently."""

    ave: Number = Field(default=None, alias="latency_ave")
    std: Number = Field(default=None, alias="latency_std")
    min: Number = Field(default=None, alias="latency_min")
    max: Number = Field(default=None, alias="latency_max")
    p50: Number = Field(default=None, alias="latency_50")
    p90: Number = Field(default=None, alias="latency_90")
    p99: Number = Field(default=None, alias="latency_99")
    p9999: Number = Field(default=None, alias="latency_99.99")
    p999999: Number = Field(default=None, alias="latency_99.9999")
    packets: int | None = None
    per_s: Number = Field(default=None, alias="packets/sAve")
    mbit: Number = Field(default=None, alias="mbpsAve")
    lost: int | None = None
    serialize: Number = None
    deserialize: Number = None
    cpu: Number = Field(default=None, validation_alias=AliasChoices("cpu", "CPU"))


class Interval(Document):
    """One latency, with the mean so far; intervals of throughput have neither."""

    latency: Number = None
    latency_ave: Number = None


class Element(Document):
    """Figures of one size of samples."""

    length: int
    intervals: list[Interval] = Field(default=[])
    summary: Summary


def recognise_json(text: str) -> bool:
    """Return whether it has the keys of summaries."""
    return '"length"' in text and ('"latency_ave"' in text or '"packets/s' in text)


def read_json(source: SourceText, imported: ImportedFile) -> None:
    """Add a run for each element, in order."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    intervals = 0
    begins = [found.start() for found in _ELEMENT.finditer(source.text)]
    line, before = 1, 0
    # Up to the next one: a damaged element would be read to the end of the file, each anew.
    for begin, end in zip(begins, [*begins[1:], len(source.text)], strict=True):
        line, before = line + source.text.count("\n", before, begin), begin
        text = "{" + source.text[begin:end]
        try:
            _, length = decoder.raw_decode(text)
            element = checked(source, Element, text[:length], line)
        except json.JSONDecodeError as error:
            sentence = f"line {line - 1 + error.lineno}: this size is not read: {error.msg.lower()}"
            imported.left_out.append(f"{source.name}, {sentence}")
            continue
        except RecursionError:
            sentence = f"line {line}: this size is not read: nested too deep"
            imported.left_out.append(f"{source.name}, {sentence}")
            continue
        except UserError as error:
            imported.left_out.append(f"{error.where}: this size is not read: {error.message}")
            continue
        intervals += len(element.intervals)
        imported.runs.append(_json_run(element, line))
    if not imported.runs:
        if imported.left_out:
            where, _, what = imported.left_out[0].partition(": ")
            raise UserError(what, where=where, remedy="The file may be cut off.")
        raise source.nothing('a size with its summary, as "length": 64, "summary": {…}')
    if intervals:
        sentence = (
            f"intervals ({intervals}) are not read: they repeat single samples and running means"
        )
        imported.left_out.append(f"{source.name}: {sentence}")


def _json_run(element: Element, line: int) -> Run:
    summary = element.summary
    if summary.packets is not None:
        run = throughput_run(
            element.length, summary.packets, summary.per_s, summary.mbit, summary.lost, line
        )
        percent_of_cpus(run, summary.cpu)
        return run
    values = (
        summary.ave,
        summary.std,
        summary.min,
        summary.max,
        summary.p50,
        summary.p90,
        summary.p99,
        summary.p9999,
        summary.p999999,
        summary.serialize,
        summary.deserialize,
    )
    names = (*NAMES, *PARTS)
    times = {name: nanoseconds(value, "us") for name, value in zip(names, values, strict=True)}
    first = element.intervals[0] if element.intervals else Interval()
    count = None
    if first.latency is not None and first.latency_ave is not None:
        count = counted(len(element.intervals), first.latency, first.latency_ave)
    run = latency_run(element.length, times, line, count)
    percent_of_cpus(run, summary.cpu)
    return run


# Values of `-latencyFile` are microseconds, or nanoseconds of a build with RTI_PERFTEST_NANO_CLOCK;
# the file does not say which, nor the size. So its samples are joined to the summary whose least
# and greatest value and mean they have. What joins no summary is taken for microseconds.

HEADER = "Sample Number, Value"
UNITS = {"us": 1000, "ns": 1}
MEAN_WITHIN_NS = 1000.0
"""Difference that a printed mean may have: it is rounded to microseconds."""


def recognise_latencies(text: str) -> bool:
    """Return whether it begins with the header."""
    return text.lstrip("\ufeff\r\n ").startswith(HEADER)


def read_latencies(source: SourceText, imported: ImportedFile) -> None:
    """Add one run for each header."""
    values: list[int] = []
    begin = 1
    for line in source.lines:
        if line.text.strip() == HEADER:
            _close(imported, values, begin)
            values, begin = [], line.number
        elif line.text.strip():
            index, comma, value = line.text.partition(",")
            expected = f'sample {len(values)} and its latency, as "{len(values)}, 80"'
            if not comma or source.count(line, index, expected) != len(values):
                raise source.malformed(line, expected)
            values.append(source.count(line, value, expected))
    _close(imported, values, begin)
    if not imported.runs:
        raise source.nothing(f'samples under the header "{HEADER}"')


def _close(imported: ImportedFile, values: list[int], begin: int) -> None:
    if values:
        params = RunParameters(test="latency", adapter=ADAPTER, arrivals="unstated")
        # Series of one file are of several sizes as a rule: they are no rounds of one case.
        params.settings = {"series": len(imported.runs) + 1}
        run = Run(params, line=begin, notes=[LATENCY_FILE.id])
        # Both ways of each: the file has halves.
        run.samples = samples_of(round_trip_ns=(2 * UNITS["us"] * value for value in values))
        imported.runs.append(run)


def combine(runs: list[Run]) -> list[Run]:
    """Return the runs, each series of samples in the first summary, not yet joined, whose figures
    it has."""
    loose = [run for run in runs if LATENCY_FILE.id in run.notes]
    summaries = [run for run in runs if run.samples is None and run.params.test == "latency"]
    for samples in loose:
        for summary in summaries:
            unit = _unit(samples, summary)
            if summary.samples is None and unit is not None:
                # They are there as microseconds.
                own = pl.col("round_trip_ns") * UNITS[unit] // UNITS["us"]
                assert samples.samples is not None
                summary.samples = samples.samples.with_columns(own)
                summary.joined.append(samples.file)
                samples.notes.remove(LATENCY_FILE.id)
                break
    return [run for run in runs if run not in loose or LATENCY_FILE.id in run.notes]


def _unit(samples: Run, summary: Run) -> str | None:
    """Return in which unit the samples have the summary's figures; None: in none."""
    reported = {s.statistic: s.value_ns for s in summary.reported if s.percent is None}
    if not {"min", "max", "mean"} <= reported.keys() or samples.samples is None:
        return None
    halves = samples.samples["round_trip_ns"] / 2
    for unit, factor in UNITS.items():
        scale = factor / UNITS["us"]
        low, high, mean = (float(v) * scale for v in (halves.min(), halves.max(), halves.mean()))  # type: ignore[arg-type]
        alike = (low, high) == (reported["min"], reported["max"])
        if alike and abs(mean - reported["mean"]) <= MEAN_WITHIN_NS:
            return unit
    return None
