"""The data file of a case: all its samples, and what their distribution is drawn from.

Data sets are separated by two blank lines, and the rounds within the first by one, so that scripts
choose them by `index` and `every`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import IO

import polars as pl

from busmark.analysis.case.curve import Curve
from busmark.analysis.case.shapes import Histogram, RoundBox, Shape
from busmark.analysis.model import CaseSummary
from busmark.analysis.read.raw import RoundSamples, round_samples
from busmark.analysis.words.text import size_text
from busmark.report.drawing.curves import density_points
from busmark.report.drawing.look import MICRO, at_percent
from busmark.report.drawing.panels import back_text
from busmark.report.gnuplot.language import comment, rows
from busmark.store import Result

LAST = 5000
"""Samples at the end of a round that a timeline shows."""

INDEX = {
    "samples": 0,
    "quantiles": 1,
    "histogram": 3,
    "density": 5,
    "density_10us": 7,
    "percentiles": 9,
    "rounds": 11,
}
"""Index of the latency; the jitter's follows, except for samples."""

SAMPLES = (
    "index 0: all samples in time order, a block for each round: number of the sample in its "
    "round, time s (NaN where its source tells none), latency us, jitter us (NaN after a lost "
    "sample), round"
)
COLUMNS = {
    "quantiles": "percent of samples sent at or below, us",
    "histogram": "lower edge us, upper edge us, samples, percent of those that came back; between "
    "the 5th and the 95th percentile",
    "density": "us, density 1/us; Gaussian kernel, bandwidth from the data",
    "density_10us": "us, density 1/us; Gaussian kernel, bandwidth 10 us",
    "percentiles": "-log10(1 - F), percent of samples sent that are faster, us; of jitter the "
    "magnitude",
    "rounds": "round, samples, smallest, 5th percentile, lower quartile, median, upper quartile, "
    "95th percentile, largest (us); a percentile among the lost stands at the largest",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One round in the first data set."""

    round: int
    samples: int
    jitter: int
    """Those that have one."""
    last_s: tuple[float, float] | None
    """When its last `LAST` samples begin and end; None where their times are not known."""

    @property
    def first(self) -> int:
        """Number of the first of them."""
        return max(0, self.samples - LAST)


def write_gpd(path: Path, result: Result, case: CaseSummary) -> list[Block]:
    """Write the file, one round in memory at a time; returns the rounds of its first data set."""
    series = case.series
    assert series and series.shape  # by the choice of the cases
    what = "RTT/2" if case.test == "latency" else "one-way latency under load"
    with path.open("wb") as out:
        _text(out, comment(f"{case.label}, {size_text(case.size)}, placement {case.placement}"))
        _text(out, comment(f"case {case.id}; latency is {what}, jitter its change (RFC 3393)"))
        if back := back_text([case]).strip():
            _text(out, comment(back))
        _text(out, comment(SAMPLES))
        blocks = _samples(out, round_samples(result, case))
        both = (
            ("latency", series.shape, series.curve),
            ("jitter", series.jitter, series.jitter_curve),
        )
        for name in ("quantiles", "histogram", "density", "density_10us", "percentiles"):
            for number, (quantity, shape, curve) in enumerate(both):
                index = INDEX[name] + number
                _head(out, index, f"{quantity}, {COLUMNS[name]}")
                _text(out, rows(_rows(name, shape, curve)))
        for number, (quantity, boxes) in enumerate(
            (("latency", series.boxes), ("jitter", series.jitter_boxes))
        ):
            _head(out, INDEX["rounds"] + number, f"{quantity}, {COLUMNS['rounds']}")
            _text(out, rows(map(_box, boxes)))
    return blocks


def _text(out: IO[bytes], text: str) -> None:
    out.write(text.encode())


def _head(out: IO[bytes], index: int, told: str) -> None:
    _text(out, f"\n\n{comment(f'index {index}: {told}')}")


def _samples(out: IO[bytes], found: Iterable[RoundSamples]) -> list[Block]:
    blocks: list[Block] = []
    for each in found:
        if blocks:
            out.write(b"\n")
        size = each.latency_ns.size
        frame = pl.DataFrame(
            {
                "number": pl.int_range(size, eager=True),
                "t": each.t_s,
                "latency": each.latency_ns / MICRO,
                "jitter": each.jitter_ns / MICRO,
                "round": pl.repeat(each.round, size, eager=True),
            }
        )
        # polars writes NaN as gnuplot reads it.
        text = frame.with_columns(
            pl.col("t").round(9), pl.col("latency").round(4), pl.col("jitter").round(4)
        ).write_csv(separator=" ", include_header=False)
        out.write(text.encode())
        with_jitter = frame["jitter"].is_not_nan().sum()
        first, last = float(each.t_s[-min(size, LAST)]), float(each.t_s[-1])
        ends = None if isnan(first) else (first, last)
        blocks.append(Block(each.round, size, int(with_jitter), ends))
    if not blocks:
        _text(out, rows(()))
    return blocks


def _rows(name: str, shape: Shape | None, curve: Curve | None) -> Iterable[Iterable[float | None]]:
    if name == "percentiles":
        return _percentiles(curve) if curve else ()
    if not shape:
        return ()
    if name == "quantiles":
        values = [v / MICRO for v in shape.quantiles.value_ns]
        return zip(shape.quantiles.percent, values, strict=True)
    if name == "histogram":
        return _histogram(shape.histogram, shape.count)
    return density_points(shape.density if name == "density" else shape.density_10us, shape)


def _percentiles(curve: Curve) -> Iterable[Iterable[float]]:
    for percent, value in zip(curve.percent, curve.value_ns, strict=True):
        yield at_percent(percent), percent, value / MICRO


def _histogram(histogram: Histogram, count: int) -> Iterable[Iterable[float]]:
    edges = [edge / MICRO for edge in histogram.edges_ns]
    for low, high, samples in zip(edges, edges[1:], histogram.counts, strict=False):
        yield low, high, samples, 100 * samples / count


def _box(box: RoundBox) -> list[float]:
    """Drawn as it is in other pictures: a percentile among the lost ends at the largest."""
    names = ("min_ns", "p5_ns", "p25_ns", "median_ns", "p75_ns", "p95_ns", "max_ns")
    return [box.round, box.count, *(box.drawn(name) / MICRO for name in names)]
