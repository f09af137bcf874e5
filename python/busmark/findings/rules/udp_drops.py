"""Datagrams that the kernel dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    drops = view.values("udp_rcvbuf_errors", only_ok=False)
    total = sum(drops.values())
    if total > 0:
        hit = sum(1 for dropped in drops.values() if dropped > 0)
        yield Observation(
            "warning",
            f"{whole(total)} datagrams dropped in {hit} of {count(len(drops), 'round')}; "
            f"{whole(view.total('sent'))} samples sent, {whole(view.total('lost'))} lost",
            weight=total,
        )


RULE = Rule(
    id="udp-drops",
    title="The kernel dropped UDP datagrams",
    cause="They came faster than a reader took them, and its receive buffer was full (RcvbufErrors "
    "of /proc/net/snmp, all sockets of the network namespace). Best effort loses them; reliable "
    "sends them again, and the wait is in the latency.",
    remedy="Raise the buffers: `sudo sysctl -w net.core.rmem_max=8388608 "
    "net.core.rmem_default=8388608`; or lower rate, batch or size.",
    check_case=check_case,
)
