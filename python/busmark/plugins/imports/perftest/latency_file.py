"""The file of `-latencyFile`: every latency, in order of sending, as RTT/2.

The values are microseconds, or nanoseconds of a build with RTI_PERFTEST_NANO_CLOCK; the file does
not say which, nor the size. So its samples are joined to the summary whose least and greatest value
and mean they have. What joins no summary is taken for microseconds.
"""

from __future__ import annotations

import polars as pl

from busmark.plugins.imports.model import Imported, Run, RunParameters, samples_of
from busmark.plugins.imports.perftest.figures import ADAPTER, LATENCY_FILE
from busmark.plugins.imports.text import SourceText

HEADER = "Sample Number, Value"
UNITS = {"us": 1000, "ns": 1}
MEAN_WITHIN_NS = 1000.0
"""By how much a printed mean may differ: it is rounded to microseconds."""


def recognise(text: str) -> bool:
    """Return whether it begins with the header."""
    return text.lstrip("\ufeff\r\n ").startswith(HEADER)


def read(source: SourceText, imported: Imported) -> None:
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


def _close(imported: Imported, values: list[int], begin: int) -> None:
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
