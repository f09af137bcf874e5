"""TCP segments that were sent again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import transport_kind
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    if transport_kind(view.params) != "tcp" or view.params.get("link_loss"):
        return
    again = view.values("tcp_retransmits", only_ok=False)
    total = sum(again.values())
    if total > 0:
        hit = sum(1 for segments in again.values() if segments > 0)
        yield Observation(
            "warning",
            f"{whole(total)} segments sent again in {hit} of {count(len(again), 'round')}",
            weight=total,
        )


RULE = Rule(
    id="tcp-retransmits",
    title="TCP sent segments again",
    cause="A segment or its acknowledgement was lost or late (RetransSegs of /proc/net/snmp, all "
    "sockets of the network namespace). What follows waits for the repair, 200 ms and more where "
    "no later segment tells of the gap.",
    remedy="Look for drops on the way: the scopes `interface` and `network` of `system/*.parquet`, "
    "the switch. Lower the rate, or end other traffic.",
    check_case=check_case,
)
