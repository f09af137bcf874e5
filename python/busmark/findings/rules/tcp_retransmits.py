"""TCP segments that were sent again because one was lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import carrier
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


MANY = 0.001
"""Share of the segments sent: if fewer were lost and no timer expired, fast retransmission repaired
each within a few round trips, which does not show in a round's median or 99th percentile."""


def check_case(view: CaseView) -> Iterator[Observation]:
    kind = carrier(view.capabilities, view.params["transport"])
    if kind != "tcp" or view.params["link_loss"]:
        return
    again = view.values("tcp_retransmits", only_ok=False)
    needless = view.values("tcp_needless", only_ok=False)
    lost = {number: n - needless.get(number, 0) for number, n in again.items()}
    total = sum(lost.values())
    if total > 0:
        hit = sum(1 for segments in lost.values() if segments > 0)
        spared = sum(needless.values())
        sent = sum(view.values("tcp_segments", only_ok=False).values())
        waits = sum(view.values("tcp_timeouts", only_ok=False).values())
        yield Observation(
            "warning" if waits or not sent or total > MANY * sent else "note",
            f"{count(total, 'segment')}"
            + (f" of {whole(sent)}" if sent else "")
            + f" sent again in {hit} of {count(len(again), 'round')}"
            + (f"; {whole(spared)} more of which nothing had been lost" if spared else "")
            + (f"; a sender's timer ran out {count(waits, 'time')}" if waits else ""),
            weight=total,
        )


RULE = Rule(
    id="tcp-retransmits",
    title="TCP retransmitted segments",
    cause="A segment or its acknowledgement was lost or late (RetransSegs of /proc/net/snmp, all "
    "sockets of the network namespace, without needless retransmissions). Later data waits "
    "for the repair: a few round trips if later segments reveal the gap, 200 ms or more if "
    "none does and a timer expires.",
    remedy="Look for drops on the way: the scopes `interface` and `network` of `system/*.parquet`, "
    "the switch. Lower the rate, or end other traffic.",
    check_case=check_case,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("tail",),
)
