"""Figures that the source of an imported result states: they stand in for missing samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import polars as pl

from busmark import stats
from busmark.estimate import curves
from busmark.estimate.distribution import ladder, of_rounds, typical
from busmark.model.case import Curve
from busmark.model.distribution import FEW, POOL, ByRound, Percentile, Rounds
from busmark.model.entry import Statistic
from busmark.model.figure import Bounds, Figure, Quantity, over_rounds
from busmark.model.figures import Estimated
from busmark.model.latency import Reported, ReportedFigure
from busmark.model.parameters import Parameters
from busmark.model.statistics import POOLED, REPORTED, STATISTICS

UNSTATED = "the source does not state it"

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


def distribution(
    one: Reported, quantity: str, factor: float, rounds: Rounds
) -> Iterator[Estimated]:
    """Yield the rows of a distribution that is stated, all times `factor`; none without median or
    mean. A percentile with less than ten samples beyond it is absent, where their number is known;
    `rounds` say why another statistic is.
    """

    def stated(statistic: str, percent: float | None = None) -> Figure | None:
        found = _scaled(one.figure(statistic, percent), factor)
        return found if found and (percent is None or _supported(percent, found)) else None

    median, mean = _scaled(one.figure("percentile", 50.0), factor), stated("mean")
    if median is None or mean is None:
        return
    tails = {of.name: stated("percentile", of.percent) for of in REPORTED if of.percent is not None}
    typical_round = {"median": median, "mean": mean, **tails}
    like = Estimated(quantity, "", None, "ns", count=mean.count)
    reasons = {name: each.reason for name, each in rounds.items()}
    found = {name: ByRound(each, reason=reasons.get(name)) for name, each in typical_round.items()}
    yield from typical(found, like)
    pooled = replace(like, over=POOL, rounds=median.rounds)
    for of in POOLED:
        known = stated(of.reported)
        yield replace(pooled, statistic=of.statistic, value=known.value if known else None)
    for name in ("skewness", "kurtosis"):
        yield replace(pooled, statistic=name, unit="")
    rungs = [p for p in LADDER if one.figure("percentile", p)]
    yield from ladder((_rung(p, stated("percentile", p)) for p in rungs), pooled)


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


def by_round(summaries: pl.DataFrame, rounds: Sequence[int], source: str, factor: float) -> Rounds:
    """Return statistics of the source's quantity `source`, times `factor`: a figure of each run, a
    round. Figures that only parts of a run have are known within limits, and are left out."""
    runs = {number: by_quantity(reported(summaries, [number], {})) for number in rounds}
    known = {number: run[source] for number, run in runs.items() if source in run}
    return {one.name: _of_runs(known, one, factor) for one in STATISTICS}


def _of_runs(runs: Mapping[int, Reported], statistic: Statistic, factor: float) -> ByRound:
    known = {n: one.figure for n, run in runs.items() if (one := _of_run(run, statistic))}
    if not known:
        if any(_is(each, statistic) for run in runs.values() for each in run.figures):
            return ByRound(figure=None, reason=FEW)
        return ByRound(figure=None, reason=UNSTATED)
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


def arrivals(
    params: Parameters, *, imported: bool
) -> Literal["closed", "open", "paced", "unstated"]:
    """Return how pings came; of an imported result, as far as its source states it."""
    if not imported:
        return "open" if params.arrivals != "closed" else "closed"
    return ARRIVALS.get(str(params.declared().get("arrivals")), "unstated")


HALVES = (("half_round_trip", 0.5), ("round_trip", 1.0))
"""Quantities that tell a round trip, and which part of it they are."""


@dataclass(frozen=True, slots=True)
class Completed:
    """Rows of latencies, and curves, with what the source states in the place of samples."""

    rows: list[Estimated]
    series: list[Curve]


def completed(
    rows: list[Estimated],
    series: list[Curve],
    of_rounds_that_count: Sequence[Row],
    found: list[Reported],
    summaries: pl.DataFrame,
    *,
    has_pings: bool,
) -> Completed:
    """Complete the latencies of one case, made of its samples if it has any, with the stated
    figures.

    Args:
        rows: its rows of latencies.
        series: its curves.
        of_rounds_that_count: its rows of the table `cases`.
        found: what the source states.
        summaries: its rows of that table.
        has_pings: whether pings were measured, else a stream.
    """
    stated = by_quantity(found)
    described = {row.quantity for row in rows if row.over == POOL}
    source = _source(stated)
    sampled = any(row.scope == "round" for row in rows)
    if stated and not sampled and not source:
        return Completed([replace(row, reason=UNSTATED) for row in rows], series)
    if source and not sampled:
        numbers = [row["round"] for row in of_rounds_that_count]
        own = by_round(summaries, numbers, source.name, source.factor)
        # Why there is none of samples is not said where the source states one.
        made = [*_stated(stated, has_pings, own)]
        rows = [*made, *of_rounds(own, source.quantity, described=bool(made))]
    elif not described & {"round_trip", "one_way"}:
        made = [*_stated(stated, has_pings, {})]
        rows = [*made, *rows]
    else:
        return Completed(rows, series)
    if made and has_pings and source:
        medians = values_by_round(of_rounds_that_count, "median_ns")
        series = [
            *_without(series, "percentiles", "rounds"),
            *curve(stated[source.name], "half_round_trip", source.factor),
            *curves.of_rounds({n: ns / 2 for n, ns in medians.items()}, "half_round_trip", "ns"),
        ]
    elif made:
        series = [*_without(series, "percentiles"), *curve(stated["one_way"], "one_way")]
    return Completed(rows, series)


def _stated(stated: Mapping[str, Reported], has_pings: bool, rounds: Rounds) -> Iterator[Estimated]:
    """Yield the distributions that the source states; `rounds` say why a statistic is absent."""
    source = _source(stated)
    if has_pings and source and source.quantity == "half_round_trip":
        one = stated[source.name]
        yield from distribution(one, "round_trip", 2 * source.factor, rounds)
        yield from distribution(one, "half_round_trip", source.factor, rounds)
    elif not has_pings and "one_way" in stated:
        yield from distribution(stated["one_way"], "one_way", 1.0, rounds)


class Source(NamedTuple):
    """A latency that the source states."""

    name: str
    """Name in the source."""
    quantity: Quantity
    """Name here."""
    factor: float
    """Factor between them."""


def _source(stated: Mapping[str, Reported]) -> Source | None:
    """Return the latency of the source that is compared; None: it states none."""
    for name, part in HALVES:
        if name in stated:
            return Source(name, "half_round_trip", 0.5 / part)
    return Source("one_way", "one_way", 1.0) if "one_way" in stated else None


def _without(series: Sequence[Curve], *kinds: str) -> list[Curve]:
    """Return the curves of a case but for these kinds of its latency."""
    return [each for each in series if each.is_jitter or each.kind not in kinds]
