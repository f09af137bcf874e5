"""Requirements: which cases meet them, which miss them, and where the rounds cannot tell.

A limit on a percentile of latency is a limit on a share: "p99 is at most X" says that at most 1 %
of the samples exceed X, lost ones among them (`stats.exceedance`). So it is decided whether or not
the percentile itself can be stated. Any other figure is held against the limit with its interval.
A limit of 0 asks for none in the rounds that count: no measurement shows that a share is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any, Literal

from busmark import stats
from busmark.compare.samples import Latencies, round_latencies
from busmark.errors import UserError, together
from busmark.estimate import Estimated, of_case, rounds
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.figure import CONFIDENCE, Figure, FloatArray, Frozen
from busmark.model.latency import LatencyByRound
from busmark.model.quantities import LOSS
from busmark.model.text import SCALES, count, figure_text, number, percent_text, plural
from busmark.scenario.requirement import Requirement
from busmark.store import Result

Verdict = Literal["met", "missed", "undecided"]


class RequirementVerdict(Frozen):
    """A requirement, and what one case says to it."""

    requirement: str
    """As it was written."""
    where: str
    """The parameters that it is for, as text; empty: all cases."""
    case: str
    label: str
    verdict: Verdict
    figure: str
    """What was held against the limit: a figure, such as `median(cpu)`; or of which samples the
    share was."""
    value: float | None
    low: float | None
    high: float | None
    unit: str
    percentile_ns: float | None = None
    """Where the requirement is one on a percentile: that, as a typical round has it; null where it
    cannot be stated."""
    limit: float
    """In the same unit."""
    at_most: bool
    count: int | None
    """Samples that it rests on."""
    rounds: int
    reason: str
    """In a sentence, with the figures."""
    more_rounds: int | None = None
    """Where it is undecided: about how many more would decide it; null: no number in reach."""
    fails: bool
    """Whether the exit code is 1 because of it."""


MOST_ROUNDS = 10_000
"""More rounds than this decide nothing in practice."""


def judge(
    result: Result, cases: Sequence[CaseSummary], requirements: Sequence[Requirement]
) -> list[RequirementVerdict]:
    """Return what every case says to every requirement that is for it.

    Raises:
        UserError: a requirement is for no case, or names a parameter that no case has.
    """
    rows = rounds.rows_of(result.cases)
    by_id = {case.id: case for case in cases}
    params = {case.id: dim.flatten(case.params) for case in cases}
    floors = {case.id for case in cases if case.is_floor}
    found: list[RequirementVerdict] = []
    wrong: list[UserError] = []
    for requirement in requirements:
        try:
            chosen = [by_id[case] for case in requirement.meant(params, floors)]
        except UserError as error:
            wrong.append(error)
            continue
        found += [
            _judged(_Case(result, case, rows.get(case.id, [])), requirement) for case in chosen
        ]
    if wrong:
        raise together(wrong, "requirements")
    return found


def _conditions(where: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in where.items())


@dataclass(frozen=True, slots=True)
class _Case:
    result: Result
    summary: CaseSummary
    rows: list[rounds.Row]

    @property
    def good(self) -> list[rounds.Row]:
        """Rows of the rounds that count."""
        return [row for row in rounds.last_attempts(self.rows) if row["status"] == "ok"]

    @property
    def _one_way(self) -> LatencyByRound | None:
        return next((each for each in self.summary.by_round if each.quantity == "one_way"), None)

    @property
    def off_ns(self) -> float:
        """How far one-way latencies may be off, either way, by two clocks."""
        return self._one_way.statistics["median"].off_ns if self._one_way else 0.0

    @property
    def unknown(self) -> str | None:
        """Why the case has no one-way latencies."""
        return self._one_way.statistics["median"].reason if self._one_way else None

    def latencies(self, quantity: str) -> dict[int, FloatArray]:
        """Return latencies by round in order of sending, infinity for each that was lost.

        Raises:
            UserError: a round cannot be read.
        """
        found: dict[int, FloatArray] = {}
        for row in self.good:
            of_round = round_latencies(self.result, self.summary.id, row, by_two_clocks=True)
            series = _series(of_round, quantity, str(row["test"]))
            if series is not None:
                found[row["round"]] = series
        return found


def _series(found: Latencies, quantity: str, test: str) -> FloatArray | None:
    """Return the latencies that a requirement means; None: the round has none."""
    pings = test == "latency"
    main, trips = found.get("latency"), found.get("round_trip")
    chosen: tuple[FloatArray | None, float] = {
        "latency": (main, 1.0),
        "half_round_trip": (main, 1.0) if pings else (trips, 0.5),
        "round_trip": (main, 2.0) if pings else (trips, 1.0),
        "one_way": (None if pings else main, 1.0),
    }.get(quantity, (None, 1.0))
    own, factor = chosen
    return None if own is None else own * factor


@dataclass(frozen=True, slots=True)
class _Said:
    verdict: Verdict
    reason: str
    figure: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    limit: float = 0.0
    at_most: bool = True
    count: int | None = None
    rounds: int = 0
    more: int | None = None
    percentile_ns: float | None = None


def _judged(case: _Case, requirement: Requirement) -> RequirementVerdict:
    said = _said(case, requirement)
    failing = said.verdict == "missed" or (
        said.verdict == "undecided" and requirement.undecided == "fail"
    )
    return RequirementVerdict(
        requirement=requirement.text,
        where=_conditions(requirement.where),
        case=case.summary.id,
        label=case.summary.label,
        verdict=said.verdict,
        figure=said.figure,
        value=said.value,
        low=said.low,
        high=said.high,
        unit=said.unit,
        limit=said.limit,
        at_most=said.at_most,
        count=said.count,
        rounds=said.rounds,
        reason=said.reason,
        more_rounds=said.more,
        percentile_ns=said.percentile_ns,
        fails=failing,
    )


def _said(case: _Case, requirement: Requirement) -> _Said:
    name = f"{requirement.statistic}({requirement.quantity})"
    if case.summary.status in ("unsupported", "not_run", "failed"):
        why = case.summary.reason or case.summary.status
        return _Said(
            "undecided",
            f"not measured: {why}",
            name,
            unit=requirement.unit,
            limit=requirement.limit,
            at_most=requirement.at_most,
        )
    if requirement.later_ns is not None or requirement.percent is not None:
        return _of_samples(case, requirement, name)
    if requirement.quantity == "loss":
        return _of_loss(case, requirement, name)
    return _of_figure(case, requirement, name)


def _of_samples(case: _Case, requirement: Requirement, name: str) -> _Said:
    """Return a percentile, or a share of late samples: the share that exceeds something."""
    beyond, percent = requirement.limit, requirement.percent
    allowed = requirement.limit if percent is None else 1.0 - percent / 100.0
    nothing = _Said("undecided", "", name, unit="1", limit=allowed, at_most=requirement.at_most)
    if percent is None:
        rate = case.summary.params.rate_hz
        period_ns = 1e9 / rate if isinstance(rate, int | float) and rate > 0 else None
        if requirement.period_share and period_ns is None:
            return _because(nothing, "it has no rate, so that there is no period")
        later = requirement.later_ns or 0.0
        beyond = max(requirement.period_share * (period_ns or 0.0), later)
    try:
        samples = case.latencies(requirement.quantity)
    except UserError as error:
        return _because(nothing, str(error).partition("\n")[0])
    quantity = _quantity(case.summary, requirement)
    row = _row(case.summary, quantity, requirement.statistic if percent else "median")
    if row and row.value is None and quantity == "one_way" and case.unknown:
        return _because(nothing, case.unknown)
    if not samples:
        return _because(nothing, f"no sample has a {requirement.quantity}")
    off_ns = case.off_ns if quantity == "one_way" else 0.0
    name = f"samples of all rounds later than {_time_text(beyond)}"
    share = percent or _percent_of(allowed)
    found = stats.exceedance(samples, beyond, share, CONFIDENCE, off=off_ns)
    own = sum(int((each > beyond).sum()) for each in samples.values())
    lost = sum(int((each == inf).sum()) for each in samples.values())
    facts = f"{count(own)} of {plural(found.estimate.count, 'sample')} took longer than "
    facts += _time_text(beyond) + (f", {count(lost)} of them lost" if lost else "")
    said = _of_share(found, own, allowed, requirement.at_most, name, facts)
    if percent is None:
        return said
    return replace(said, percentile_ns=row.value if row else None)


def _quantity(case: CaseSummary, requirement: Requirement) -> str:
    """Return the quantity in the table of estimates."""
    if requirement.quantity != "latency":
        return requirement.quantity
    return "half_round_trip" if case.test == "latency" else "one_way"


def _row(case: CaseSummary, quantity: str, statistic: str) -> Estimated | None:
    """Return the estimate of a typical round."""
    return next(
        (
            row
            for row in of_case(case)
            if row.quantity == quantity
            and row.statistic == statistic
            and row.scope == "case"
            and row.over == "rounds"
        ),
        None,
    )


def _percent_of(allowed: float) -> float:
    """Return the percentile that a share of late samples is a limit of."""
    return min(max(100.0 * (1.0 - allowed), 50.0), 99.999)


def _of_loss(case: _Case, requirement: Requirement, name: str) -> _Said:
    assert LOSS.compared and LOSS.compared.share_of_round
    lost = LOSS.compared.share_of_round
    pairs = [pair for row in case.good if (pair := lost(row))]
    nothing = _Said(
        "undecided", "", name, unit="1", limit=requirement.limit, at_most=requirement.at_most
    )
    if not pairs:
        return _because(nothing, "no round counts what is lost")
    hits, totals = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = stats.exceedance_of_counts(hits, totals, CONFIDENCE)
    facts = f"{count(sum(hits))} of {plural(sum(totals), 'sample')} lost"
    return _of_share(
        found, sum(hits), requirement.limit, requirement.at_most, "samples lost", facts
    )


def _of_share(
    found: stats.Exceedance, own: int, allowed: float, at_most: bool, name: str, facts: str
) -> _Said:
    estimate = found.estimate
    known: dict[str, Any] = {
        "figure": name,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": "1",
        "limit": allowed,
        "at_most": at_most,
        "count": estimate.count,
        "rounds": estimate.rounds,
    }
    share = percent_text(allowed)
    bound = f"at most {share} may" if at_most else f"at least {share} must"
    if allowed == 0.0 and at_most:
        verdict: Verdict = "missed" if own else "met"
        return _Said(verdict, f"{facts}; none may", **known)
    if estimate.low is None or estimate.high is None:
        return _Said("undecided", f"{facts}; one round has no interval", more=1, **known)
    interval = f"{percent_text(estimate.low)} to {percent_text(estimate.high)} with 95 %"
    facts = f"{facts}, {percent_text(estimate.value)} ({interval}); {bound}"
    verdict = _verdict(estimate.low, estimate.high, allowed, at_most)
    if verdict != "undecided":
        return _Said(verdict, facts, **known)
    needed = found.rounds_to_decide(allowed)
    more = None if needed is None else max(needed - estimate.rounds, 1)
    return _Said("undecided", f"{facts}; {_would_decide(more)}", more=more, **known)


def _of_figure(case: _Case, requirement: Requirement, name: str) -> _Said:
    row = _row(case.summary, _quantity(case.summary, requirement), requirement.statistic)
    known: dict[str, Any] = {
        "figure": name,
        "unit": requirement.unit,
        "limit": requirement.limit,
        "at_most": requirement.at_most,
    }
    if row is None or row.value is None:
        why = row.reason if row and row.reason else f"no {requirement.quantity} was measured"
        return _Said("undecided", why, **known)
    known |= {
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "count": row.count,
        "rounds": row.rounds,
    }
    low = row.value if row.low is None else row.low
    high = row.value if row.high is None else row.high
    if row.low is None and row.is_estimate:
        return _Said(
            "undecided",
            f"{_value_text(row)}; {plural(row.rounds, 'round')} give no interval",
            more=1,
            **known,
        )
    verdict = _verdict(low, high, requirement.limit, requirement.at_most)
    if verdict != "undecided":
        return _Said(verdict, _value_text(row), **known)
    more = _rounds_for(row, requirement.limit)
    return _Said("undecided", f"{_value_text(row)}; {_would_decide(more)}", more=more, **known)


def _verdict(low: float, high: float, limit: float, at_most: bool) -> Verdict:
    if high <= limit if at_most else low >= limit:
        return "met"
    return "missed" if (low > limit if at_most else high < limit) else "undecided"


def _rounds_for(row: Estimated, limit: float) -> int | None:
    """Return more rounds with which the interval would end at the limit: it narrows with their
    root."""
    assert row.value is not None and row.low is not None and row.high is not None
    distance = abs(row.value - limit)
    reach = row.high - row.value if row.value < limit else row.value - row.low
    if distance == 0.0:
        return None
    needed = ceil(row.rounds * (reach / distance) ** 2)
    return max(needed - row.rounds, 1) if needed < MOST_ROUNDS else None


def _would_decide(more: int | None) -> str:
    if more is None:
        return f"not even {count(MOST_ROUNDS)} rounds would decide it"
    return f"about {plural(more, 'more round')} would decide it"


def _value_text(row: Estimated) -> str:
    """Return value, interval and unit: "12.3 [11.0, 14.0] µs"."""
    assert row.value is not None
    figure = Figure(
        value=row.value,
        low=row.low,
        high=row.high,
        count=row.count,
        rounds=row.rounds,
        unit=row.unit,
    )
    if row.unit in SCALES:
        shown = figure_text(figure, SCALES[row.unit])
        return shown
    interval = (
        "" if row.low is None or row.high is None else (f" [{number(row.low)}, {number(row.high)}]")
    )
    return f"{number(row.value)}{interval} {row.unit}".rstrip()


def _time_text(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:g} {unit}"
    return f"{ns:g} ns"


def _because(said: _Said, reason: str) -> _Said:
    return replace(said, reason=reason)
