"""Between the packet into an agent or a broker and the packet out of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from busmark.plugins.capture.late.causes.xrce_recovery import Recovery, recoveries
from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import Flow, Packet, passes

CAUSE = "in-relay"


def find(trace: Trace) -> Iterator[Proof]:
    """The longest stay of the sample in a process that passes it on."""
    for leg in trace.legs:
        first: dict[int, Packet] = {}
        for each in leg.packets:
            if each.flow is not None and each.time_ns <= leg.end_ns:
                first.setdefault(each.flow, each)
        hops = sorted(first.values(), key=lambda each: each.time_ns)
        for came, out in pairwise(hops):
            if passes(trace.wire, came, out) and out.first_ns > came.time_ns:
                yield _stay(trace, leg, _last_copy(leg, came, out), out)


def _last_copy(leg: Leg, came: Packet, out: Packet) -> Packet:
    """An earlier copy may have been lost behind its capture."""
    copies = [p for p in leg.packets if p.flow == came.flow and p.time_ns < out.first_ns]
    return max((came, *copies), key=lambda each: each.time_ns)


def _stay(trace: Trace, leg: Leg, into: Packet, out: Packet) -> Proof:
    evidence = [Evidence(into, f"into the process between, by {_name(into)}")]
    said = f"it went in with packet {into.packet} and out with packet {out.packet}"
    since = into.time_ns
    for one in recoveries(trace, leg):
        # Until then the process waited for what the stream lacked, and could not pass it on.
        if _same_ends(trace, one, into) and since < one.again.time_ns < out.first_ns:
            since = one.again.time_ns
            evidence.append(Evidence(one.again, "what came before it in its stream, sent again"))
            said = f"it went in with packet {into.packet}, what its stream lacked with packet " \
                   f"{one.again.packet}, and out with packet {out.packet}"  # fmt: skip
    evidence.append(Evidence(out, f"out of it, by {_name(out)}"))
    return Proof(CAUSE, out.first_ns - since, said, tuple(evidence))


def _same_ends(trace: Trace, one: Recovery, into: Packet) -> bool:
    def ends(flow: Flow) -> tuple[str, str, str]:
        return flow.transport, flow.source, flow.destination

    flows = trace.wire.flows
    return into.flow is not None and ends(flows[one.stream[0]]) == ends(flows[into.flow])


def _name(packet: Packet) -> str:
    return (packet.protocol or "").upper().replace("BUSMARK", "socket")
