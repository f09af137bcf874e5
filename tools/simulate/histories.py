"""How a check of a history does: false alarms where nothing changes, and results until a step that
was planted is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, log1p

import numpy as np
from scipy.signal import lfilter
from tools.simulate.laws import Array, Rng

from busmark import stats
from busmark.compare.verdict import EQUIVALENT
from busmark.track.steps import CONFIRMATIONS, LEVEL

SERIES = 8
"""Series of a history, on one machine; a planted step is in one of them."""

RESULTS = 50
PLANTED_AT = 25
FIRST_CHECK = 6
STEPS = (0.0, 0.02, 0.03, 0.05)
SOON = 10
"""Results after a step within which most are to be found."""


@dataclass(frozen=True)
class Varying:
    """How results of one program differ from run to run: logarithms, normal but for bad ones."""

    name: str
    deviation: float
    """Standard deviation, relative; half of its square is of the machine, common to all series."""
    correlation: float = 0.0
    """Correlation of each result with the one before it."""
    bad: float = 0.0
    """Share of results that are 10 % slower, of each series by itself."""


VARYING = (
    Varying("0.5 %", 0.005),
    Varying("1 %", 0.01),
    Varying("2 %", 0.02),
    Varying("1 %, neighbours correlate by 0.5", 0.01, correlation=0.5),
    Varying("2 %, neighbours correlate by 0.5", 0.02, correlation=0.5),
    Varying("1 %, one in twenty is 10 % slower", 0.01, bad=0.05),
    Varying("1 %, one in ten is 10 % slower", 0.01, bad=0.1),
)


@dataclass(frozen=True)
class Watched:
    """Result of one kind of variation and one step."""

    varying: str
    step: float
    histories: int
    checks: int
    """Number of checks: one after each result, from the sixth on."""
    false_checks: int
    """Checks that found a new regression where there was none."""
    false_histories: int
    """Histories in which a check found a regression where there was none."""
    misplaced: int
    """Histories in which the step was found, too, more than some results from where it was."""
    unconfirmed: int
    """Checks that listed an unconfirmed regression where there was none."""
    found: int
    """Histories in which the step was found."""
    soon: int
    """Histories in which the step was found within `SOON` results."""
    delay: float | None
    """Median over those in which it was found, in results with the step."""
    delay_90: float | None
    covered: int
    """Histories in which the interval held the step, when it was found."""


def watched(varying: Varying, step: float, histories: int, seed: Sequence[int]) -> list[Watched]:
    """Simulate histories and a check after every result."""
    rng = np.random.default_rng(seed)
    ends = [_history(varying, step, rng) for _ in range(histories)]
    false = [end.false for end in ends]
    delays = [end.delay for end in ends if end.delay is not None]
    return [
        Watched(
            varying.name,
            step,
            histories,
            histories * (RESULTS - FIRST_CHECK + 1),
            sum(false),
            sum(map(bool, false)),
            sum(end.misplaced for end in ends),
            sum(end.unconfirmed for end in ends),
            len(delays),
            sum(d <= SOON for d in delays),
            float(np.median(delays)) if delays else None,
            float(np.quantile(delays, 0.9, method="higher")) if delays else None,
            sum(end.covered for end in ends),
        )
    ]


@dataclass(slots=True)
class _End:
    false: int = 0
    unconfirmed: int = 0
    misplaced: bool = False
    delay: int | None = None
    covered: bool = False


def _history(varying: Varying, step: float, rng: Rng) -> _End:
    # The logarithms of results, shape (series, results).
    own, common = (_following(varying, rng, n) for n in (SERIES, 1))
    bad = np.where(rng.random((SERIES, RESULTS)) < varying.bad, log1p(0.1), 0.0)
    values: Array = varying.deviation * np.sqrt(0.5) * (own + common) + bad
    values[0, PLANTED_AT:] += log1p(step)
    end = _End()
    checks = [
        stats.steps_together(list(values[:, :results]), LEVEL / SERIES)
        for results in range(FIRST_CHECK, RESULTS + 1)
    ]
    known: list[list[stats.SeriesStep]] = [[] for _ in range(SERIES)]
    for number in range(len(checks)):
        alarms = [_check(checks, number, series, known[series]) for series in range(SERIES)]
        known = [alarm.confirmed for alarm in alarms]
        results = FIRST_CHECK + number
        planted = bool(step) and results > PLANTED_AT
        elsewhere = alarms[1:] if planted else alarms
        end.false += any(alarm.new for alarm in elsewhere)
        end.unconfirmed += any(alarm.open for alarm in elsewhere)
        for one in alarms[0].new if planted else ():
            if not _near(one, PLANTED_AT):
                end.misplaced = True
            elif end.delay is None:
                end.delay = results - PLANTED_AT
                limits = one.change.estimate
                assert limits.low is not None and limits.high is not None
                end.covered = limits.low <= log1p(step) <= limits.high
    return end


@dataclass(slots=True)
class _Alarm:
    """An alarm of a check on a series."""

    confirmed: list[stats.SeriesStep]
    new: list[stats.SeriesStep]
    open: list[stats.SeriesStep]


def _check(
    checks: Sequence[Sequence[Sequence[stats.SeriesStep]]],
    number: int,
    series: int,
    known: Sequence[stats.SeriesStep],
) -> _Alarm:
    """Judge a series in one check; `known`: the steps that were confirmed before."""
    last = checks[max(0, number - CONFIRMATIONS + 1) : number + 1]
    row = [_worse(check[series]) for check in last]
    confirmed = [one for one in row[-1] if _confirmed(one, row)]
    # One that was mended fails no check.
    level = checks[number][series][-1].after if row[-1] else 0.0
    stand = [one for one in row[-1] if expm1(level - one.before) > EQUIVALENT]
    new = [one for one in stand if one in confirmed and not _any_near(one, known)]
    return _Alarm(confirmed, new, [one for one in stand if one not in confirmed])


def _worse(steps: Sequence[stats.SeriesStep]) -> list[stats.SeriesStep]:
    return [one for one in steps if expm1(one.change.estimate.value) > EQUIVALENT]


def _confirmed(step: stats.SeriesStep, checks: Sequence[Sequence[stats.SeriesStep]]) -> bool:
    """Return whether a step was found by `CONFIRMATIONS` checks in a row."""
    return len(checks) == CONFIRMATIONS and all(_any_near(step, check) for check in checks)


def _any_near(step: stats.SeriesStep, known: Sequence[stats.SeriesStep]) -> bool:
    return any(_near(step, one.index) for one in known)


def _near(step: stats.SeriesStep, place: int) -> bool:
    """Return whether a check takes the step for one at this place."""
    return abs(step.index - place) <= max(stats.LEAST_BESIDE_STEP, step.latest - step.index)


def _following(varying: Varying, rng: Rng, series: int) -> Array:
    """Draw autocorrelated standard normal values."""
    rho = varying.correlation
    noise = rng.standard_normal((series, RESULTS)) * np.sqrt(1.0 - rho**2)
    noise[:, 0] /= np.sqrt(1.0 - rho**2)
    values: Array = lfilter([1.0], [1.0, -rho], noise, axis=1)
    return values
