"""Somebody else's samples on the topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    foreign = view.values("foreign", only_ok=False)
    total = sum(foreign.values())
    if total > 0:
        hit = sum(1 for seen in foreign.values() if seen > 0)
        yield Observation(
            "warning",
            f"{whole(total)} foreign samples in {hit} of {count(len(foreign), 'round')}",
            weight=total,
        )


RULE = Rule(
    id="foreign-traffic",
    title="Samples of another run were on the topic",
    cause="Another campaign, or participants left over from one, uses the same domain and topic. "
    "They are not counted, but they use CPU and network.",
    remedy="End them, or measure in another domain.",
    check_case=check_case,
    of_trials=True,
    explains=("rounds-disagree", "udp-drops", "rate-not-held"),
    concerns=("foreign",),
)
