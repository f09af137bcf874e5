"""Criteria, held against every case of the baseline that they are for and that has their figure.

A limit on a percentile is decided by the share of samples beyond it (`stats.exceedance`), which has
an interval whether or not the percentile may be stated; any other by the interval of the figure. A
criterion is passed where the whole interval is within the limit, failed where all of it is beyond,
and else undecided. A case that the candidate does not measure any more is not passed either.

Where rounds ran in turn, a second test can fail a percentile whose share is beyond: the rounds in
which it is beyond its multiple of the baseline's own round (`stats.rounds_beyond`). What a busy
machine does to both sides of a pair is not in it, as it is in the share, whose limit is a
percentile of all of the baseline's rounds. Each test fails a case that is just at the limit in
2.5 % at most, so both together do in 5 % at most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, log
from typing import Any, Literal

import numpy as np

from busmark import stats
from busmark.compare.change import FigureChange, ratio
from busmark.compare.criterion import Criterion
from busmark.compare.measured import Measurement
from busmark.compare.model import CriterionVerdict, Outcome, Reason
from busmark.compare.samples import Samples
from busmark.compare.verdict import LEVEL, adjusted
from busmark.errors import UserError
from busmark.model import limits
from busmark.model.figure import CONFIDENCE, Figure, figure
from busmark.model.text import joined

POWER = 1.43
"""A ratio that a run like this one shows to be beyond a limit in four of five runs is as far from
it as 1.43 times the reach of its interval: (z(0.975) + z(0.8)) / z(0.975)."""

MOST_MORE = 1000
"""More rounds than this are no advice."""

Policy = Literal["fail", "pass"]
"""Result of a criterion that is undecided."""

MissingPolicy = Literal["fail", "skip"]
"""Result of a case that was not measured."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """Samples of a candidate that are beyond a limit on a percentile."""

    found: stats.Exceedance
    allowed: float
    """Share of samples that may be beyond the limit."""
    rounds: stats.RoundsBeyond | None
    """Number of rounds that are beyond the limit of their counterpart; None where no limit of a
    round is known."""
    tail: float
    """The candidate's percentile over its value beyond which `least_found` of its samples lie: how
    much less than the limit would have to be exceeded; NaN where that is not known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to be judged."""

    index: int
    case: str
    """Case of the baseline."""
    label: str
    candidate: str
    test: str
    params: Mapping[str, Any]
    """Parameters of the baseline's case, nested ones as `a.b`."""
    found: Sequence[FigureChange]
    beyond: Mapping[str, Beyond]
    """Samples beyond limits on percentiles, by the text of the criterion."""

    def figure(self, criterion: Criterion) -> FigureChange | None:
        """Return what the criterion is about."""
        name = criterion.names(self.test)
        return next((found for found in self.found if found.name == name), None)


@dataclass(frozen=True, slots=True)
class MissingCase:
    """A case of the baseline that was not measured with a candidate."""

    case: str
    label: str
    candidate: str
    test: str
    params: Mapping[str, Any]
    reason: str
    figures: Collection[str]
    """The figures of the baseline; empty where it was not measured either."""

    def has(self, criterion: Criterion) -> bool:
        """Return whether a criterion would be about it."""
        return not self.figures or criterion.names(self.test) in self.figures


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The verdict of one criterion on one case."""

    outcome: Outcome
    reason: Reason
    detail: str = ""
    least: float | None = None
    least_ratio: float | None = None
    more_rounds: int | None = None


def beyond(
    criteria: Iterable[Criterion], baseline: Samples, candidate: Samples, *, paired: bool
) -> dict[str, Beyond]:
    """Return what decides the criteria on percentiles, as far as both sides have samples."""
    found = {}
    for criterion in criteria:
        percent, test = criterion.percent, baseline.case.test
        if percent is None:
            continue
        quantity = criterion.names(test).rpartition(".")[2]
        mine, theirs = (side.by_quantity.get(quantity, {}) for side in (candidate, baseline))
        if not mine or not (theirs or criterion.absolute):
            continue
        limit, by_round = criterion.limit_of(test), None
        if criterion.absolute:
            one = stats.exceedance(mine, limit, percent, CONFIDENCE)
        else:
            one = stats.exceedance_of_baseline(
                mine, theirs, limit, percent, CONFIDENCE, paired=paired
            )
            by_round = stats.rounds_beyond(mine, theirs, limit, percent) if paired else None
        allowed = round(1.0 - percent / 100.0, 9)
        found[criterion.text] = Beyond(one, allowed, by_round, _tail(mine, one, allowed))
    return found


def _tail(rounds: Mapping[int, np.ndarray], found: stats.Exceedance, allowed: float) -> float:
    least = found.least_found(allowed)
    values = np.sort(np.concatenate(list(rounds.values())))
    if least is None or not np.isfinite(values[0]):
        return float("nan")
    ends = [float(values[max(ceil((1.0 - s) * values.size), 1) - 1]) for s in (allowed, least)]
    return ends[0] / ends[1] if np.isfinite(ends[0]) and ends[1] > 0.0 else float("nan")


@dataclass(frozen=True, slots=True)
class Gate:
    """The criteria, and what becomes of what is undecided or missing.

    `undecided`: None for "pass" with a ratio and "fail" with an absolute limit.
    """

    criteria: Sequence[Criterion] = ()
    undecided: Policy | None = None
    missing: MissingPolicy = "fail"

    def judge(
        self, candidates: Sequence[Candidate], missing: Sequence[MissingCase]
    ) -> list[CriterionVerdict]:
        """Return how every criterion ended for every case that has its figure.

        Raises:
            UserError: a criterion is for no case, or about a figure that none of its cases has: it
                could never fail.
        """
        found = []
        for criterion in self.criteria:
            own, gone = candidates, missing
            if criterion.where:
                cases = {each.case: each.params for each in candidates}
                cases |= {each.case: each.params for each in missing}
                where = f"--fail-if {criterion.text!r}"
                chosen = set(limits.matching(criterion.where, cases, where))
                own = [each for each in candidates if each.case in chosen]
                gone = [each for each in missing if each.case in chosen]
            found += self._of_one(criterion, own, gone)
        return found

    def _of_one(
        self, criterion: Criterion, candidates: Sequence[Candidate], missing: Sequence[MissingCase]
    ) -> list[CriterionVerdict]:
        of_each = [(c, found) for c in candidates if (found := c.figure(criterion)) is not None]
        gone = [one for one in missing if one.has(criterion)]
        if not of_each and not gone:
            names = dict.fromkeys(f.name for c in candidates for f in c.found)
            raise UserError(
                f"no case has {criterion.figure}, so it could never fail",
                where=f"--fail-if {criterion.text!r}",
                remedy=f"There are {joined(list(names))}." if names else "",
            )
        sides = dict.fromkeys(candidate.candidate for candidate, _ in of_each)
        of_sides = [[each for each in of_each if each[0].candidate == side] for side in sides]
        judged = [one for own in of_sides for one in self._compared(criterion, own)]
        judged.sort(key=lambda one: one.pair or 0)
        return judged + [
            self._judged(criterion, None, one, _Verdict("not measured", "not measured", one.reason))
            for one in gone
        ]

    def _compared(
        self, criterion: Criterion, of_each: Sequence[tuple[Candidate, FigureChange]]
    ) -> list[CriterionVerdict]:
        """Judge the cases of one candidate. Failures are adjusted by Holm over them: where all are
        just at the limit, any fails by chance alone with a probability of 5 % at most."""
        tests = [_Test.from_change(candidate, found, criterion) for candidate, found in of_each]
        p_adjusted = adjusted([test.p_value for test in tests])
        return [
            self._judged(criterion, candidate.index, candidate, test.verdict(p), test, p)
            for (candidate, _), test, p in zip(of_each, tests, p_adjusted, strict=True)
        ]

    def _judged(
        self,
        criterion: Criterion,
        pair: int | None,
        of: Candidate | MissingCase,
        verdict: _Verdict,
        test: _Test | None = None,
        p_adjusted: float | None = None,
    ) -> CriterionVerdict:
        undecided = self.undecided or ("fail" if criterion.absolute else "pass")
        fails = {
            "passed": False,
            "failed": True,
            "undecided": undecided == "fail",
            "not measured": self.missing == "fail",
        }[verdict.outcome]
        return CriterionVerdict(
            criterion=criterion.text,
            pair=pair,
            case=of.case,
            label=of.label,
            candidate=of.candidate,
            name=criterion.names(of.test),
            outcome=verdict.outcome,
            fails=fails,
            kind=test.kind if test else None,
            value=test.value if test else None,
            limit=test.limit_in_unit if test else None,
            beyond_ns=test.beyond_ns if test else None,
            reason=verdict.reason,
            detail=verdict.detail,
            p_adjusted=p_adjusted,
            least=verdict.least,
            least_ratio=verdict.least_ratio,
            more_rounds=verdict.more_rounds,
        )


@dataclass(frozen=True, slots=True)
class _Test:
    """The evidence that decides a criterion for one case."""

    criterion: Criterion
    found: FigureChange
    limit: float
    """Limit for `p_value`: a share of samples, a ratio, or a difference of shares."""
    beyond: Beyond | None
    change: stats.Change | None
    own_limit: float
    """The criterion's limit for the case's own figure."""
    unit: str = ""
    """Unit of an absolute limit."""

    @classmethod
    def from_change(cls, candidate: Candidate, found: FigureChange, criterion: Criterion) -> _Test:
        limit = criterion.limit_of(candidate.test)
        share = candidate.beyond.get(criterion.text)
        if share is not None and np.isfinite(share.found.limit):
            return cls(criterion, found, share.allowed, share, None, limit)
        if not criterion.absolute:
            return cls(criterion, found, limit, None, found.tested, limit)
        own = found.candidate.figure if found.candidate else None
        if own is None or own.low is None or own.low <= 0.0:
            return cls(criterion, found, limit, None, None, limit)
        if own.unit != criterion.unit:
            return cls(criterion, found, limit, None, None, limit, own.unit)
        exact = own.model_copy(update=dict.fromkeys(("value", "low", "high"), limit))
        change = ratio(Measurement(exact), Measurement(own), paired=False)
        return cls(criterion, found, 1.0, None, change, limit, own.unit)

    @property
    def p_value(self) -> float | None:
        """The p-value of the limit: of the figure itself, or of rounds where that is smaller and
        the figure is beyond the limit, too."""
        p_value, by_rounds = self._p_of_figure, self._p_of_rounds
        if p_value is None or by_rounds is None or not self._is_beyond:
            return p_value
        return min(p_value, by_rounds)

    @property
    def _p_of_figure(self) -> float | None:
        if self.beyond is not None:
            return self.beyond.found.p_value(self.limit)
        return None if self.change is None else self.change.p_value(self.limit)

    @property
    def _p_of_rounds(self) -> float | None:
        if self.beyond is None or self.beyond.rounds is None:
            return None
        return self.beyond.rounds.p_value(above=self.criterion.above)

    @property
    def _is_beyond(self) -> bool:
        value = self._ends[0]
        return value > self.limit if self.criterion.above else value < self.limit

    @property
    def kind(self) -> Literal["share", "value", "ratio", "difference"]:
        """Return what is compared with the limit."""
        if self.beyond is not None:
            return "share"
        if self.criterion.absolute:
            return "value"
        return "ratio" if self.found.is_ratio else "difference"

    @property
    def value(self) -> Figure | None:
        """The figure that is compared with the limit."""
        if self.beyond is not None:
            share = self.beyond.found.estimate
            return figure(share, "1", share.count)
        if not self.criterion.absolute:
            return self.found.change
        return self.found.candidate.figure if self.found.candidate else None

    @property
    def limit_in_unit(self) -> float:
        """The limit in the unit of `value`."""
        return self.own_limit if self.kind == "value" else self.limit

    @property
    def beyond_ns(self) -> float | None:
        """The latency beyond which `value` is the share of samples."""
        return self.beyond.found.limit if self.beyond else None

    def verdict(self, p_adjusted: float | None) -> _Verdict:
        """Return the verdict by the figure itself; but nobody meets a limit by losing what is
        slow."""
        verdict, losses = self._by_values(p_adjusted), self.found.losses
        if self.beyond or losses is None or not losses.more or verdict.outcome == "failed":
            return verdict
        return _Verdict("failed" if losses.shown else "undecided", "loses more", losses.text)

    def _by_values(self, p_adjusted: float | None) -> _Verdict:
        p_value = self.p_value
        if p_value is None or p_adjusted is None:
            return self._without_test()
        value, low, high = self._ends
        if not self._is_beyond:
            exact = value == self.limit and low == high
            within = p_value <= LEVEL or exact
            if within:
                return _Verdict("passed", "within the limit")
            return self._undecided("interval includes the limit")
        if p_adjusted <= LEVEL:
            return self._failed()
        return self._undecided(
            "several cases" if p_value <= LEVEL else "interval includes the limit"
        )

    def _failed(self) -> _Verdict:
        """Return the failure with what shows it: the interval, unless only the rounds do."""
        own, rounds = self._p_of_figure, self.beyond.rounds if self.beyond else None
        if rounds is None or (own is not None and own <= LEVEL):
            return _Verdict("failed", "beyond the limit")
        count = rounds.above if self.criterion.above else rounds.below
        return _Verdict("failed", "rounds beyond the limit", f"{count} of {rounds.rounds}")

    @property
    def _ends(self) -> tuple[float, float, float]:
        estimate = self.beyond.found.estimate if self.beyond else None
        if estimate is None:
            assert self.change is not None
            estimate = self.change.estimate
        assert estimate.low is not None and estimate.high is not None
        return estimate.value, estimate.low, estimate.high

    def _without_test(self) -> _Verdict:
        """Return the verdict where there is no interval, or no figure."""
        tested = self.found.tested
        if self.beyond is not None or (tested is not None and tested.estimate.low is None):
            return _Verdict("undecided", "one round")
        found, mine, theirs = self.found, self.found.candidate, self.found.baseline
        gone = mine is None or (mine.figure is None and not mine.lost)
        if gone and theirs is not None and theirs.figure is not None:
            return _Verdict("not measured", "no figure", found.reason or "")
        if self.unit and self.change is None:
            return _Verdict("undecided", "other unit", f"the figure is in {self.unit}")
        if self.criterion.percent is not None and theirs is not None and theirs.lost:
            losses = self.found.losses
            kept = mine is not None and not mine.lost and self.criterion.above
            if kept and losses and losses.shown and not losses.more:
                return _Verdict("passed", "loses less", losses.text)
            return _Verdict("undecided", "lost in baseline", losses.text if losses else "")
        return _Verdict("undecided", "no interval", found.reason or "")

    def _undecided(self, reason: Reason) -> _Verdict:
        """Return the verdict with what the run could have found, and what would decide it."""
        least, ratio = self._least()
        return _Verdict("undecided", reason, "", least, ratio, self._more_rounds())

    def _least(self) -> tuple[float | None, float | None]:
        """Return the least value that four of five runs like this one show beyond the limit, in the
        unit
        of `value`; for a share also the change of the percentile that this is."""
        if self.beyond is not None:
            share = self.beyond.found.least_found(self.limit) if self.criterion.above else None
            ratio = self.criterion.limit * self.beyond.tail
            known = share is not None and not self.criterion.absolute and np.isfinite(ratio)
            return share, ratio if known else None
        assert self.change is not None
        value, low, high = self._ends
        above = self.criterion.above
        if not self.change.log:
            reach = POWER * (value - low if above else high - value)
            return self.limit + reach if above else self.limit - reach, None
        if min(value, low) <= 0.0:
            return None, None
        reach = POWER * (log(value / low) if above else log(high / value))
        least = self.limit * exp(reach if above else -reach)
        return least * self.own_limit if self.criterion.absolute else least, None

    def _more_rounds(self) -> int | None:
        if self.beyond is not None:
            needed = self.beyond.found.rounds_to_decide(self.limit)
            rounds = self.beyond.found.estimate.rounds
        else:
            assert self.change is not None
            rounds, needed = self.change.estimate.rounds, self._rounds_for_change()
        more = None if needed is None else max(needed - rounds, 1)
        return more if more is not None and more <= MOST_MORE else None

    def _rounds_for_change(self) -> int | None:
        """Return rounds with which the interval would reach from the value to the limit."""
        assert self.change is not None
        value, low, high = self._ends
        if self.change.log and min(value, low) <= 0.0:
            return None
        on_scale = log if self.change.log else float
        distance = abs(on_scale(value) - on_scale(self.limit))
        reach = on_scale(value) - on_scale(low)
        if value < self.limit:
            reach = on_scale(high) - on_scale(value)
        if distance == 0.0:
            return None
        needed = self.change.estimate.rounds * (reach / distance) ** 2
        return ceil(needed) if needed < 2 * MOST_MORE else None
