"""Pings of a latency test that were never answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate, injects_faults, is_reliable, policy
from busmark.findings.rule import Observation, Rule, Severity
from busmark.findings.text import share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

TOLD = 0.001
"""Share of pings lost that moves the 99.9th percentile."""

SERIOUS = 0.01
"""One that moves the 99th."""


def check_case(view: CaseView) -> Iterator[Observation]:
    lost, sent = view.total("lost"), view.total("sent")
    if view.params.test != "latency" or injects_faults(view.capabilities) or not sent:
        return
    if is_reliable(view.params, view.capabilities):
        # Worse than a fact of the latencies: `loss-under-reliable` names it.
        return
    part = lost / sent
    if part < TOLD:
        return
    evidence = f"{whole(lost)} of {whole(sent)} pings lost ({share(part)})"
    severity: Severity = "warning" if part >= SERIOUS else "note"
    if has_rate(view.params) and policy(view.params, "history") == "keep_last":
        yield Observation(
            severity,
            evidence,
            weight=part,
            title="Pings were lost, perhaps overwritten while they waited",
            cause="With history keep-last a newer ping replaces one that has not been taken. A "
            "stall of the reader then loses the pings that waited longest. They count as later "
            "than any that came back.",
            remedy='Ask for `qos.history = "keep_all"`, or a depth that holds the pings of the '
            "longest stall.",
        )
    else:
        yield Observation(severity, evidence, weight=part)


RULE = Rule(
    id="loss-in-latency",
    title="Pings of a latency test were lost",
    cause="A ping that nobody answered has no latency. It counts as later than any that came "
    "back, so the percentiles beyond the share lost have no value; mean, minimum and "
    "maximum cover only the pings that came back.",
    remedy="Lower the rate, enlarge buffers, or ask for reliable delivery with keep-all; compare "
    "latencies only between cases that lose equally little.",
    check_case=check_case,
    concerns=("lost", "tail"),
)
