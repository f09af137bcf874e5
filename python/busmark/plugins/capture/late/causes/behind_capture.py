"""The packet is in the capture, and what is behind it dropped the packet."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.causes import rtps_recovery, xrce_recovery
from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace

DROPPED = "kernel-drop"
LINK = "lab-link"


def find(trace: Trace) -> Iterator[Proof]:
    """The sample was never read, or asked for again, though its packet arrived; and the kernel
    counted datagrams that it dropped at sockets, or the lab's links lose packets."""
    counters = trace.counters
    if not counters.socket_drops and not counters.link_loss:
        return
    for leg in trace.legs:
        if any(p.stream_end is not None for p in leg.packets):
            continue
        if leg.packets and not leg.is_read:
            yield _proof(trace, leg)
        elif not counters.link_loss:
            yield from _asked_again(trace, leg)


def _proof(trace: Trace, leg: Leg) -> Proof:
    last = leg.packets[-1]
    counters = trace.counters
    said = f"packet {last.packet} was captured and never read"
    evidence = (Evidence(last, "the sample, captured and never read"),)
    if counters.link_loss:
        drops = f", and {counters.socket_drops} datagrams at sockets" * bool(counters.socket_drops)
        said += f"; behind the capture the lab's links drop {counters.link_loss} of packets{drops}"
        return Proof(LINK, None, said, evidence)
    said += f"; the kernel dropped {counters.socket_drops} datagrams at sockets in this round"
    return Proof(DROPPED, None, said, evidence)


def _asked_again(trace: Trace, leg: Leg) -> Iterator[Proof]:
    """On the reader's own interface a packet that is there is lost by nothing but the kernel."""
    wire = trace.wire
    if len(wire.files) > 1 or wire.files[0].interface != "lo":
        return
    part = Trace(trace.sample, wire, (leg,), trace.counters)
    for proof in (*rtps_recovery.find(part), *xrce_recovery.find(part)):
        yield Proof(DROPPED, proof.wait_ns,
                    f"{proof.said}; the first copy passed loopback, and the kernel dropped "
                    f"{trace.counters.socket_drops} datagrams at sockets in this round",
                    proof.evidence)  # fmt: skip
