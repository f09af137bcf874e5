"""Requirements: which cases meet them, which miss them, and where the rounds cannot tell.

A limit on a percentile of latency is a limit on a share: "p99 is at most X" says that at most 1 %
of the samples exceed X, lost ones among them (`stats.exceedance`). So it is decided whether or not
the percentile itself can be stated. Any other figure is held against the limit with its interval.
A limit of 0 asks for none in the rounds that count: no measurement shows that a share is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Literal

from busmark import stats
from busmark.compare.measured import of_rounds, series_of
from busmark.compare.samples import estimated, of_all, round_latencies
from busmark.errors import UserError, together
from busmark.estimate import rounds
from busmark.model import limits
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.distribution import Distribution, Percentile
from busmark.model.figure import CONFIDENCE, LATENCY_OF, FloatArray, Frozen
from busmark.model.figures import Estimated, row_of
from busmark.model.quantities import LOSS
from busmark.model.text import SCALES, count, figure_text, joined, number, percent_text, plural
from busmark.scenario.requirement import Requirement
from busmark.store import Result

Verdict = Literal["met", "missed", "undecided", "not applicable"]
"""not applicable: a case of this kind cannot have what is limited; it counts as no other."""


class RequirementVerdict(Frozen):
    """A requirement, and what one case says to it."""

    requirement: str
    """The requirement with its statistic and unit: `median(latency) <= 2 ms`."""
    where: str
    """The parameters that it is for, as text; empty: all cases."""
    case: str
    label: str
    verdict: Verdict
    figure: str
    """Figure that was compared with the limit, such as `median(cpu)`; for a share, the samples that
    it is of."""
    value: float | None
    low: float | None
    high: float | None
    unit: str
    percentile_ns: float | None = None
    """For a requirement on a percentile: value of the percentile by the samples of all rounds, like
    the share; null where it cannot be stated."""
    percentile_low_ns: float | None = None
    percentile_high_ns: float | None = None
    """Upper limit of the percentile's 95 % interval."""
    later_ns: float | None = None
    """For a share of late samples: time after which a sample is late, as a lost sample is too; null
    for other figures."""
    limit: float
    """Limit in the same unit."""
    at_most: bool
    count: int | None
    """Samples that it rests on."""
    rounds: int
    reason: str
    """Reason for the verdict in a sentence, with the figures."""
    more_rounds: int | None = None
    """Where the verdict is undecided: about how many more rounds would decide it; null: no number
    in reach."""
    fails: bool
    """Whether the exit code is 1 because of it."""


MOST_ROUNDS = 10_000
"""More rounds than this decide nothing in practice."""


def judge(
    result: Result, cases: Sequence[CaseSummary], requirements: Sequence[Requirement]
) -> list[RequirementVerdict]:
    """Return what every case says to every requirement that is for it; of two that say the same,
    the last.

    Raises:
        UserError: a requirement is for no case, names a parameter that no case has, or is on what
            none of its cases can have.
    """
    rows = rounds.rows_of(result.cases)
    by_id = {case.id: case for case in cases}
    params = {case.id: dim.flatten(case.params) for case in cases}
    floors = {case.id for case in cases if case.is_floor}
    found: list[RequirementVerdict] = []
    wrong: list[UserError] = []
    for requirement in {each.key: each for each in requirements}.values():
        try:
            chosen = [by_id[case] for case in requirement.meant(params, floors)]
            _check_applicable(requirement, chosen)
        except UserError as error:
            wrong.append(error)
            continue
        found += [
            _judged(_Case(result, case, rows.get(case.id, [])), requirement) for case in chosen
        ]
    if wrong:
        raise together(wrong, "requirements")
    return found


def _check_applicable(requirement: Requirement, chosen: Sequence[CaseSummary]) -> None:
    if any(_inapplicable(requirement, case) is None for case in chosen):
        return
    tests = joined(requirement.subject.row.tests, "or")
    raise UserError(
        f"no case can have it: {_inapplicable(requirement, chosen[0])}",
        where=f"require {requirement.text!r}",
        remedy=f"{requirement.quantity} is of the test {tests}"
        + (" at a rate." if requirement.period_share else "."),
    )


def _inapplicable(requirement: Requirement, case: CaseSummary) -> str | None:
    """Return why a case of this kind cannot have what is limited; None: it can."""
    if case.test not in requirement.subject.row.tests:
        return f"the test {case.test} has no {requirement.quantity}"
    if requirement.period_share and requirement.subject.beyond_ns(case.params.rate_hz) is None:
        return "it has no rate, so that there is no period"
    return None


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
    def _one_way(self) -> Distribution | None:
        return self.summary.times("one_way")

    @property
    def off_ns(self) -> float:
        """How far one-way latencies may be off, either way, because they are measured by two
        clocks."""
        return self._one_way.bound_ns if self._one_way else 0.0

    @property
    def unknown(self) -> str | None:
        """Why the case has no one-way latencies, if not because most were lost."""
        found = self._one_way.row("median") if self._one_way else None
        return found.reason if found and found.value is None and found.bound is None else None

    def latencies(self, quantity: str) -> dict[int, FloatArray]:
        """Return latencies by round in order of sending, infinity for each that was lost.

        Raises:
            UserError: a round cannot be read.
        """
        found: dict[int, FloatArray] = {}
        for row in self.good:
            of_round = round_latencies(self.result, self.summary.id, row, by_two_clocks=True)
            series = series_of(quantity, self.summary.test)
            if series and series.name in of_round:
                found[row["round"]] = of_round[series.name] * series.factor
        return found


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
    percentile: Percentile | None = None
    later_ns: float | None = None


def _judged(case: _Case, requirement: Requirement) -> RequirementVerdict:
    said = _said(case, requirement)
    failing = said.verdict == "missed" or (
        said.verdict == "undecided" and requirement.undecided == "fail"
    )
    percentile = said.percentile
    return RequirementVerdict(
        requirement=str(requirement),
        where=requirement.conditions,
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
        percentile_ns=percentile.value_ns if percentile else None,
        percentile_low_ns=percentile.low_ns if percentile else None,
        percentile_high_ns=percentile.high_ns if percentile else None,
        later_ns=said.later_ns,
        fails=failing,
    )


def _nothing(requirement: Requirement) -> _Said:
    """Return what is known of any case: what is held against which limit."""
    unit, allowed, figure = requirement.unit, requirement.limit, str(requirement.subject)
    if requirement.percent is not None:
        unit, allowed = "1", round(1.0 - requirement.percent / 100.0, 12)
        figure = _later(requirement.limit)
    elif requirement.later_ns is not None:
        period = limits.UNITS["1"].text(requirement.period_share)
        figure = _later(requirement.later_ns)
        if requirement.period_share:
            figure = figure.replace(" than ", f" than {period} of the period and than ")
    elif requirement.subject.is_share_of_samples:
        figure = "samples lost"
    return _Said("undecided", "", figure, unit=unit, limit=allowed, at_most=requirement.at_most)


def _later(ns: float) -> str:
    return f"samples later than {limits.UNITS['ns'].text(ns)}"


def _said(case: _Case, requirement: Requirement) -> _Said:
    nothing = _nothing(requirement)
    if why := _inapplicable(requirement, case.summary):
        return replace(nothing, verdict="not applicable", reason=why)
    if case.summary.status in ("unsupported", "not_run", "failed"):
        why = case.summary.reason or case.summary.status
        return _because(nothing, f"not measured: {why}")
    if requirement.later_ns is not None or requirement.percent is not None:
        return _of_samples(case, requirement, nothing)
    if requirement.subject.is_share_of_samples:
        return _of_loss(case, nothing)
    return _of_figure(case, requirement, nothing)


def _of_samples(case: _Case, requirement: Requirement, nothing: _Said) -> _Said:
    """Return a percentile, or a share of late samples: the share that exceeds something."""
    beyond, percent, allowed = requirement.limit, requirement.percent, nothing.limit
    if percent is None:
        beyond = requirement.subject.beyond_ns(case.summary.params.rate_hz) or 0.0
    nothing = replace(nothing, later_ns=beyond)
    try:
        samples = case.latencies(requirement.quantity)
    except UserError as error:
        return _because(nothing, str(error).partition("\n")[0])
    by_two_clocks = _quantity(case.summary, requirement) == "one_way"
    if by_two_clocks and case.unknown:
        return _because(nothing, case.unknown)
    off_ns = case.off_ns if by_two_clocks else 0.0
    if not samples:
        return _because(nothing, f"no sample has a {requirement.quantity}")
    found = stats.exceedance(
        samples, beyond, percent or _percent_of(allowed), CONFIDENCE, off=off_ns
    )
    own = sum(int((each > beyond).sum()) for each in samples.values())
    lost = sum(int((each == inf).sum()) for each in samples.values())
    facts = f"{count(own)} of {plural(found.estimate.count, 'sample')} took longer than "
    facts += limits.UNITS["ns"].text(beyond) + (f", {count(lost)} of them lost" if lost else "")
    said = _of_share(found, own, nothing, facts)
    if percent is None:
        return said
    return replace(said, percentile=of_all(samples, percent, bound_ns=off_ns))


def _quantity(case: CaseSummary, requirement: Requirement) -> str:
    """Return the quantity in the table of estimates."""
    if requirement.quantity != "latency":
        return requirement.quantity
    return LATENCY_OF.get(case.test, "one_way")


def _row(case: _Case, requirement: Requirement) -> Estimated | None:
    """Return the estimate of a typical round, or what comparisons alone have of all rounds."""
    quantity = _quantity(case.summary, requirement)
    found = estimated(case.summary, quantity, requirement.statistic)
    name = requirement.subject.row.compared
    if found or not name:
        return found
    known = of_rounds(case.summary.test, case.summary.params, case.good, of_stream=False)
    figure = known[name].figure if name in known else None
    reason = known[name].reason if name in known else None
    if figure is None:
        return Estimated(quantity, requirement.statistic, None, requirement.unit, reason=reason)
    row = row_of(figure, quantity, requirement.statistic)
    return replace(row, unit=requirement.unit, reason=reason)


def _percent_of(allowed: float) -> float:
    """Return the percentile that a share of late samples is a limit of."""
    return min(max(100.0 * (1.0 - allowed), 50.0), 99.999)


def _of_loss(case: _Case, nothing: _Said) -> _Said:
    assert LOSS.compared and LOSS.compared.share_of_round
    lost = LOSS.compared.share_of_round
    pairs = [pair for row in case.good if (pair := lost(row))]
    if not pairs:
        return _because(nothing, "no round counts what is lost")
    hits, totals = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = stats.exceedance_of_counts(hits, totals, CONFIDENCE)
    facts = f"{count(sum(hits))} of {plural(sum(totals), 'sample')} lost"
    return _of_share(found, sum(hits), nothing, facts)


def _of_share(found: stats.Exceedance, own: int, nothing: _Said, facts: str) -> _Said:
    estimate, allowed, at_most = found.estimate, nothing.limit, nothing.at_most
    known = replace(
        nothing,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        count=estimate.count,
        rounds=estimate.rounds,
    )
    share = percent_text(allowed)
    bound = f"at most {share} may" if at_most else f"at least {share} must"
    if allowed == 0.0 and at_most:
        return replace(known, verdict="missed" if own else "met", reason=f"{facts}; none may")
    if estimate.low is None or estimate.high is None:
        return replace(known, reason=f"{facts}; one round has no interval", more=1)
    interval = f"{percent_text(estimate.low)} to {percent_text(estimate.high)} with 95 %"
    facts = f"{facts}, {percent_text(estimate.value)} ({interval}); {bound}"
    verdict = _verdict(estimate.low, estimate.high, allowed, at_most)
    if verdict != "undecided":
        return replace(known, verdict=verdict, reason=facts)
    needed = found.rounds_to_decide(allowed)
    more = None if needed is None else max(needed - estimate.rounds, 1)
    return replace(known, reason=f"{facts}; {_would_decide(more)}", more=more)


def _of_figure(case: _Case, requirement: Requirement, nothing: _Said) -> _Said:
    row = _row(case, requirement)
    if row is None or row.value is None:
        why = row.reason if row and row.reason else f"no {requirement.quantity} was measured"
        return _because(nothing, why)
    known = replace(
        nothing, value=row.value, low=row.low, high=row.high, count=row.count, rounds=row.rounds
    )
    low = row.value if row.low is None else row.low
    high = row.value if row.high is None else row.high
    facts = _value_text(row)
    if row.low is None and row.is_estimate:
        few = f"{plural(row.rounds, 'round')} give no interval"
        return replace(known, reason=f"{facts}; {few}", more=1)
    verdict = _verdict(low, high, requirement.limit, requirement.at_most)
    if verdict != "undecided":
        return replace(known, verdict=verdict, reason=facts)
    more = _rounds_for(row, requirement.limit)
    return replace(known, reason=f"{facts}; {_would_decide(more)}", more=more)


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
    figure = row.figure
    assert figure is not None
    if row.unit in SCALES:
        shown = figure_text(figure, SCALES[row.unit])
        return shown
    interval = (
        "" if row.low is None or row.high is None else (f" [{number(row.low)}, {number(row.high)}]")
    )
    return f"{number(row.value)}{interval} {row.unit}".rstrip()


def _because(said: _Said, reason: str) -> _Said:
    return replace(said, reason=reason)
