"""Between the packet into an agent or a broker and the packet out of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from busmark.capture.late.trace import Evidence, Proof, Trace
from busmark.capture.late.wire import Packet, Wire

CAUSE = "in-relay"


def find(trace: Trace) -> Iterator[Proof]:
    """The longest stay of the sample in a process that passes it on."""
    for leg in trace.legs:
        first: dict[int, Packet] = {}
        for each in leg.packets:
            if each.flow is not None and each.time_ns <= leg.end_ns:
                first.setdefault(each.flow, each)
        hops = sorted(first.values(), key=lambda each: each.time_ns)
        for into, out in pairwise(hops):
            if _passes(trace.wire, into, out) and out.first_ns > into.time_ns:
                yield Proof(CAUSE, out.first_ns - into.time_ns,
                            f"it went in with packet {into.packet} and out with packet "
                            f"{out.packet}",
                            (Evidence(into, f"into the process between, by {_name(into)}"),
                             Evidence(out, f"out of it, by {_name(out)}")))  # fmt: skip


def _name(packet: Packet) -> str:
    return (packet.protocol or "").upper().replace("BUSMARK", "socket")


def _passes(wire: Wire, into: Packet, out: Packet) -> bool:
    """Whether one process took the first and sent the second."""
    if into.flow is None or out.flow is None:
        return False
    a, b = wire.flows[into.flow], wire.flows[out.flow]
    return into.protocol != out.protocol or a.destination == b.source
