"""A stream at full speed during which nobody was busy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import at_full_speed
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, number, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters

MAX_BUSY = 0.5
"""Share of the time in which the busiest thread ran or waited for a CPU. At full speed somebody
should be busy throughout; below a half the writer stood still for longer than it worked."""


def check_case(view: CaseView) -> Iterator[Observation]:
    if not at_full_speed(view.params) or _limited(view.params):
        return
    busiest = [
        max((own.run + own.queued, own.thread) for own in use.participants)
        for use in view.cpu_use.values()
    ]
    idle = [thread for busy, thread in busiest if busy < MAX_BUSY]
    if not idle or len(idle) * 2 <= len(busiest):
        return
    evidence = (
        f"the busiest thread ran {share(round(max(idle), 4))} of the time at most, in {len(idle)} "
        f"of {count(len(busiest), 'round')}"
    )
    rates = sorted(view.values("written_per_s", only_ok=False).values())
    if rates:
        evidence += f"; {number(rates[len(rates) // 2])} samples/s written"
    if (longest := view.longest_write) is not None:
        evidence += f"; the longest recorded write took {duration(longest)}"
    yield Observation("warning", evidence, weight=1.0 - max(idle))


def _limited(params: Parameters) -> bool:
    """Whether something else bounds the stream on purpose: pauses between batches, a link."""
    link = params.link_rate or params.link_delay or params.network == "nodes"
    return bool(params.batch or link or params.load)


RULE = Rule(
    id="writers-waited",
    title="Writers waited most of the time instead of writing",
    cause="At full speed neither a writer nor a reader was busy, so a write was waiting: for an "
    "acknowledgement (which may come with the next heartbeat, every 3 s in some DDS), for "
    "room in a history or a resource limit, or for a partner's timer. The goodput reflects "
    "the wait, not the middleware's work.",
    remedy="Raise the depth, `max_samples` or the send window, shorten the heartbeat period in the "
    "middleware's configuration (the profile `tuned`, where the adapter has one), or measure at a "
    "rate.",
    check_case=check_case,
    explains=("rounds-disagree", "bimodal", "non-stationary", "target-missed"),
    concerns=("goodput_mbit_per_s",),
)
