"""The estimates of a case, row by row, from its analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from busmark.estimate.columns import ESTIMATES
from busmark.model.case import CaseSummary
from busmark.model.figure import CONFIDENCE, Distribution, Figure, Frozen, Percentile
from busmark.model.figures import Estimated, estimated, row_of, with_rounds
from busmark.model.latency import LatencyByRound
from busmark.model.quantities import LATENCIES, OF_CASES
from busmark.model.rounds import RoundSummary
from busmark.model.statistics import POOLED, REPORTED, STATISTICS
from busmark.plugin import of_parts
from busmark.store.columns import polars_type

NAMES = {
    "written_per_s": "write_rate",
    "samples_per_s": "read_rate",
    "theoretical_per_s": "theoretical_rate",
    "mbit_per_s": "goodput",
    "cpus": "cpu",
}
"""Quantities of fields whose names are others."""

UNITS = {
    "mbit_per_s": "Mbit/s",
    "_per_s": "1/s",
    "_bytes": "B",
    "_ns2": "ns²",
    "_ns": "ns",
    "_s": "s",
    "cpus": "CPU",
    "cpu_busy": "1",
    "_ppm": "ppm",
}
"""Units by the endings of fields."""

QUANTITY = {"probe_one_way": "one_way", "probe_round_trip": "round_trip"}
"""Latencies by the keys of `LATENCIES`, where a quantity is named otherwise."""

ROUND_STATISTICS = {
    "median_ns": "median",
    "p99_ns": "p99",
    "min_ns": "min",
    "max_ns": "max",
    "mean_ns": "mean",
    "variance_ns2": "variance",
}
"""Statistics of the latency of a round, by the fields of `RoundTimes`."""

FEW = "a round has too few samples for it"
AMONG_LOST = "it falls among the samples that were lost"


def table(cases: Iterable[CaseSummary]) -> pl.DataFrame:
    """Return the estimates of all cases; columns are `columns.ESTIMATES`."""
    names = [column.name for column in ESTIMATES]
    rows = [
        [case.id if name == "case" else getattr(row, name) for name in names]
        for case in cases
        for row in of_case(case)
    ]
    schema = {column.name: polars_type(column.kind) for column in ESTIMATES}
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def of_case(case: CaseSummary) -> Iterator[Estimated]:
    """Yield every figure of a case and of its parts."""
    return with_rounds(_of_case(case), case.rounds.ok)


def _of_case(case: CaseSummary) -> Iterator[Estimated]:
    yield from _latencies(case)
    yield from _of_cases(case)
    yield from _segments(case)
    for flow in case.own_flows:
        for quantity, value in (("asked", flow.asked), ("unanswered", flow.unanswered)):
            if value is not None:
                yield Estimated(quantity, "count", value, "", "flow", flow.name)
        if flow.latency:
            yield from _distribution(
                flow.latency, flow.latency.quantity, flow.by_round, "flow", flow.name
            )
    yield from case.figures
    yield from of_parts(case.plugins, lambda part: part.rows)
    for attempt in case.attempts:
        if attempt.status == "ok":
            yield from _round(attempt, case)


def _latencies(case: CaseSummary) -> Iterator[Estimated]:
    by_round = {latency.quantity: latency for latency in case.by_round}
    if case.latency and case.latency.round_trip:
        half = by_round.get("half_round_trip")
        yield from _distribution(case.latency.round_trip, "round_trip", half)
    for of in LATENCIES:
        if found := of.pick(case):
            quantity = QUANTITY.get(of.key, of.key)
            yield from _distribution(found, quantity, by_round.get(found.quantity))
    described = {of.quantity for of in (case.rtt_2, *_of_probes(case)) if of}
    for latency in case.by_round:
        yield from _by_round(latency, case, described=latency.quantity in described)


def _of_probes(case: CaseSummary) -> tuple[Distribution | None, ...]:
    stream = case.throughput
    return (stream.probe_one_way, stream.probe_round_trip) if stream else ()


def _by_round(found: LatencyByRound, case: CaseSummary, *, described: bool) -> Iterator[Estimated]:
    """Yield statistics of each round; of a typical round only those that `_distribution` lacks."""
    counts = {attempt.round: attempt.samples for attempt in case.attempts if attempt.status == "ok"}
    for one in STATISTICS:
        each = found.statistics[one.name]
        like = Estimated(found.quantity, one.name, None, "ns", reason=each.reason)
        if each.figure is None:
            if not (described and one.reported):
                yield like
            continue
        if not (described and one.reported):
            yield row_of(each.figure, found.quantity, one.name)
        for number, value in zip(each.rounds, each.values, strict=True):
            yield replace(
                like, value=value, scope="round", round=number, rounds=1, count=counts.get(number)
            )


def _distribution(
    found: Distribution,
    quantity: str,
    by_round: LatencyByRound | None,
    scope: str = "case",
    of: str | None = None,
) -> Iterator[Estimated]:
    """Yield statistics of a typical round, then the pooled ones. `by_round` has the reasons."""
    one = Estimated(
        quantity, "", None, "ns", scope, of, count=found.count, effective=found.effective_count
    )
    for statistic in REPORTED:
        figure = found.figure(statistic.key)
        if figure is None:
            reason = by_round.statistics[statistic.name].reason if by_round else None
            yield replace(one, statistic=statistic.name, reason=reason or FEW)
        else:
            made = row_of(figure, quantity, statistic.name, scope, of)
            yield replace(made, effective=found.effective_count)
    pooled = replace(one, over="samples", rounds=found.median.rounds)
    for described in POOLED:
        yield replace(pooled, statistic=described.statistic, value=found.time_ns(described.key))
    for name in ("skewness", "kurtosis"):
        yield replace(pooled, statistic=name, value=getattr(found, name), unit="")
    for rung in found.percentiles:
        yield replace(
            pooled,
            statistic=f"p{rung.percent:.10g}",
            value=rung.value_ns,
            low=rung.low_ns,
            high=rung.high_ns,
            reason=_why_absent(rung),
            confidence=CONFIDENCE if rung.low_ns is not None else None,
        )
    yield from _best(found.best, pooled)
    yield from _shape(found, one, pooled)


def _shape(found: Distribution, one: Estimated, pooled: Estimated) -> Iterator[Estimated]:
    """Yield what the samples look like: over the length of a round, by modes, and of one hop."""
    if found.drift and (change := found.drift.change):
        yield row_of(change, one.quantity, "drift", one.scope, one.of)
        yield replace(
            one,
            statistic="trending_rounds",
            value=found.drift.trending,
            unit="",
            count=None,
            effective=None,
            rounds=found.drift.tested,
        )
    if modes := found.modality:
        yield replace(pooled, statistic="modes", value=modes.count, unit="")
        for number, mode in enumerate(modes.largest, start=1):
            yield replace(pooled, statistic=f"mode_{number}", value=mode.at_ns)
            yield replace(pooled, statistic=f"mode_{number}_share", value=mode.share, unit="1")
        if modes.valley_ratio is not None:
            yield replace(pooled, statistic="valley_ratio", value=modes.valley_ratio, unit="1")
    if hop := found.hop_std:
        yield replace(
            pooled,
            statistic="hop_stdev",
            low=hop.low_ns,
            high=hop.high_ns,
            reason="only its limits are known",
        )
    if found.loss:
        yield replace(one, statistic="loss", value=found.loss, unit="1")


def _why_absent(rung: Percentile) -> str | None:
    if rung.value_ns is not None:
        return None
    return AMONG_LOST if rung.lost else FEW


def _best(parts: Iterable[Any], like: Estimated) -> Iterator[Estimated]:
    """Yield figures of the smallest 100, 99.9, 99 and 90 % of the samples."""
    for part in parts:
        for field, statistic in (
            ("min_ns", "min"),
            ("mean_ns", "mean"),
            ("max_ns", "max"),
            ("std_ns", "stdev"),
        ):
            over = f"best {part.percent:.10g} %"
            value = getattr(part, field)
            yield replace(like, statistic=statistic, over=over, value=value, count=part.count)


def _of_cases(case: CaseSummary) -> Iterator[Estimated]:
    picked = [(one, one.pick(case)) for one in OF_CASES if one.pick]
    return estimated(picked)


def _segments(case: CaseSummary) -> Iterator[Estimated]:
    if case.latency is None:
        return
    both = (case.latency.one_way_there, case.latency.one_way_back)
    for segment in (*case.latency.segments, *(one for one in both if one)):
        row = row_of(segment.median, "segment", "median", "segment", segment.name)
        if reason := segment.unknown:
            row = replace(
                row, value=segment.most_ns, low=None, high=None, bound="upper", reason=reason
            )
        yield row
    for found in case.latency.segment_tables:
        like = Estimated(
            "segment", "", None, "ns", "segment", found.name, over="samples", rounds=case.rounds.ok
        )
        yield from _best(found.best, like)


def _round(attempt: RoundSummary, case: CaseSummary) -> Iterator[Estimated]:
    """Yield all counts of a round, and the figures of its latency that `_by_round` lacks."""
    known = {
        (latency.quantity, name)
        for latency in case.by_round
        for name, each in latency.statistics.items()
        if attempt.round in each.rounds
    }
    if times := attempt.times:
        like = Estimated(
            times.quantity,
            "",
            None,
            "ns",
            "round",
            None,
            round=attempt.round,
            count=attempt.samples,
            rounds=1,
        )
        for field, statistic in ROUND_STATISTICS.items():
            value = getattr(times, field)
            if value is not None and (times.quantity, statistic) not in known:
                yield replace(like, statistic=statistic, value=value, unit=_unit(field))
    yield from rows_of(attempt, "round", None, attempt.round, skipped=("round", "attempt"))
    if attempt.discovery:
        yield from rows_of(attempt.discovery, "round", None, attempt.round)


def rows_of(
    model: Frozen,
    scope: str,
    of: str | None,
    number: int | None = None,
    skipped: Sequence[str] = (),
) -> Iterator[Estimated]:
    """Yield a row for each number of a part of the analysis."""
    for field, value in model:
        if field in skipped or value is None or isinstance(value, bool | str):
            continue
        quantity = NAMES.get(field) or _without_unit(field)
        if isinstance(value, Figure):
            statistic = "mean" if quantity == "loss" else "median"
            yield replace(row_of(value, quantity, statistic, scope, of), round=number)
        elif isinstance(value, int | float):
            unit = _unit(field)
            statistic = "count" if isinstance(value, int) and not unit else "value"
            yield Estimated(quantity, statistic, value, unit, scope, of, round=number)
        elif isinstance(value, Mapping):
            for key, part in value.items():
                if isinstance(part, int | float):
                    yield Estimated(f"{field}_{key}", "value", part, "", scope, of, round=number)


def _unit(field: str) -> str:
    return next((unit for ending, unit in UNITS.items() if field.endswith(ending)), "")


def _without_unit(field: str) -> str:
    ending = next((one for one in UNITS if one.startswith("_") and field.endswith(one)), "")
    return field.removesuffix(ending)
