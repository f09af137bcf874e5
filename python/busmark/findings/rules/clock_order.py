"""Samples that were read before they were sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import duration, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    before = samples = 0
    least = 0.0
    for series in view.latencies.values():
        before += int((series < 0.0).sum())
        samples += int(series.size)
        least = min(least, float(series.min()))
    if before:
        yield Observation(
            "error",
            f"{whole(before)} of {whole(samples)} samples; {view.quantity} down to "
            f"{duration(least)}",
            weight=-least,
        )


RULE = Rule(
    id="clock-order",
    title="Samples were read before they were sent",
    cause="The two stamps come from clocks that disagree: two hosts without a bounded offset, or "
    "CPUs whose counters are not synchronised.",
    remedy="On one host choose a clock source that the kernel trusts (`busmark doctor`); between "
    "hosts report the round trip.",
    check_case=check_case,
    of_trials=True,
    concerns=("latency",),
)
