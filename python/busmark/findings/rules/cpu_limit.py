"""A control group that was held back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    periods = view.system("throttled")
    total = sum(periods.values())
    if total > 0:
        held_ms = sum(view.system("throttled_ns").values()) / 1e6
        hit = sum(1 for number in periods.values() if number > 0)
        yield Observation(
            "warning",
            f"held back in {count(total, 'period')} of {hit} of {count(len(periods), 'round')}, "
            f"{whole(round(held_ms))} ms of all threads together",
            weight=total,
        )


RULE = Rule(
    id="cpu-limit",
    title="A CPU limit held participants back",
    cause="Their control group had used up its CPU time (nr_throttled of cpu.stat): all of "
    "its threads stand still until the next period, by default up to 100 ms.",
    remedy="Raise the limit of the container, pod or slice (`cpu.max`), or remove it.",
    check_case=check_case,
    explains=(
        "rate-not-held", "rounds-disagree", "bimodal", "non-stationary", "target-missed",
        "udp-drops", "loss-under-reliable",
        "loss-in-latency", "loop-stood-still",
    ),
)  # fmt: skip
