"""Links of the lab that lose packets because the scenario asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    asked = view.params.link_loss
    if not asked or view.params.network != "lab" or not view.finished.height:
        return
    lost, expected = view.total("lost"), view.total("expected") or view.total("sent")
    burst = view.params.link_burst
    asked += f", in bursts of {burst:g}," if burst else ""
    told = f"; {whole(lost)} of {whole(expected)} samples lost ({share(lost / expected)})"
    yield Observation(
        "warning" if lost else "note",
        f"the lab's links lose {asked} of packets{told if expected else ''}",
        weight=lost / expected if expected else 0.0,
    )


RULE = Rule(
    id="link-loss",
    title="The lab's links lose packets, as asked for",
    cause="`link.loss` drops packets at random. Best effort loses their samples; reliable "
          "delivery sends them again, and the wait is part of the latency.",
    remedy="Read loss and upper percentiles as properties of this link; compare with a case whose "
           "`link.loss` is empty.",
    check_case=check_case,
    of_trials=True,
    explains=(
        "fragments-lost", "rounds-lost", "loss-under-reliable",
        "loss-in-latency", "bimodal", "rounds-disagree", "rate-not-held",
        "duplicates-or-reorder", "non-stationary", "target-missed",
    ),
    concerns=("lost", "tail"),
)  # fmt: skip
