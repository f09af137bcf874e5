"""What gnuplot reads of a case: all samples by index (`.gpd`), labels (`.stats`), `cases.csv`.

Data sets are separated by two blank lines, and the rounds within the first by one, so that scripts
choose them by `index` and `every`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import cast

import polars as pl

from busmark import files
from busmark.compare.campaign import Campaign
from busmark.estimate.latencies import round_samples
from busmark.model.case import CaseSummary
from busmark.model.distribution import Distribution
from busmark.model.text import ABSENT, count, percent_text, scale_for, size_text
from busmark.model.text import number as written
from busmark.present.charts.distributions import MEASURES, ChartMeasure, density_points, ends, pairs
from busmark.present.charts.look import MICRO, at_percent
from busmark.present.charts.panels import back_text, of_one
from busmark.present.charts.shapes import Keys
from busmark.present.drawings import Names
from busmark.present.quoting import Rows, comment, guarded_frame, rows
from busmark.results import Results
from busmark.store import Result

Files = Mapping[str, Callable[[Path], object]]

SAMPLES = (
    "index 0: all samples in time order, a block for each round: number of the sample in its "
    "round, time s (NaN where its source has none), latency us, jitter us (NaN after a lost "
    "sample), round"
)


def _bins(measure: ChartMeasure, case: CaseSummary) -> Rows:
    of = measure.curve(case, "histogram")
    counts = [int(count or 0) for count in of.y] if of else []
    edges = zip(of.low or (), of.high or (), counts, strict=True) if of else ()
    for low, high, samples in list(edges)[1:-1]:
        yield (low or 0.0) / MICRO, (high or 0.0) / MICRO, samples, 100 * samples / sum(counts)


SETS: tuple[tuple[str, Callable[[ChartMeasure, CaseSummary], Rows]], ...] = (
    ("percent of samples sent at or below, us",
     lambda measure, case: pairs(measure, case, "quantiles")),
    ("lower edge us, upper edge us, samples, percent of those that came back; between the 5th and "
     "the 95th percentile", _bins),
    ("us, density 1/us; Gaussian kernel, bandwidth from the data",
     lambda measure, case: density_points(measure, case, "density")),
    ("us, density 1/us; Gaussian kernel, bandwidth 10 us",
     lambda measure, case: density_points(measure, case, "density_10us")),
    ("-log10(1 - F), percent of samples sent that are faster, us; of jitter the magnitude",
     lambda measure, case: ((at_percent(x), x, y) for x, y in pairs(measure, case, "percentiles"))),
)  # fmt: skip
"""Data sets behind the samples, each of latency and of jitter; the boxes of the rounds follow."""

BOXES = (
    "round, samples, smallest, 5th percentile, lower quartile, median, upper quartile, 95th "
    "percentile, largest (us); a percentile among the lost is at the largest"
)


def data(result: Result, campaign: Campaign) -> tuple[dict[str, str], Files]:
    """Return the name of each case that has samples, and the files with what writes each."""
    names, named = Names(), dict[str, str]()
    files: dict[str, Callable[[Path], object]] = {
        "cases.csv": lambda path: guarded_frame(Results(result, campaign).cases).write_csv(path)
    }
    for case in campaign.cases:
        if case.curves("quantiles"):
            begin = "latency" if case.test == "latency" else "load-latency"
            name = named[case.id] = names.name([begin, *parts_of(of_one(case), case)])
            files[f"{name}.gpd"] = partial(write_gpd, result, case)
            files[f"{name}.stats"] = partial(write_stats, case)
    return named, files


def parts_of(keys: Keys, case: CaseSummary) -> list[str]:
    """Return what chose a case or a chart, for a name: `different`, `64B`, `rate-1000-s`."""
    parts = []
    for name, value in keys:
        if value == ABSENT:
            continue
        if name == "Placement":
            parts.append(case.placement)
        elif name in ("Size", "Middleware", "Workload"):
            parts.append(value.replace(" ", "") if name == "Size" else value)
        else:
            parts.append(f"{name.lower()}-{value}")
    return parts


def write_gpd(result: Result, case: CaseSummary, path: Path) -> None:
    """Write the samples of a case, one round in memory at a time, and its distributions."""
    what = "RTT/2" if case.test == "latency" else "one-way latency under load"
    both = [
        ("jitter" if each.is_jitter else "latency", each)
        for each in MEASURES
        if each.test == case.test
    ]
    sets = [
        (f"{name}, {columns}", of(measure, case)) for columns, of in SETS for name, measure in both
    ]
    for name, measure in both:
        found = measure.boxes(case)
        values = ([b.round, b.count, *(value / MICRO for value in ends(b))] for b in found)
        sets.append((f"{name}, {BOXES}", list(values)))
    with io.BufferedWriter(cast(io.RawIOBase, files.created(path))) as out:
        head = comment(f"{case.label}, {size_text(case.size)}, placement {case.placement}")
        head += comment(f"case {case.id}; latency is {what}, jitter its change (RFC 3393)")
        back = back_text([case]).strip()
        out.write(f"{head}{comment(back) if back else ''}{comment(SAMPLES)}".encode())
        begin = out.tell()
        for each in round_samples(result, case):
            frame = pl.DataFrame(
                {
                    "number": pl.int_range(each.latency_ns.size, eager=True),
                    "t": each.t_s.round(9),
                    "latency": (each.latency_ns / MICRO).round(4),
                    "jitter": (each.jitter_ns / MICRO).round(4),
                    "round": pl.repeat(each.round, each.latency_ns.size, eager=True),
                }
            )
            # polars writes NaN as gnuplot reads it.
            text = frame.write_csv(separator=" ", include_header=False)
            out.write(f"{'' if out.tell() == begin else chr(10)}{text}".encode())
        if out.tell() == begin:
            out.write(rows(()).encode())
        for index, (columns, lines) in enumerate(sets, 1):
            out.write(f"\n\n{comment(f'index {index}: {columns}')}{rows(lines)}".encode())


STATISTICS = {
    "median": "median.value",
    "MAD": "mad_ns",
    "mean": "mean.value",
    "σ": "std_ns",
    "minimum": "min_ns",
    "maximum": "max_ns",
}
"""Fields of a distribution by their name in a label."""


def write_stats(case: CaseSummary, path: Path) -> None:
    """Write two strings of several lines each, `latency_stats` and `jitter_stats`."""
    text = comment(f"{case.label}: load this in gnuplot; two strings for a label")
    for name, found in zip(("latency", "jitter"), _distributions(case), strict=True):
        lines = []
        if found:
            scale = scale_for([abs(found.median.value) or found.mad_ns])
            lines = [f"samples {count(found.count)}"]
            lines += [f"lost {percent_text(found.loss)}"] if found.loss else []
            lines += [
                f"{title} {written(value / scale.factor)} {scale.unit}"
                for title, of in STATISTICS.items()
                if (value := attrgetter(of)(found)) is not None
            ]
        # In double quotes: the breaks are meant. Nothing in it is of a user's making.
        joined = "\\n".join(lines)
        text += f'{name}_stats = "{joined}"\n'
    files.create(path, text)


def _distributions(case: CaseSummary) -> tuple[Distribution | None, Distribution | None]:
    """Return latency and its changes with their signs, as the charts of the case show them."""
    ipdv = case.distribution("ipdv")
    if case.has_pings:
        return case.rtt_2, ipdv
    return case.one_way, ipdv if ipdv and ipdv.quantity == "one_way_ipdv" else None
