"""A case as it is compared: all its figures on one side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from busmark import stats
from busmark.estimate.rounds import Row
from busmark.model import statistics
from busmark.model.case import CaseSummary
from busmark.model.distribution import ByRound
from busmark.model.entry import SEARCHES, Compared
from busmark.model.figure import Figure, Quantity, mean_over_rounds, over_rounds
from busmark.model.limits import Subject
from busmark.model.parameters import Parameters
from busmark.model.quantities import COMPARED, GOODPUT, QUANTITIES
from busmark.model.quantities.action import ACCEPTED
from busmark.model.quantities.discovery import DISCOVERY, FIRST_SAMPLE
from busmark.model.quantities.service import REQUEST_RATE

STATISTICS: dict[str, stats.Statistic] = {one.name: one.of for one in statistics.STATISTICS}
"""Statistics of latency that every comparison has, by name."""

LATENCIES = ("latency", "round_trip")
"""Series of latencies that every comparison has."""


class LatencySeries(NamedTuple):
    """The series of a case's latencies from which a quantity is computed."""

    name: str
    """Name of the series in `LATENCIES`."""
    factor: float
    """Factor by which its values are multiplied."""


SERIES = {
    ("latency", "latency"): LatencySeries("latency", 1.0),
    ("half_round_trip", "latency"): LatencySeries("latency", 1.0),
    ("round_trip", "latency"): LatencySeries("latency", 2.0),
    ("latency", "throughput"): LatencySeries("latency", 1.0),
    ("latency", "service"): LatencySeries("latency", 1.0),
    ("response_time", "service"): LatencySeries("latency", 1.0),
    ("one_way", "throughput"): LatencySeries("latency", 1.0),
    ("round_trip", "throughput"): LatencySeries("round_trip", 1.0),
    ("half_round_trip", "throughput"): LatencySeries("round_trip", 0.5),
}
"""Series by quantity and test."""


def series_of(quantity: str, test: str) -> LatencySeries | None:
    """Return the series that a quantity is of in a case of this test; None: it has none."""
    return SERIES.get((quantity, test))


def compared_name(subject: Subject, test: str, *, absolute: bool = False) -> str:
    """Return what comparisons call this figure of a case of this test: `p99.latency`. What they
    have for a criterion alone has the name that limits give it."""
    if subject.later_ns is None and (series := series_of(subject.quantity, test)):
        return f"{subject.statistic}.{series.name}"
    # Samples and bits have one ratio.
    bits = subject.quantity in QUANTITIES["goodput"].others and not absolute
    row = QUANTITIES["goodput"] if bits else subject.row
    return row.compared or str(subject)


MEDIAN, TAIL = (f"{one.name}.{LATENCIES[0]}" for one in (statistics.MEDIAN, statistics.P99))
"""Headline of latencies; and what is reported with it wherever there is one, for a median says
nothing of the tail."""

RECOVERY = "recovery"

OF_GOODPUT, OF_DISCOVERY, OF_ACTION, OF_MATCHING, OF_REQUESTS = (
    QUANTITIES[one.name].compared
    for one in (GOODPUT, FIRST_SAMPLE, ACCEPTED, DISCOVERY, REQUEST_RATE)
)

HEADLINE_OF = {
    "latency": MEDIAN,
    "response": MEDIAN,
    "one_way": MEDIAN,
    "discovery": OF_DISCOVERY,
    "service-capacity": OF_REQUESTS,
    "accepted": OF_ACTION,
    "matching": OF_MATCHING,
    "recovery": RECOVERY,
}
"""The figure by the kind of a case's headline; any other is of its goodput."""

HEADLINES = tuple(dict.fromkeys((OF_GOODPUT, *HEADLINE_OF.values())))
"""The figures that give a case its verdict: the first one that it has."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure of a case on one side."""

    figure: Figure | None
    """The figure with its own interval; None: there is none, and `reason` says why."""
    values: Mapping[int, float] = field(default_factory=dict)
    """Values by round."""
    level: stats.Level | None = None
    """For latencies: values with both levels of variation."""
    counts: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """For a share: hits and totals of each round."""
    latency: Quantity | None = None
    step_ns: float = 0.0
    """For a latency: the effect of one step of the clock; 0 if that is not known."""
    reason: str | None = None
    lost: bool = False
    """Whether the figure falls among the samples that were lost, which are later than any."""
    off_ns: float = 0.0
    """How far a latency may be off, either way, because its ends are stamped by two clocks."""


Figures = dict[str, Measurement]


@dataclass(slots=True)
class CaseMeasured:
    """All figures of a case."""

    figures: Figures
    rounds: int
    measured_s: float
    problems: list[str]
    """Rounds that could not be read."""
    headline: str | None = None
    """The figure that the scenario wants it to be compared by; None: the first of `HEADLINES`."""

    def only(self, *names: str) -> CaseMeasured:
        """Keep these figures alone; none of them, for whoever needs the counts only."""
        kept = {name: self.figures[name] for name in names if name in self.figures}
        return replace(self, figures=kept)


def measured(
    case: CaseSummary, rows: Sequence[Row], step_ns: float, problems: Iterable[str] = ()
) -> CaseMeasured:
    """Return the figures of a case, and the one by which the scenario wants it compared. `rows`: of
    the rounds that count; `step_ns`: the step of the clock, 0 where it is not known."""
    figures: Figures = {}
    if case.test in SEARCHES:
        reason = None if case.sustained else "the search found no rate"
        of = HEADLINE_OF.get(case.test, OF_GOODPUT)
        figures[of] = Measurement(case.sustained, reason=reason)
    elif case.test == "throughput":
        figures |= of_rounds(case.test, case.params, rows, of_stream=True)
    for series, times in case.by_round.items():
        for name, each in times.statistics.items():
            figures[f"{name}.{series}"] = _of(each, times.quantity, step_ns)
    figures |= of_rounds(case.test, case.params, rows, of_stream=False)
    figures |= dict(_asked(case))
    headline = HEADLINE_OF.get(case.headline.kind, OF_GOODPUT) if case.headline else None
    count = _rounds(figures.get(headline or "")) or len(rows)
    seconds = sum(row["measured_s"] or 0.0 for row in rows)
    return CaseMeasured(figures, count, seconds, list(problems), headline)


def _rounds(headline: Measurement | None) -> int:
    if headline is None or headline.figure is None:
        return 0
    return len(headline.values) or headline.figure.rounds


def _of(each: ByRound, quantity: Quantity, step_ns: float) -> Measurement:
    halved = quantity == "half_round_trip"
    return Measurement(
        each.figure,
        values=dict(zip(each.rounds, each.values, strict=True)),
        level=each.level,
        latency=quantity,
        step_ns=step_ns / 2 if halved else step_ns,
        reason=each.reason,
        lost=each.lost,
        off_ns=each.off_ns,
    )


def _asked(case: CaseSummary) -> Iterator[tuple[str, Measurement]]:
    """Yield what is compared because the scenario asks for it."""
    kind = case.headline.kind if case.headline else ""
    if case.headline and kind == "matching":
        found = {
            each.round: 1e9 * each.discovery_s
            for each in case.attempts
            if each.status == "ok" and each.discovery_s is not None
        }
        yield OF_MATCHING, Measurement(case.headline.figure, values=found)
    elif case.headline and kind == "recovery":
        yield RECOVERY, Measurement(case.headline.figure)


def of_rounds(test: str, params: Parameters, rows: Sequence[Row], *, of_stream: bool) -> Figures:
    """Return what is compared besides latencies; `of_stream`: of what a stream carried."""
    found = {
        name: _shares(one, rows) if one.share_of_round else _per_round(one, params, rows)
        for name, one in COMPARED.items()
        if test in one.tests and name.endswith(".throughput") == of_stream
    }
    return {
        name: each for name, each in found.items() if each.values or not COMPARED[name].optional
    }


def _per_round(one: Compared, params: Parameters, rows: Sequence[Row]) -> Measurement:
    assert one.of_round
    found = {row["round"]: v for row in rows if (v := one.of_round(row, params)) is not None}
    counted = [row for row in rows if row["round"] in found]
    total = sum((row[one.counted] or 0) if one.counted else 1 for row in counted)
    mean = over_rounds(list(found.values()), one.unit(params), total)
    return Measurement(mean, values=found, reason=None if mean else one.otherwise)


def _shares(one: Compared, rows: Sequence[Row]) -> Measurement:
    assert one.share_of_round
    counts = {row["round"]: c for row in rows if (c := one.share_of_round(row)) is not None}
    if not counts:
        return Measurement(None, reason=one.otherwise)
    hits, totals = zip(*counts.values(), strict=True)
    shares = {number: some / of for number, (some, of) in counts.items()}
    mean = mean_over_rounds(list(shares.values()), "1", sum(totals), within=stats.SHARE)
    return Measurement(mean, values=shares, counts=(hits, totals))
