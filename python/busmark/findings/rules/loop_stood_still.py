"""A closed loop that waited for few pings most of its time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MOST_STILL = 0.15
"""Share of a round's time in stalls from which it is reported."""

LONG = 50.0
"""A ping is a stall where it takes so many times the median,"""

LEAST_NS = 10e6
"""and at least so long: what a scheduler does in its ordinary course is shorter."""

FEW = 0.01
"""Largest share of pings that are stalls: more of them are a second mode of operation."""

LEAST_PINGS = 100


def check_case(view: CaseView) -> Iterator[Observation]:
    if view.params.test != "latency" or has_rate(view.params):
        return
    lost = view.values("lost")
    timeout_ns = float(view.params.timeout_s or 0.0) * 1e9
    worst: tuple[float, int, int, float] | None = None
    for number, series in view.latencies.items():
        gone = int(lost.get(number, 0))
        total = float(series.sum()) + gone * timeout_ns
        if series.size + gone < LEAST_PINGS or total <= 0.0:
            continue
        ordered = sorted(series.tolist())
        limit = max(LONG * ordered[len(ordered) // 2], LEAST_NS)
        stalls = [value for value in ordered if value >= limit] + [timeout_ns] * gone
        part = sum(stalls) / total
        if stalls and len(stalls) <= FEW * (series.size + gone) and part >= MOST_STILL:
            found = (part, number, len(stalls), sum(stalls))
            worst = max(worst, found) if worst else found
    if worst is None:
        return
    part, number, count, still_ns = worst
    pings = "1 ping" if count == 1 else f"{whole(count)} pings"
    yield Observation(
        "warning",
        f"in round {number} {pings} held {still_ns / 1e9:.2f} s, {share(part)} of the time",
        weight=part,
    )


RULE = Rule(
    id="loop-stood-still",
    title="The closed loop stood still for much of its time",
    cause="A closed loop sends nothing while it waits, so a stall of any length is one sample: "
    "median and percentiles hardly show it. An application that sends on its own schedule "
    "would have met every one of these stalls.",
    remedy="Look for what stopped the participants (CPU limit, other work, a stopped process). To "
    "have stalls charged to every sample that they delay, ask for an open loop: `rate_hz`.",
    check_case=check_case,
    concerns=("tail",),
)
