"""Rounds during which the machine, or where participants run, changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count
from busmark.host.condition import STEP_NS

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.store.result import Result


def check_case(view: CaseView) -> Iterator[Observation]:
    changed = view.values("changed", only_ok=False)
    if changed:
        number, text = next(iter(changed.items()))
        yield Observation(
            "warning",
            f"{len(changed)} of {count(view.finished.height, 'round')}; round {number}: {text}",
            weight=len(changed),
        )


def check_campaign(result: Result) -> Iterator[Observation]:
    """A wall clock that was set between two rounds; of one that was set in a round it is known
    already."""
    columns = ["case", "round", "started_utc", "wall_clock_offset_ns", "wall_clock_offset_end_ns"]
    rounds = result.cases.sort("order").select(columns).drop_nulls().iter_rows()
    steps = [
        (begin - before, case, number, started)
        for (*_, before), (case, number, started, begin, _) in pairwise(rounds)
        if abs(begin - before) >= STEP_NS
    ]
    if steps:
        step, case, number, started = max(steps, key=lambda each: abs(each[0]))
        times = f"; so {count(len(steps), 'time')}" if len(steps) > 1 else ""
        yield Observation(
            "note",
            f"by {step / 1e9:+.3f} s before round {number} of {case}, which began at "
            f"{started}{times}",
            title="The wall clock stepped between rounds, or the machine slept or restarted",
            cause="CLOCK_REALTIME moved against CLOCK_MONOTONIC. Latencies are differences of "
            "CLOCK_MONOTONIC and have no part of it; times of captured packets, stamps of the "
            "middleware and the times at which rounds began are on two scales.",
            remedy="Have the time service slew the clock, not step it, while a campaign runs.",
            concerns=("rounds",),
        )


RULE = Rule(
    id="machine-changed",
    title="The machine changed during rounds",
    cause="Affinity, clock source, governor, CPU quota or wall clock were not the same at begin "
    "and end of a round, so that its figures mix two settings. Such rounds are marked and left "
    "out; trials of a search count.",
    remedy="End what changes them (an administrator, a tuning daemon, a time service that steps "
    "the clock), then run again.",
    check_case=check_case,
    check_campaign=check_campaign,
    of_trials=True,
    explains=("rounds-lost",),
    concerns=("rounds",),
)
