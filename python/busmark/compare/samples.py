"""Latencies sample by sample, for limits on how many of them are later than something; and figures
that a comparison has for a criterion alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from busmark import stats
from busmark.compare.change import FigureChange, change_of
from busmark.compare.criterion import Criterion
from busmark.compare.measured import Measurement, series_of
from busmark.compare.sides import Side, SideCase
from busmark.errors import UserError
from busmark.estimate import latency, throughput
from busmark.estimate.distribution import Numbers, percentiles, reduced
from busmark.estimate.one_case import SAMPLE_COLUMNS
from busmark.estimate.rounds import Row
from busmark.estimate.samples import Pool, Sent, Timed
from busmark.model.case import CaseSummary
from busmark.model.distribution import ByRound, Percentile
from busmark.model.entry import SERVICES, percentile
from busmark.model.figure import CONFIDENCE, FloatArray, mean_over_rounds
from busmark.model.figures import Estimated
from busmark.model.limits import Subject
from busmark.store import Result

Latencies = dict[str, FloatArray]
"""Latencies by the series (`measured.SERIES`), in the order of sending; infinity for a lost sample.
"""


def round_latencies(result: Result, case: str, row: Row, *, by_two_clocks: bool) -> Latencies:
    """Return the latencies of a round in ns, read from its samples; without those that it has none
    of, and unless `by_two_clocks` without those that may be off.

    Raises:
        UserError: they cannot be read.
    """
    samples: pl.DataFrame = result.samples(case, row["round"], SAMPLE_COLUMNS)
    # An older Busmark knew one machine only.
    one_clock = row["one_clock"] is not False
    if row["test"] == "throughput":
        probes = throughput.probe_round(row["round"], samples, one_clock=one_clock, row=row)
        found = {
            "latency": _with_lost(probes.one_way, probes.lost)
            if by_two_clocks or not probes.one_way.bound_ns
            else np.empty(0),
            "round_trip": _with_lost(probes.round_trip, probes.unanswered),
        }
    else:
        pings = latency.ping_round(row["round"], samples, one_clock=one_clock)
        parts = 1.0 if row["test"] in SERVICES else 2.0
        found = {"latency": _with_lost(pings.back, pings.lost_start) / parts}
    return {name: series for name, series in found.items() if series.size}


def _with_lost(back: Timed, gone: FloatArray | None) -> FloatArray:
    if gone is None or not gone.size:
        return back.latency
    return stats.with_lost(back.start, back.latency, gone, np.inf)


@dataclass(frozen=True)
class Samples:
    """The samples of a case, read when they are asked for."""

    side: Side
    case: SideCase

    @cached_property
    def by_quantity(self) -> Mapping[str, Mapping[int, FloatArray]]:
        """Latencies of each round; one that cannot be read is left out, as it is of all figures. By
        two clocks a share of late samples is not known as its interval says: the figures are."""
        found: dict[str, dict[int, FloatArray]] = {}
        for row in self.case.good if self.case.test in ("latency", "throughput") else ():
            try:
                of_round = round_latencies(self.side.result, self.case.id, row, by_two_clocks=False)
            except UserError:
                continue
            for name, series in of_round.items():
                found.setdefault(name, {})[row["round"]] = series
        return found

    def by_round(self, quantity: str) -> Mapping[int, FloatArray]:
        """Return latencies of a quantity in each round; empty where the case has none."""
        series = series_of(quantity, self.case.test)
        found = self.by_quantity.get(series.name, {}) if series else {}
        return {number: each * series.factor for number, each in found.items()} if series else {}


def typical(rounds: Mapping[int, FloatArray], percent: float) -> ByRound:
    """Return a percentile of a typical round, by latencies with infinity for each that was lost."""
    one = percentile(percent)
    pool, sent = _pools(rounds)
    if pool is None:
        return ByRound(figure=None, reason="no sample came back")
    numbers = Numbers([n for n, each in rounds.items() if np.isfinite(each).any()], [*rounds])
    return reduced(pool, sent, numbers, [one])[one.name]


def of_all(
    rounds: Mapping[int, FloatArray], percent: float, *, bound_ns: float = 0.0
) -> Percentile | None:
    """Return a percentile of the samples of all rounds together, by latencies with infinity for
    each that was lost; all may be off together by `bound_ns`. None where none came back."""
    pool, sent = _pools(rounds, bound_ns)
    return None if pool is None else percentiles(pool, sent, [percent])[0]


def _pools(
    rounds: Mapping[int, FloatArray], bound_ns: float = 0.0
) -> tuple[Pool | None, Sent | None]:
    finite = [each[np.isfinite(each)] for each in rounds.values()]
    pool = Pool.from_rounds(finite, bound_ns=bound_ns)
    lost = [each.size - own.size for each, own in zip(rounds.values(), finite, strict=True)]
    if pool is None or not any(lost):
        return pool, None
    latest = float(pool.pooled.values[-1])
    sent = [stats.Round.from_values(np.minimum(each, latest)) for each in rounds.values()]
    return pool, Sent(sent, [own.size for own in finite], lost)


def estimated(case: CaseSummary, quantity: str, statistic: str) -> Estimated | None:
    """Return the estimate of a typical round; None: the case has none."""
    return next(
        (
            row
            for row in case.figures
            if (row.quantity, row.statistic) == (quantity, statistic)
            and row.scope == "case"
            and row.over == "rounds"
        ),
        None,
    )


def further(
    criteria: Sequence[Criterion],
    baseline: Samples,
    candidate: Samples,
    known: Collection[str],
    *,
    paired: bool,
) -> list[FigureChange]:
    """Return what became of the figures that criteria are about, besides the `known` ones."""
    test, found = baseline.case.test, {}
    for criterion in criteria:
        name = criterion.names(test)
        if name in known or name in found or test not in criterion.subject.row.tests:
            continue
        sides = [_measurement(criterion.subject, side) for side in (baseline, candidate)]
        if any(sides):
            found[name] = change_of(name, False, *sides, paired=paired)
    return [*found.values()]


def _measurement(subject: Subject, of: Samples) -> Measurement | None:
    """Return a figure of one side; None: its cases have none such."""
    rounds = of.by_round(subject.quantity)
    if subject.later_ns is not None:
        beyond = subject.beyond_ns(of.case.params.rate_hz)
        return _late(rounds, beyond) if rounds and beyond is not None else None
    if subject.row.of_samples:
        if not rounds or subject.percent is None:
            return None
        own = typical(rounds, subject.percent)
        values = dict(zip(own.rounds, own.values, strict=True))
        return Measurement(own.figure, values, own.level, reason=own.reason, lost=own.lost)
    row = estimated(of.side.analysed(of.case)[0], subject.quantity, subject.statistic)
    if row is None:
        return None
    if row.value is None:
        return Measurement(None, reason=row.reason)
    if not row.is_estimate:
        # What was counted is exact.
        row = replace(row, low=row.value, high=row.value, confidence=CONFIDENCE)
    return Measurement(row.figure)


def _late(rounds: Mapping[int, FloatArray], beyond_ns: float) -> Measurement:
    """Return the share of the samples that took longer, lost ones among them."""
    hits = tuple(int((each > beyond_ns).sum()) for each in rounds.values())
    totals = tuple(int(each.size) for each in rounds.values())
    shares = [hit / total for hit, total in zip(hits, totals, strict=True)]
    mean = mean_over_rounds(shares, "1", sum(totals))
    return Measurement(mean, dict(zip(rounds, shares, strict=True)), counts=(hits, totals))
