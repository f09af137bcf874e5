"""Datagrams that the kernel dropped at the sockets of the case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import carrier
from busmark.findings.buffers import remedy
from busmark.findings.params import is_reliable
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, size, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

OWN = "at sockets of the participants"
OF_NETWORK = "at all sockets of the network namespace"


def check_case(view: CaseView) -> Iterator[Observation]:
    drops, where = _drops(view)
    total = sum(drops.values())
    if total <= 0:
        return
    hit = sum(1 for dropped in drops.values() if dropped > 0)
    lost = view.total("lost")
    buffers = view.values("udp_buffer_bytes", only_ok=False)
    worst = buffers.get(max(drops, key=drops.__getitem__)) if where == OWN else None
    how = remedy(view.params, view.hosts, view.capabilities, worst)
    yield Observation(
        "warning" if lost or is_reliable(view.params, view.capabilities) else "note",
        f"{count(total, 'datagram')} dropped {where} in {hit} of {count(len(drops), 'round')}, "
        f"warm-up included{_buffer(worst)}; "
        f"{whole(view.total('expected'))} samples were to be received, {whole(lost)} were lost",
        weight=total,
        remedy=how,
        group=how,
    )


def _buffer(octets: int | None) -> str:
    """What the kernel counts against it is more than the data: its own structures, too."""
    if octets is None:
        return ""
    return f"; the kernel's limit for what waits at the socket that dropped most is {size(octets)}"


def _drops(view: CaseView) -> tuple[dict[int, int], str]:
    """Drops by round. For rounds in which nobody could look at the sockets it is the whole
    network's count, if the case sends datagrams and lost some of its own."""
    own = view.values("udp_socket_drops", only_ok=False)
    if own:
        return own, OWN
    if carrier(view.capabilities, view.params.transport) != "udp":
        return {}, ""
    lost = view.values("lost", only_ok=False)
    seen = view.values("udp_rcvbuf_errors", only_ok=False)
    return {number: n for number, n in seen.items() if lost.get(number)}, OF_NETWORK


RULE = Rule(
    id="udp-drops",
    title="The kernel dropped UDP datagrams",
    cause="They came faster than a reader took them, and its socket's receive buffer was full. "
          "Best effort loses them; reliable delivery sends them again, and the wait is part of "
          "the latency.",
    remedy="Raise the receive buffer: by the adapter's option, or in the middleware's own "
    "configuration; or lower rate, batch or size.",
    check_case=check_case,
    explains=(
        "loss-under-reliable", "rounds-lost", "writers-waited", "rounds-disagree", "bimodal",
        "non-stationary",
    ),
    concerns=("lost", "goodput_mbit_per_s"),
)  # fmt: skip
