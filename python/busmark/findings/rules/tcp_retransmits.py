"""TCP segments that were sent again because one was lost."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isinf
from typing import TYPE_CHECKING

from busmark.carriers import carrier
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


MANY = 0.001
"""Share of the segments sent: if fewer were lost and no timer expired, fast retransmission repaired
each within a few round trips, which does not show in a round's median or 99th percentile."""

LATE_NS, TIMER_NS = 2e6, 190e6
"""By how much a sample that waited for a repair is late, at least: the sender waits for two ticks
of the kernel's timer (1 to 10 ms each) before it probes for a loss that no later segment shows, and
for 200 ms (TCP_RTO_MIN, here with some room) until its timer expires."""


def check_case(view: CaseView) -> Iterator[Observation]:
    kind = carrier(view.capabilities, view.params.transport)
    if kind != "tcp" or view.params.link_loss:
        return
    again, needless, sent, waits = (
        view.values(f"tcp_{column}", only_ok=False)
        for column in ("retransmits", "needless", "segments", "timeouts")
    )
    late = _late(view)
    hit: dict[int, int] = {}
    for number, segments in again.items():
        lost = segments - needless.get(number, 0)
        many = lost > MANY * sent.get(number, 0)
        if lost > 0 and (
            (many and late.get(number, 0.0) >= LATE_NS)
            or (waits.get(number) and late.get(number, 0.0) >= TIMER_NS)
        ):
            hit[number] = lost
    if not hit:
        return
    total, segments, spared, expired = (
        sum(own.get(number, 0) for number in hit) for own in (hit, sent, needless, waits)
    )
    worst = max(late[number] for number in hit)
    yield Observation(
        "warning",
        f"{count(total, 'segment')}"
        + (f" of {whole(segments)}" if segments else "")
        + f" sent again in {len(hit)} of {count(len(again), 'round')}"
        + (f"; {whole(spared)} more of which nothing had been lost" if spared else "")
        + (f"; a sender's timer ran out {count(expired, 'time')}" if expired else "")
        + ("; samples never came back" if isinf(worst)
           else f"; the latest sample took {duration(worst)} longer than the median"),
        weight=total,
    )  # fmt: skip


def _late(view: CaseView) -> dict[int, float]:
    """Return by how much the latest sample of each round was later than the median, ns; infinite
    where one never came back."""
    longest, usual, lost = (
        view.values(column, only_ok=False) for column in ("max_ns", "median_ns", "lost")
    )
    late = {number: ns - usual[number] for number, ns in longest.items() if number in usual}
    return {**late, **{number: inf for number, gone in lost.items() if gone > 0}}


RULE = Rule(
    id="tcp-retransmits",
    title="TCP retransmitted segments",
    cause="A segment or its acknowledgement was lost or late (RetransSegs of /proc/net/snmp, all "
    "sockets of the network namespace, without needless retransmissions). Later data waits "
    "for the repair: a few round trips if later segments reveal the gap, 200 ms or more if "
    "none does and a timer expires. Rounds in which no sample was as late do not count.",
    remedy="Look for drops on the way: the scopes `interface` and `network` of `system/*.parquet`, "
    "the switch. Lower the rate, or end other traffic.",
    check_case=check_case,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("tail",),
)
