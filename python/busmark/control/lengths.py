"""How long the rounds of a case measure where the run chooses that: `measure.duration_s = "auto"`.

The first rounds are a pilot, which counts like all others. From then on the length of each round is
that which `busmark.stats.schedule` finds by what the rounds so far have shown; a length that is off
by little stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np

from busmark.control.roles import PROBE_ROWS
from busmark.findings.rule import count, number, share
from busmark.plan import is_chosen
from busmark.plan.counts import counted_per_s
from busmark.scenario import Scenario, statistic
from busmark.stats import FEW, MIN_BEYOND, Schedule, Variation, schedule
from busmark.store import Case

PILOT = 3
"""Rounds of a pilot: the fewest whose interval is not several times longer than they differ."""
SHORTEST_S = 0.15
"""The beginning of a round is slower than the rest: the first 0.05 s by 1 to 5 % on a quiet virtual
machine, the first 0.15 s by 1 % at most. And rounds of 0.02 s differ from each other up to twice as
much as rounds of 0.2 s, which the variation inside them does not predict."""
PILOT_S = SHORTEST_S
"""Length of the first round, from which the next length is chosen."""
PILOT_SHARE = 0.5
"""Length of the other pilot rounds, as a share of a round's fixed time, where that is longer."""
LONGEST_S = 10.0
"""Longest length of a round: a slower case is not measured better by one long round."""
LEAST_FIXED_S = 1e-3
"""Least fixed time of a round: it never takes nothing."""
GROWTH = 4.0
"""Times by which a round may be longer than any before: the first rounds know little of how they
differ."""
AS_LONG = 1.0
"""Longest length that few rounds allow, as a multiple of a round's fixed time. Whatever the
variances, such rounds take at most twice the time of the best ones; and few rounds are often alike
by chance, which looks as if long ones were best."""
TOLERANCE = 1.5
"""A length that is off by less costs 4 % of the time at most, and stays."""
FEWEST_INTERVALS, PILOT_INTERVALS = 5, 18
"""Length of a round of a stream, in intervals of its counters: the pilot's intervals show its inner
variation."""
MARGIN = 1.5
"""Factor on the samples that a round needs."""
FULL = 0.9
"""Largest share of the recorder."""

Row = Mapping[str, Any]
RowsOf = Callable[[str], Sequence[Row]]
"""The rows of a case so far."""


@dataclass(frozen=True)
class Length:
    """The length for which the next round of a case is to measure."""

    seconds: float
    why: str
    """Reason for the length, in a sentence; empty in the first round."""
    figures: dict[str, float | int | None]
    """Figures by which the length was chosen."""


def next_length(case: Case, rows: Sequence[Row], scenario: Scenario) -> Length:
    """Choose the length of the next round, from the `rows` of earlier ones."""
    good = [
        row
        for row in rows
        if row["status"] == "ok" and row["statistic_value"] is not None and row["measured_s"]
    ]
    shortest = _shortest(case, rows, scenario)
    if len(good) < PILOT:
        return Length(_rounded(max(_pilot_s(case, rows, scenario), shortest)), "", {})
    value = float(np.median([row["statistic_value"] for row in good]))
    variation = Variation.from_rounds(
        [row["statistic_value"] for row in good],
        [_inside(row) for row in good],
        [row["measured_s"] for row in good],
    )
    fixed_s = max(float(np.median([_besides_s(row) for row in good])), LEAST_FIXED_S)
    rounds = scenario.rounds
    numbers = {row["round"] for row in rows}
    left = max(rounds.max - len(numbers), 1)
    measured = [row["measured_s"] for row in good]
    # Shorter ones than these would be votes that know less, at nearly the same price.
    usual = min(variation.optimum(fixed_s), float(np.median(measured)))

    def within(longest: float) -> Schedule:
        return schedule(
            variation,
            fixed_s,
            measured,
            rounds.target * abs(value) or 1.0,
            least=min(max(rounds.min - len(numbers), 1), left),
            most=left,
            shortest=max(shortest, min(usual, longest)),
            longest=longest,
        )

    # The recorder must hold it, and steps have a limited size.
    grown_s = GROWTH * max(float(row["measured_s"]) for row in good)
    longest = min(LONGEST_S, grown_s, _room_s(case, good, scenario))
    found = within(longest)
    limit = max(AS_LONG * fixed_s, shortest)
    if len(good) < FEW and found.seconds > limit:
        free, found = found, within(min(limit, longest))
        if not found.reaches:
            # Whether it is reached depends on later rounds, which may be longer.
            found = replace(free, seconds=found.seconds)
    found = replace(found, seconds=_settled(found.seconds, good[-1].get("chosen_s"), shortest))
    return Length(
        found.seconds,
        _why(found, variation, fixed_s, value),
        {
            "rounds_expected": found.rounds,
            "between": variation.between,
            "inside_one_second": variation.inside,
            "fixed_s": fixed_s,
        },
    )


def _pilot_s(case: Case, rows: Sequence[Row], scenario: Scenario) -> float:
    pilot_s = PILOT_S
    if costs := [_besides_s(row) for row in rows if row["measured_s"]]:
        pilot_s = PILOT_SHARE * float(np.median(costs))
    return min(_by_kind(case, pilot_s, PILOT_INTERVALS), _room_s(case, rows, scenario))


class Lengths:
    """Lengths of the rounds of a campaign."""

    def __init__(self, scenario: Scenario, cases: Sequence[Case], rows: RowsOf) -> None:
        self._scenario = scenario
        self._cases = {case.id: case for case in cases if is_chosen(case)}
        self._rows = rows
        self._known: dict[str, tuple[tuple[int, int], Length]] = {}
        """Length of each case that its rows allow to choose, with the number of rows and attempts
        behind it."""
        self._text: dict[str, float | None] = {}

    def sized(self, case: Case) -> Case:
        """Return the case with the length of its next round, where the run chooses that."""
        if case.id not in self._cases:
            return case
        seconds = self._next(case.id).seconds
        params = case.params.changed(duration_s=seconds, chosen_s=seconds)
        return case.model_copy(update={"params": params})

    def news(self, case: Case) -> Length | None:
        """Return the next round's length if it differs from the last one's; None in the pilot."""
        if case.id not in self._cases:
            return None
        length = self._next(case.id)
        rows = self._rows(case.id)
        last = self._text.get(case.id, rows[-1].get("chosen_s") if rows else None)
        self._text[case.id] = length.seconds
        return length if length.why and length.seconds != last else None

    def _next(self, case: str) -> Length:
        rows = self._rows(case)
        known, age = self._known.get(case), (len(rows), sum(row["attempt"] for row in rows))
        if known is None or known[0] != age:
            known = age, next_length(self._cases[case], rows, self._scenario)
            self._known[case] = known
        return known[1]


def _inside(row: Row) -> float:
    """Return the variance of the statistic from the variation inside the round: dependence over
    longer times, which a short round hardly shows, must not be taken for a difference of rounds."""
    return max(float(row["statistic_variance"]), float(row.get("statistic_variance_blocks") or 0.0))


def _besides_s(row: Row) -> float:
    """Return what the round took beyond what it measured."""
    return float(row["warmup_s"] or 0.0) + float(row["overhead_s"] or 0.0)


def _by_kind(case: Case, seconds: float, intervals: int) -> float:
    """Return the seconds for pings; for a stream at least this many intervals of its counters."""
    if case.params.test == "latency":
        return seconds
    return max(seconds, intervals * float(case.params.interval_s))


def _shortest(case: Case, rows: Sequence[Row], scenario: Scenario) -> float:
    """Return the shortest length, in s, with samples enough for criterion and statistic."""
    params, latency = case.params, case.params.test == "latency"
    needed = _needed(case, scenario)
    least = [_by_kind(case, SHORTEST_S, FEWEST_INTERVALS)]
    speeds = [_samples(row, latency) / row["measured_s"] for row in rows if row["measured_s"]]
    if speeds:
        least += [MARGIN * needed / speed for speed in speeds if speed > 0.0]
        # Its samples were too few, or too much alike, whatever was reckoned.
        least += [2.0 * row["measured_s"] for row in rows if _too_short(row, latency, scenario)]
    elif per_s := counted_per_s(params):
        least.append(MARGIN * needed / per_s)
    return min(max(least), 3600.0)


def _needed(case: Case, scenario: Scenario) -> float:
    needed = float(scenario.criteria.min_samples)
    if case.params.test != "latency":
        return needed
    which = statistic(case.params.statistic)
    percent = 50.0 if isinstance(which, str) else which
    return max(needed, MIN_BEYOND / (min(percent, 100.0 - percent) / 100.0))


def _samples(row: Row, latency: bool) -> float:
    return float(row["samples" if latency else "received"] or 0.0)


def _too_short(row: Row, latency: bool, scenario: Scenario) -> bool:
    if row["status"] == "failed" or not row["measured_s"]:
        return False
    few = _samples(row, latency) < scenario.criteria.min_samples
    return few or (row["status"] == "ok" and row["statistic_value"] is None)


def _room_s(case: Case, rows: Sequence[Row], scenario: Scenario) -> float:
    """Return how long the recorder lasts."""
    room = float(scenario.measure.max_samples)
    if case.params.test != "latency":
        room = min(room, PROBE_ROWS)
    speeds = [float(row["samples"] or 0.0) / row["measured_s"] for row in rows if row["measured_s"]]
    fastest = max(speeds, default=0.0)
    return FULL * room / fastest if fastest else inf


def _settled(seconds: float, last: float | None, shortest: float) -> float:
    """Return the last length, if this is nearly it; else this with two digits."""
    near = last is not None and last >= shortest
    if last and near and 1.0 / TOLERANCE <= seconds / last <= TOLERANCE:
        return float(last)
    return _rounded(seconds)


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.2g}")


def _why(found: Schedule, variation: Variation, fixed_s: float, value: float) -> str:
    """Explain a length: "rounds measure for 0.35 s from now on, in about 6 more rounds: …"."""
    between, inside = (
        share(sqrt(each) / abs(value)) if value else "an unknown share"
        for each in (variation.between, variation.inside)
    )
    differ = f"differ by {between}" if variation.between else "do not differ beyond that"
    more = f"in about {count(found.rounds, 'more round')}"
    if not found.reaches:
        more += ", which may not reach the target"
    return (
        f"rounds measure for {found.seconds:g} s from now on, {more}: one second of measuring is "
        f"uncertain by {inside}, rounds {differ}, and a round takes {number(fixed_s)} s besides"
    )
