"""Which cases need further rounds, and which trial of a rate is next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any

import numpy as np

from busmark.model.entry import SEARCHES, SERVICES
from busmark.model.parameters import Parameters
from busmark.model.stream import SEARCHED
from busmark.model.text import percent_text
from busmark.plan import expected_s
from busmark.scenario import Scenario, statistic
from busmark.scenario.model import CapacitySection, RoundsSection
from busmark.stats import (
    StatisticSpread,
    SustainedRate,
    block_variance,
    evaluate,
    inner_variance,
    supported,
)
from busmark.store import Case, Result
from busmark.store.samples import RoundLatencies

Row = Mapping[str, Any]

HEADROOM = 1.5
"""Times the rate of a stream at full speed up to which the search goes."""
RANGE = 1e4
"""Least rate of the search, as a divisor of the rate of a stream at full speed."""
FEWEST_SAMPLES = 20
"""Samples that a trial sends at least."""
UNDER_WAY = 10
"""Requests of each client under way in the closed loop of a search's first trial: the server is not
to rest while a response is on its way."""
TAIL = 0.01
"""Share of samples beyond the 99th percentile."""
PROBES = 1200
"""Latency probes of a trial, at least: the 99th percentile needs 1000, and their number is random,
with a standard deviation of 35."""


def searches(case: Case) -> bool:
    """Return whether the rounds of a case are trials."""
    return case.params.test in SEARCHES


def next_trial(case: Case, rows: Sequence[Row], asked: CapacitySection) -> Case | None:
    """Return the case with the rate of its next trial, the first at full speed, of a service in a
    closed loop; None when none is wanted. `rows` are the case's finished and failed rounds."""
    if len({row["round"] for row in rows}) >= asked.max_trials:
        return None
    search = search_of(case.params, rows, asked)
    of_service = case.params.test in SERVICES
    if search is None:
        first = {"outstanding": UNDER_WAY} if of_service else {}
        return case.model_copy(update={"params": case.params.changed(**first)})
    rate = search.next
    if rate is None:
        return None
    trial: dict[str, Any] = {"rate_hz": rate, "arrivals": "constant"}
    if not of_service:
        # Some of the samples are probes, as many as a percentile needs.
        trial["probe_every"] = max(1, floor(rate * case.params.length_s / PROBES))
    return case.model_copy(update={"params": case.params.changed(**trial)})


def search_of(
    params: Parameters, rows: Sequence[Row], asked: CapacitySection
) -> SustainedRate | None:
    """Return the search after these rounds; None before the round at full speed."""
    full = [r for r in rows if r["status"] != "failed" and r["rate_hz"] is None]
    highest = max((r["written_per_s"] or 0.0 for r in full), default=0.0)
    if not highest:
        return None
    high = HEADROOM * highest / full[0]["senders"]
    low = min(high / 2, max(high / RANGE, FEWEST_SAMPLES / params.length_s))
    search = SustainedRate(
        low,
        high,
        precision=asked.precision,
        confidence=asked.confidence,
        trust=asked.trust,
        confirm=asked.confirm,
    )
    for row in sorted(rows, key=lambda row: row["order"]):
        if row["status"] != "failed" and row["rate_hz"] is not None:
            search.take(row["rate_hz"], passed=row["shortfall"] is None)
    return search


def trial_figures(
    case: Case, figures: Row, before: Sequence[Row], asked: CapacitySection
) -> dict[str, Any]:
    """Return the columns of `cases` about how a trial ended and where the search then stands;
    `before` are the case's rows so far."""
    own = {"shortfall": shortfall(case.params, figures, asked)}
    latest = max((row["order"] for row in before), default=-1) + 1
    this = {**figures, **own, "status": "ok", "order": latest, "rate_hz": case.params.rate_hz}
    search = search_of(case.params, [*before, this], asked)
    if search is None:
        return own
    low, high = search.interval
    return {
        **own,
        "bracket_low_hz": low,
        "bracket_high_hz": high,
        "sustained_hz": search.rate,
        "confirmed": search.confirmed,
    }


def shortfall(params: Parameters, figures: Row, asked: CapacitySection) -> str | None:
    """Return why a trial does not sustain its rate; None if it does, or has none. `figures` have
    `beyond`, the share of round trips or responses later than the limit: a trial of few samples, or
    of some that depend on each other, is judged by that, though it has no percentile."""
    rate = params.rate_hz
    if rate is None:
        return None
    of = SEARCHED[params.test]
    offered = rate * figures["senders"]
    written = figures["written_per_s"] or 0.0
    share = figures["lost"] / figures["expected"] if figures["expected"] else 1.0
    if written < asked.keeps_up * offered:
        return f"{of.senders} reached {percent_text(written / offered)} of the rate"
    if share > asked.max_loss:
        return f"{of.lost} {percent_text(share)}"
    beyond = figures["beyond"]
    if asked.max_p99_us and (beyond is None or beyond > TAIL):
        shown = "is not known" if beyond is None else f"too high: {percent_text(beyond)} are later"
        return f"99th percentile of the {of.time} {shown}"
    readers_of_each = figures["expected"] / figures["sent"] if figures["sent"] else 1.0
    if (figures["samples_per_s"] or 0.0) < asked.keeps_up * written * readers_of_each:
        return f"{of.receivers} do not keep up"
    return None


GOODPUT = "goodput"
"""The statistic of a throughput test."""

FEWEST_INTERVALS = 16
"""Fewest intervals of a stream that tell how its goodput varies: two in each of eight parts."""


def goodput_blocks(roles: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the variance of the goodput of a round by eight parts of it, from the readers' counts
    in each interval but the last, which is not whole; None where there are too few of them."""
    counted = [
        own
        for role in roles
        if role["role"] == "receiver"
        for own in role["intervals"]
        if own["span_ns"]
    ]
    whole = min((len(own["samples"]) - 1 for own in counted), default=0)
    if whole < FEWEST_INTERVALS:
        return None
    together = np.sum([own["samples"][:whole] for own in counted], axis=0, dtype=np.float64)
    return block_variance(together / (counted[0]["width_ns"] / 1e9), "mean", fewest=2)


def figures(
    name: str,
    latencies: RoundLatencies,
    samples_per_s: float | None,
    *,
    blocks: float | None = None,
) -> dict[str, float | None]:
    """Return columns of `cases`: the statistic of a round and its inner variance, also by parts of
    the round, which for a goodput is `blocks`; None for a statistic that falls among the lost."""
    none = dict.fromkeys(("statistic_value", "statistic_variance", "statistic_variance_blocks"))
    if name == GOODPUT:
        if samples_per_s is None:
            return none
        # What is counted in intervals is delivered late at their ends, which takes nothing from the
        # rate of the whole: it makes no interval longer.
        known = {"statistic_value": samples_per_s, "statistic_variance": 0.0}
        return {**known, "statistic_variance_blocks": blocks}
    which = statistic(name)
    percent = 50.0 if isinstance(which, str) else which
    whole = latencies.whole(which)
    if whole is None or not supported(percent, len(latencies.back) + latencies.lost):
        return none
    return {
        "statistic_value": evaluate(whole, which),
        "statistic_variance": inner_variance(whole, which),
        "statistic_variance_blocks": block_variance(latencies.back, which),
    }


def spread(rows: Sequence[Row]) -> StatisticSpread | None:
    """Return the spread of the rounds of a case that count; None for fewer than two."""
    known = [r for r in rows if r["status"] == "ok" and r["statistic_value"] is not None]
    if len(known) < 2:
        return None
    return StatisticSpread.from_rounds(
        [r["statistic_value"] for r in known], [r["statistic_variance"] for r in known]
    )


def spent_s(rows: Sequence[Row]) -> float:
    """Return the time of these rounds, in s, including failed attempts."""
    parts = ("warmup_s", "measured_s", "overhead_s", "failed_s")
    return sum(float(row[part] or 0.0) for row in rows for part in parts)


def wanting(cases: Sequence[Case], rows: Sequence[Row], rounds: RoundsSection) -> list[Case]:
    """Return the `cases` that should have one round more, judged by the rounds there are.

    A case wants more until its interval is as narrow as `rounds.target`, or its budget is spent;
    few rounds must be narrower (`Spread.suffices`).
    Where the campaign's budget will not last for all of them, it goes to those whose intervals are
    widest.
    """
    if not rounds.target:
        return []
    of: dict[str, list[Row]] = {}
    for row in rows:
        of.setdefault(row["case"], []).append(row)
    widths: dict[str, float] = {}
    wished_s = 0.0
    for case in cases:
        own = of.get(case.id, [])
        level = spread(own)
        width = level.relative_half_width() if level else None
        if level and level.suffices(rounds.target):
            continue
        if rounds.case_budget_s and spent_s(own) + expected_s(case) > rounds.case_budget_s:
            continue
        widths[case.id] = float("inf") if width is None else width
        more = level.rounds_for(rounds.target) - level.rounds if level and level.value else 1
        wished_s += max(more, 1) * expected_s(case)
    wanted = [case for case in cases if case.id in widths]
    if not rounds.budget_s:
        return wanted
    left_s = rounds.budget_s - spent_s(rows)
    if wished_s > left_s:
        wanted = sorted(wanted, key=lambda case: -widths[case.id])[: -(-len(wanted) // 2)]
    return affordable(wanted, left_s)


def affordable(cases: Sequence[Case], left_s: float) -> list[Case]:
    """Return the first of `cases` that fit into the time."""
    chosen = []
    for case in cases:
        left_s -= expected_s(case)
        if left_s < 0.0:
            break
        chosen.append(case)
    return chosen


class Decisions:
    """Has the requirements of the scenario judged between sweeps. What a case said tells how many
    rounds would decide it; it is judged again when it has them."""

    def __init__(self, scenario: Scenario, directory: Path) -> None:
        self._is_asked = bool(scenario.require)
        self._most = scenario.rounds.max
        self._directory = directory
        self._due: dict[str, int] = {}
        """By case: the number of rounds at which it is judged again."""

    def wanting(self, cases: Sequence[Case], rounds_of: Callable[[Case], int]) -> list[Case]:
        """Return the `cases`, all below the most rounds, that should have one more."""
        if not self._is_asked or not cases:
            return []
        waiting = [case for case in cases if rounds_of(case) < self._due.get(case.id, 0)]
        if waiting:
            return waiting
        self._due = self._judged()
        return [case for case in cases if rounds_of(case) < self._due.get(case.id, 0)]

    def _judged(self) -> dict[str, int]:
        # Only where there are requirements: it brings the whole analysis.
        from busmark.compare.campaign import summarise

        due: dict[str, int] = {}
        for judged in summarise(Result(self._directory), with_series=False).requirements:
            if judged.verdict == "undecided" and judged.more_rounds is not None:
                wanted = min(judged.rounds + judged.more_rounds, self._most)
                due[judged.case] = max(due.get(judged.case, 0), wanted)
        return due
