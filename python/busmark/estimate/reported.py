"""Figures that the source of an imported result states: they stand in for missing samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import polars as pl

from busmark import stats
from busmark.estimate import curves
from busmark.estimate.rows import FEW
from busmark.model.case import Curve
from busmark.model.entry import Statistic
from busmark.model.figure import (
    TAILS,
    Bounds,
    Distribution,
    Figure,
    Percentile,
    Quantity,
    over_rounds,
)
from busmark.model.latency import ByRound, Latency, LatencyByRound, Reported, ReportedFigure
from busmark.model.parameters import Parameters
from busmark.model.statistics import POOLED, STATISTICS
from busmark.model.stream import Throughput

Row = dict[str, Any]
"""A row of the table `summaries`."""

LADDER = (25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
"""Percentiles that tables show of those stated."""


def reported(
    summaries: pl.DataFrame, rounds: Sequence[int], tools: Mapping[str, str]
) -> list[Reported]:
    """Return the stated figures of one case: `summaries` are its rows of that table, `rounds` those
    that count, `tools` the tool by file."""
    counted = set(rounds)
    by_quantity: dict[str, list[Row]] = {}
    for row in summaries.to_dicts():
        if row["round"] in counted:
            by_quantity.setdefault(row["quantity"], []).append(row)
    found = []
    for quantity, of in by_quantity.items():
        by_figure: dict[tuple[str, float | None], list[Row]] = {}
        for row in of:
            by_figure.setdefault((row["statistic"], row["percent"]), []).append(row)
        figures = [_figure(rows, *key) for key, rows in by_figure.items()]
        spans = {
            (row["round"], row["start_s"], row["file"], row["line"])
            for row in of
            if row["start_s"] is not None
        }
        tool = tools.get(str(of[0]["file"]), "the source")
        known = sorted((f for f in figures if f), key=_order)
        found.append(Reported(quantity=quantity, tool=tool, parts=len(spans), figures=known))
    return found


def _order(figure: ReportedFigure) -> tuple[int, float]:
    names = ("percentile", "mean", "std", "mad", "min", "max")
    rank = names.index(figure.statistic) if figure.statistic in names else len(names)
    return rank, figure.percent or 0.0


def _figure(rows: list[Row], statistic: str, percent: float | None) -> ReportedFigure | None:
    """Reduce a figure over rounds, of whole runs where they have it, else of their parts."""
    runs: dict[int, list[Row]] = {}
    for row in rows:
        if row["value_ns"] is not None:
            runs.setdefault(row["round"], []).append(row)
    values, counts, lows, highs = [], [], [], []
    for run in runs.values():
        whole = [row for row in run if row["start_s"] is None]
        known = whole or run
        values.append(_together(known, statistic))
        counts.append(_sum(known))
        if not whole and statistic == "percentile":
            lows.append(min(float(row["value_ns"]) for row in known))
            highs.append(max(float(row["value_ns"]) for row in known))
    if not values:
        return None
    known_counts = [c for c in counts if c is not None]
    count = sum(known_counts) if len(known_counts) == len(counts) else None
    if statistic in ("min", "max"):
        extreme = min(values) if statistic == "min" else max(values)
        figure: Figure | None = Figure(value=extreme, count=count, rounds=len(values), unit="ns")
    else:
        figure = over_rounds(values, "ns", count)
    if figure is None:
        return None
    within = None
    if len(lows) == len(values):
        within = Bounds(low_ns=sum(lows) / len(lows), high_ns=sum(highs) / len(highs))
    return ReportedFigure(statistic=statistic, percent=percent, figure=figure, within=within)


def _together(parts: list[Row], statistic: str) -> float:
    """Combine the parts of one run; a single part is the run."""
    values = [float(row["value_ns"]) for row in parts]
    if statistic in ("min", "max"):
        return min(values) if statistic == "min" else max(values)
    total = _sum(parts)
    if not total:
        return sum(values) / len(values)
    weighted = (v * row["count"] for v, row in zip(values, parts, strict=True))
    return float(sum(weighted)) / total


def _sum(parts: list[Row]) -> int | None:
    """Count the samples of these parts; None where one of them is not known."""
    counts = [row["count"] for row in parts]
    return None if None in counts else sum(counts)


def distribution(one: Reported, quantity: Quantity, factor: float = 1.0) -> Distribution | None:
    """Return the distribution to report, all times `factor`; None without median or mean. A
    percentile with less than ten samples beyond it is absent, where their number is known."""
    median, mean = (_scaled(one.figure(*key), factor) for key in (("percentile", 50.0), ("mean",)))
    if median is None or mean is None:
        return None

    def value(statistic: str) -> float | None:
        found = _scaled(one.figure(statistic), factor)
        return None if found is None else found.value

    def percentile(percent: float) -> Figure | None:
        found = _scaled(one.figure("percentile", percent), factor)
        return found if found and _supported(percent, found) else None

    tabled: dict[str, Any] = {name: percentile(percent) for name, percent in TAILS.items()}
    tabled |= {one.key: value(one.reported) for one in POOLED}
    ladder = [p for p in LADDER if one.figure("percentile", p)]
    return Distribution(
        quantity=quantity,
        count=mean.count,
        median=median,
        mean=mean,
        skewness=None,
        kurtosis=None,
        percentiles=[_rung(p, percentile(p)) for p in ladder],
        **tabled,
    )


def _supported(percent: float, figure: Figure) -> bool:
    if figure.count is None:
        return True
    # Some tools call their extremes the percentiles 0 and 100.
    inside = 0.0 < percent < 100.0
    return inside and stats.supported(percent, figure.count // max(1, figure.rounds))


def _rung(percent: float, figure: Figure | None) -> Percentile:
    if figure is None:
        return Percentile(percent=percent, value_ns=None)
    return Percentile(
        percent=percent, value_ns=figure.value, low_ns=figure.low, high_ns=figure.high
    )


def _scaled(figure: Figure | None, factor: float) -> Figure | None:
    if figure is None:
        return None
    known = {name: getattr(figure, name) for name in ("value", "low", "high")}
    return figure.model_copy(
        update={name: None if v is None else v * factor for name, v in known.items()}
    )


def by_round(
    summaries: pl.DataFrame, rounds: Sequence[int], source: str, quantity: Quantity, factor: float
) -> LatencyByRound:
    """Return statistics of the source's quantity `source`, times `factor`: a figure of each run, a
    round. Figures that only parts of a run have are known within limits, and are left out."""
    runs = {number: by_quantity(reported(summaries, [number], {})) for number in rounds}
    known = {number: run[source] for number, run in runs.items() if source in run}
    found = {one.name: _of_runs(known, one, factor) for one in STATISTICS}
    return LatencyByRound(name="latency", quantity=quantity, statistics=found)


def _of_runs(runs: Mapping[int, Reported], statistic: Statistic, factor: float) -> ByRound:
    known = {n: one.figure for n, run in runs.items() if (one := _of_run(run, statistic))}
    if not known:
        if any(_is(each, statistic) for run in runs.values() for each in run.figures):
            return ByRound(figure=None, reason=FEW)
        return ByRound(figure=None, reason="the source does not state it")
    if any(each.value <= 0.0 for each in known.values()):
        return ByRound(figure=None, reason="the source states 0, which is below its resolution")
    counts = [each.count for each in known.values()]
    total = None if None in counts else sum(count or 0 for count in counts)
    values = [each.value * factor for each in known.values()]
    return ByRound(figure=over_rounds(values, "ns", total), rounds=list(known), values=values)


def _of_run(of: Reported, statistic: Statistic) -> ReportedFigure | None:
    """Return a figure of a whole run, if its samples support it or are not stated; else None."""
    known = next((each for each in of.figures if _is(each, statistic)), None)
    if known is None or known.percent is None:
        return known
    return known if _supported(known.percent, known.figure) else None


def _is(known: ReportedFigure, statistic: Statistic) -> bool:
    """Return whether the source's figure is this statistic of a whole run."""
    if known.within is not None:
        return False
    if statistic.of == "mean":
        return known.statistic == "mean"
    percent = 50.0 if statistic.of == "median" else statistic.percent
    return percent is not None and known.percent == percent


def curve(one: Reported, quantity: Quantity, factor: float = 1.0) -> Iterator[Curve]:
    """Return the curve through the percentiles that are supported; none of fewer than three."""
    points = sorted(
        (known.percent, known.figure.value * factor)
        for known in one.figures
        if known.percent is not None
        and known.percent < 100
        and _supported(known.percent, known.figure)
    )
    if len(points) < 3:
        return
    mean = one.figure("mean")
    yield Curve(
        quantity,
        "percentiles",
        [percent for percent, _ in points],
        [round(value, 1) for _, value in points],
        "%",
        "ns",
        count=mean.count if mean else None,
        lost=0,
    )


def by_quantity(found: Sequence[Reported]) -> dict[str, Reported]:
    """Return the stated figures by the name of their quantity."""
    return {one.quantity: one for one in found}


def values_by_round(rows: Sequence[Mapping[str, Any]], column: str) -> dict[int, float]:
    """Return the values of a column of the table `cases` by round, where known."""
    return {row["round"]: row[column] for row in rows if row[column] is not None}


ARRIVALS: dict[str, Literal["closed", "open", "paced", "unstated"]] = {
    "closed": "closed",
    "constant": "open",
    "poisson": "open",
    "paced": "paced",
}

HALVES = (("half_round_trip", 0.5), ("round_trip", 1.0))
"""Quantities that tell a round trip, and which part of it they are."""


def completed(
    measures: dict[str, Any],
    params: Parameters,
    rows: Sequence[Row],
    found: list[Reported],
    summaries: pl.DataFrame,
) -> dict[str, Any]:
    """Complete the measures of one case, made of its samples if it has any, with the stated
    figures. `summaries`: its rows of that table."""
    made = {**measures, "reported": found}
    if measures.get("latency"):
        made |= _latency(measures["latency"], measures["series"], params, rows, found)
    elif measures.get("throughput"):
        made |= _throughput(measures["throughput"], measures["series"], found)
    sampled = any(
        each.figure for latency in _by_round(made) for each in latency.statistics.values()
    )
    if not sampled and (source := _source(found)):
        reported_rounds = by_round(summaries, [row["round"] for row in rows], *source)
        for part in ("latency", "throughput"):
            if made.get(part):
                made[part] = made[part].model_copy(update={"by_round": [reported_rounds]})
    return made


def _by_round(made: Mapping[str, Any]) -> list[LatencyByRound]:
    measured = made.get("latency") or made.get("throughput")
    return measured.by_round if measured else []


def _source(found: Sequence[Reported]) -> tuple[str, Quantity, float] | None:
    """Return a latency's name in the source, the quantity here, and the factor between them."""
    reported = by_quantity(found)
    for name, part in HALVES:
        if name in reported:
            return name, "half_round_trip", 0.5 / part
    return ("one_way", "one_way", 1.0) if "one_way" in reported else None


def _latency(
    measured: Latency,
    series: Sequence[Curve],
    params: Parameters,
    rows: Sequence[Row],
    found: list[Reported],
) -> dict[str, Any]:
    changes: dict[str, Any] = {
        "arrivals": ARRIVALS.get(str(params.declared().get("arrivals")), "unstated"),
    }
    for quantity, part in HALVES:
        one = by_quantity(found).get(quantity)
        if measured.round_trip is not None or one is None or "round_trip" in changes:
            continue
        changes["round_trip"] = distribution(one, "round_trip", 1 / part)
        changes["half_round_trip"] = distribution(one, "half_round_trip", 0.5 / part)
        medians = {number: ns / 2 for number, ns in values_by_round(rows, "median_ns").items()}
        series = [
            *_without(series, "percentiles", "rounds"),
            *curve(one, "half_round_trip", 0.5 / part),
            *curves.of_rounds(medians, "half_round_trip", "ns"),
        ]
    return {"latency": measured.model_copy(update=changes), "series": series}


def _without(series: Sequence[Curve], *kinds: str) -> list[Curve]:
    """Return the curves of a case but for these kinds of its latency."""
    return [each for each in series if each.is_jitter or each.kind not in kinds]


def _throughput(
    measured: Throughput, series: Sequence[Curve], found: list[Reported]
) -> dict[str, Any]:
    one = by_quantity(found).get("one_way")
    if measured.probe_one_way is not None or one is None:
        return {}
    probes: Distribution | None = distribution(one, "one_way")
    series = [*_without(series, "percentiles"), *curve(one, "one_way")]
    return {"throughput": measured.model_copy(update={"probe_one_way": probes}), "series": series}
