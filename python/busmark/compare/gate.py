"""Criteria, held against every case of the baseline that has their figure.

A limit on a percentile is decided by the share of samples beyond it (`stats.exceedance`), which has
an interval whether or not the percentile may be stated; any other by the interval of the figure. A
criterion is met where the whole interval is within the limit, missed where all of it is beyond, and
else undecided. A case that the candidate does not measure any more is not met either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, exp, log
from typing import Literal

import numpy as np

from busmark import stats
from busmark.compare.change import Found, ratio
from busmark.compare.criterion import Criterion
from busmark.compare.measured import Measured
from busmark.compare.model import Judged, Outcome
from busmark.compare.samples import Samples
from busmark.compare.verdict import LEVEL, adjusted, direction
from busmark.errors import UserError
from busmark.model.figure import CONFIDENCE, Figure, figure
from busmark.model.text import (
    MINUS,
    SCALES,
    count,
    decimals,
    figure_text,
    joined,
    number,
    percent_text,
    plural,
)

MOST_PLACES = 4

LEAST_SHOWN = 1e-5
"""A smaller share is not shown in full."""

POWER = 1.43
"""A ratio that a run like this one shows to be beyond a limit in four of five runs is as far from
it as 1.43 times the reach of its interval: (z(0.975) + z(0.8)) / z(0.975)."""

MOST_MORE = 1000
"""More rounds than this are no advice."""

Policy = Literal["fail", "pass"]
"""What becomes of what is undecided."""

MissingPolicy = Literal["fail", "skip"]
"""What becomes of a case that was not measured."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """How many samples of a candidate are beyond a limit on a percentile."""

    found: stats.Exceedance
    allowed: float
    """Share of samples that may be."""
    tail: float
    """The candidate's percentile over its value beyond which `least_found` of its samples lie: how
    much less than the limit would have to be exceeded; NaN where that is not known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to be judged."""

    index: int
    case: str
    """The baseline's."""
    label: str
    candidate: str
    test: str
    found: Sequence[Found]
    beyond: Mapping[str, Beyond]
    """By the text of the criterion."""

    def figure(self, criterion: Criterion) -> Found | None:
        """What the criterion is about."""
        name = criterion.names(self.test)
        return next((found for found in self.found if found.name == name), None)


@dataclass(frozen=True, slots=True)
class Missing:
    """A case of the baseline that was not measured with a candidate."""

    case: str
    label: str
    candidate: str
    test: str
    reason: str
    figures: Collection[str]
    """The figures of the baseline; empty where it was not measured either."""

    def has(self, criterion: Criterion) -> bool:
        """Whether a criterion would be about it."""
        return not self.figures or criterion.names(self.test) in self.figures


@dataclass(frozen=True, slots=True)
class _Said:
    """How one criterion ended for one case."""

    outcome: Outcome
    reason: str
    share: Figure | None = None
    least_found: str | None = None
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
        limit = criterion.limit_of(test)
        if criterion.absolute:
            one = stats.exceedance(mine, limit, percent, CONFIDENCE)
        else:
            one = stats.exceedance_of_baseline(
                mine, theirs, limit, percent, CONFIDENCE, paired=paired
            )
        allowed = round(1.0 - percent / 100.0, 9)
        found[criterion.text] = Beyond(one, allowed, _tail(mine, one, allowed))
    return found


def _tail(rounds: Mapping[int, np.ndarray], found: stats.Exceedance, allowed: float) -> float:
    """See `Beyond.tail`."""
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

    def judge(self, candidates: Sequence[Candidate], missing: Sequence[Missing]) -> list[Judged]:
        """Return how every criterion ended for every case that has its figure.

        Raises:
            UserError: a criterion is about a figure that no case has: it could never fail.
        """
        return [one for c in self.criteria for one in self._of_one(c, candidates, missing)]

    def _of_one(
        self, criterion: Criterion, candidates: Sequence[Candidate], missing: Sequence[Missing]
    ) -> list[Judged]:
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
            self._judged(criterion, None, one, _Said("not measured", one.reason), None)
            for one in gone
        ]

    def _compared(
        self, criterion: Criterion, of_each: Sequence[tuple[Candidate, Found]]
    ) -> list[Judged]:
        """Missing is adjusted by Holm over the cases of one candidate: that any is missed by chance
        alone has a probability of 2.5 % at most, where all are just at the limit."""
        tests = [_Test.of(candidate, found, criterion) for candidate, found in of_each]
        p_adjusted = adjusted([test.p_value for test in tests])
        count = sum(p is not None for p in p_adjusted)
        return [
            self._judged(criterion, candidate.index, candidate, test.said(p, count), p)
            for (candidate, _), test, p in zip(of_each, tests, p_adjusted, strict=True)
        ]

    def _judged(
        self, criterion: Criterion, pair: int | None, of: Candidate | Missing, said: _Said,
        p_adjusted: float | None,
    ) -> Judged:  # fmt: skip
        undecided = self.undecided or ("fail" if criterion.absolute else "pass")
        fails = {
            "met": False, "missed": True, "undecided": undecided == "fail",
            "not measured": self.missing == "fail",
        }[said.outcome]  # fmt: skip
        return Judged(
            criterion=criterion.text, pair=pair, case=of.case, label=of.label,
            candidate=of.candidate, name=criterion.names(of.test), outcome=said.outcome,
            fails=fails, reason=said.reason, p_adjusted=p_adjusted, share_beyond=said.share,
            least_found=said.least_found, more_rounds=said.more_rounds,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Test:
    """What decides a criterion for one case."""

    criterion: Criterion
    found: Found
    limit: float
    """As `p_value` takes it: a share of samples, a ratio, or a difference of shares."""
    beyond: Beyond | None
    change: stats.Change | None
    unit: str = ""
    """Unit of an absolute limit."""

    @classmethod
    def of(cls, candidate: Candidate, found: Found, criterion: Criterion) -> _Test:
        limit = criterion.limit_of(candidate.test)
        share = candidate.beyond.get(criterion.text)
        if share is not None and np.isfinite(share.found.limit):
            return cls(criterion, found, share.allowed, share, None)
        if not criterion.absolute:
            return cls(criterion, found, limit, None, found.tested)
        own = found.candidate.figure if found.candidate else None
        if own is None or own.low is None or own.low <= 0.0:
            return cls(criterion, found, limit, None, None)
        fits = own.unit in {"throughput": ("Mbit/s",)}.get(found.name.rpartition(".")[2], ("ns",))
        if not fits:
            return cls(criterion, found, limit, None, None, own.unit)
        exact = own.model_copy(update=dict.fromkeys(("value", "low", "high"), limit))
        change = ratio(Measured(exact), Measured(own), paired=False)
        return cls(criterion, found, 1.0, None, change, own.unit)

    @property
    def p_value(self) -> float | None:
        if self.beyond is not None:
            return self.beyond.found.p_value(self.limit)
        return None if self.change is None else self.change.p_value(self.limit)

    def said(self, p_adjusted: float | None, tests: int) -> _Said:
        """By the figure itself; but nobody meets a limit by losing what is slow."""
        said = self._by_values(p_adjusted, tests)
        losses = self.found.losses
        if self.beyond is not None or losses is None or not losses.more or said.outcome == "missed":
            return said
        told = f"{losses.text}; what is lost has no latency, so it cannot meet the limit"
        return _Said("missed" if losses.shown else "undecided", told)

    def _by_values(self, p_adjusted: float | None, tests: int) -> _Said:
        p_value = self.p_value
        if p_value is None or p_adjusted is None:
            return self._without_test()
        value, low, high = self._ends
        beyond = value > self.limit if self._above else value < self.limit
        shown = self._shown()
        share = self._share
        if not beyond:
            exact = value == self.limit and low == high
            if p_value <= LEVEL or exact:
                return _Said("met", shown, share)
            return self._undecided(f"{shown}, but the interval includes that", share)
        if p_adjusted <= LEVEL:
            return _Said("missed", shown, share)
        if p_value <= LEVEL:
            corrected = (
                f"{shown}, but not significantly after correction for {plural(tests, 'case')} "
                f"(p = {number(p_adjusted, 2)})"
            )
            return self._undecided(corrected, share)
        return self._undecided(f"{shown}, but the interval includes that", share)

    @property
    def _above(self) -> bool:
        """Whether a value above the limit misses it."""
        return self.criterion.above

    @property
    def _ends(self) -> tuple[float, float, float]:
        estimate = self.beyond.found.estimate if self.beyond else None
        if estimate is None:
            assert self.change is not None
            estimate = self.change.estimate
        assert estimate.low is not None and estimate.high is not None
        return estimate.value, estimate.low, estimate.high

    @property
    def _share(self) -> Figure | None:
        if self.beyond is None:
            return None
        return figure(self.beyond.found.estimate, "1", self.beyond.found.estimate.count)

    def _without_test(self) -> _Said:
        """Neither side of the limit can be shown: there is no interval, or no figure."""
        if self.beyond is not None:
            few = plural(self.beyond.found.estimate.rounds, "round")
            return _Said("undecided", f"{few} on one side: that gives no interval", self._share)
        found, mine, theirs = self.found, self.found.candidate, self.found.baseline
        gone = mine is None or (mine.figure is None and not mine.lost)
        if gone and theirs is not None and theirs.figure is not None:
            return _Said("not measured", found.reason or "the candidate has no such figure")
        if self.unit and self.change is None:
            return _Said("undecided", f"the figure is in {self.unit}, unlike the limit")
        if self.criterion.percent is not None and theirs is not None and theirs.lost:
            return _Said("undecided", "the baseline's percentile falls among its lost samples")
        return _Said("undecided", found.reason or "there is no interval")

    def _shown(self) -> str:
        """Value, interval, and on which side of the limit the value is."""
        value, low, high = self._ends
        side = "above" if (value > self.limit) else "not above"
        if not self.criterion.above:
            side = "below" if (value < self.limit) else "not below"
        if self.beyond is not None:
            return self._shown_share()
        if self.criterion.absolute:
            own = self.found.candidate.figure if self.found.candidate else None
            assert own is not None
            return f"{figure_text(own, SCALES[own.unit])} is {side} {self._limit_text()}"
        one, two, three = _shown((value, low, high), self.limit, self.found)
        limit = f"{self.limit:g}" if self.found.is_ratio else f"{100 * self.limit:g} %"
        return f"{one} [{two}, {three}] is {side} {limit}"

    def _shown_share(self) -> str:
        assert self.beyond is not None
        allowed = f"{Decimal(f'{100.0 * self.beyond.allowed:.6g}'):f} %"
        value, low, high = (_share_text(end, self.beyond.allowed) for end in self._ends)
        estimate = self.beyond.found.estimate
        bound = "at most" if self.criterion.above else "at least"
        return (
            f"{value} [{low}, {high}] of {count(estimate.count)} samples exceed "
            f"{self._limit_text()}; {bound} {allowed} may"
        )

    def _limit_text(self) -> str:
        """ "50.4 µs (1.2 × the baseline's p99)", "200 µs"."""
        unit = self.unit or "ns"
        value = self.beyond.found.limit if self.beyond else self.criterion.limit
        if (
            self.criterion.absolute
            and self.beyond is None
            and "round_trip" in self.criterion.figure
        ):
            value = self.limit
        text = figure_text(Figure(value=value, count=None, rounds=0, unit=unit), SCALES[unit])
        if self.criterion.absolute:
            return text
        statistic = self.criterion.figure.rpartition(".")[0]
        return f"{text}, {self.criterion.limit:g} × the baseline's {statistic}"

    def _undecided(self, reason: str, share: Figure | None) -> _Said:
        """With what the run could have found, and what would decide it."""
        least, more = self._least_found(), self._more_rounds()
        if least:
            reason += f"; {least} would have been found"
        else:
            reason += "; nothing could have been found by so few rounds that vary so much"
        if more is not None:
            reason += f"; about {plural(more, 'more round')} would decide it"
        else:
            reason += f"; not even {count(MOST_MORE)} more rounds would decide it"
        return _Said("undecided", reason, share, least, more)

    def _least_found(self) -> str | None:
        """The least change that a run like this one finds, in four of five such runs."""
        if self.beyond is not None:
            return self._least_beyond()
        assert self.change is not None
        estimate = self.change.estimate
        value, low, high = self._ends
        if not self.change.log:
            reach = POWER * (value - low if self.criterion.above else high - value)
            least = self.limit + reach if self.criterion.above else self.limit - reach
            return (
                f"a difference of {percent_text(abs(least))}" if estimate.low is not None else None
            )
        if min(value, low) <= 0.0:
            return None
        reach = POWER * (log(value / low) if self.criterion.above else log(high / value))
        least = self.limit * exp(reach if self.criterion.above else -reach)
        if self.criterion.absolute:
            return f"a value of {number(least * self.criterion.limit)} {self.unit}"
        return self._change_text(least)

    def _least_beyond(self) -> str | None:
        assert self.beyond is not None
        if not self.criterion.above:
            return None
        least = self.beyond.found.least_found(self.limit)
        if least is None:
            return None
        stalls = f"{percent_text(least)} of the samples beyond the limit"
        ratio = self.criterion.limit * self.beyond.tail
        if self.criterion.absolute or not np.isfinite(ratio):
            return stalls
        return f"{self._change_text(ratio)} or {stalls}"

    def _change_text(self, ratio: float) -> str:
        """ "a slowdown of 18 % or more"."""
        which = direction(self.found.name, more=ratio >= 1.0)
        what = {"slower": "a slowdown", "faster": "a speed-up"}.get(
            which, "a rise" if ratio >= 1.0 else "a fall"
        )
        if ratio > 2.0:
            return f"{what} of {number(ratio, 1)} × or more"
        return f"{what} of {percent_text(abs(ratio - 1.0))} or more"

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
        """Rounds with which the interval would reach from the value to the limit."""
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


def _share_text(share: float, allowed: float) -> str:
    """In per cent, with as many digits as it takes not to read as what is allowed."""
    digits = next(
        (n for n in range(2, 6) if float(f"{share:.{n}g}") != allowed or share == allowed), 6
    )
    return f"{100.0 * share:.{digits}g} %" if share >= LEAST_SHOWN else percent_text(share)


def _shown(ends: tuple[float, float, float], limit: float, found: Found) -> list[str]:
    """Value and limits of a ratio with the decimals that its interval deserves, and more where one
    would read as the criterion's number; of a difference of shares in per cent of the samples."""
    if not found.is_ratio:
        return [f"{MINUS if end < 0 else ''}{percent_text(abs(end))}" for end in ends]
    half = (ends[2] - ends[1]) / 2 or 0.01
    places = min(max(decimals(half, 2), 2), MOST_PLACES)
    while places < MOST_PLACES and any(round(end, places) == limit != end for end in ends):
        places += 1
    return [number(end, places) for end in ends]
