"""A rate that was asked for and not reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import number, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MIN_SHARE = 0.95
"""Share of the rate. A Poisson stream of 2,000 samples falls 5 % short in one round of 80."""


def check_case(view: CaseView) -> Iterator[Observation]:
    rate, written = (
        view.params.rate_hz,
        list(view.values("written_per_s", only_ok=False).values()),
    )
    senders = max(view.values("senders", only_ok=False).values(), default=None)
    # With a timeline the rate may be another later on; criteria.min_rate takes that into account.
    if not rate or not written or not senders or view.params.timeline:
        return
    asked = float(rate) * senders
    reached = sorted(written)[len(written) // 2]
    if reached < MIN_SHARE * asked:
        yield Observation(
            "warning",
            f"{number(reached)} of {number(asked)} samples/s written "
            f"({share(round(reached / asked, 3))})",
            weight=1.0 - reached / asked,
        )


RULE = Rule(
    id="rate-not-held",
    title="The intended rate was not reached",
    cause="A write takes longer than the time between two samples, so each starts later than the "
    "one before. Latency counts from the intended time and grows as long as the test lasts.",
    remedy="Lower `rate_hz` below the rate that was reached, or, for an overload "
    "test, let such rounds count: `criteria.min_rate = 0`.",
    check_case=check_case,
    concerns=("latency", "written_per_s"),
)
