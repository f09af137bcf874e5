"""A sample in fragments whose last one came late, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS

CAUSE = "fragments"
IP_HEADERS = 42
"""Bytes of a packet that are none of its datagram's, at least."""


def find(trace: Trace) -> Iterator[Proof]:
    """The time from the first fragment to the last on one interface, of RTPS or of IP."""
    for leg in trace.legs:
        yield from _of_rtps(trace, leg)
        yield from _of_ip(trace, leg)


def _of_rtps(trace: Trace, leg: Leg) -> Iterator[Proof]:
    wire = trace.wire
    for writer, number in leg.identities:
        rows = wire.within(wire.data.get(writer, NO_ROWS), leg.begin_ns, leg.end_ns)
        rows = rows[(wire.value("last_seq", rows) == number) & (wire.value("fragments", rows) > 1)]
        for file in np.unique(wire.value("file", rows)):
            own = rows[wire.value("file", rows) == file]
            if len(own) > 1:
                first, last = wire.packet(own[0]), wire.packet(own[-1])
                yield Proof(CAUSE, last.time_ns - first.time_ns,
                            f"its fragments took from packet {first.packet} to packet "
                            f"{last.packet}",
                            (Evidence(first, f"first of {first.fragments} fragments"),
                             Evidence(last, "last fragment before it was read")))  # fmt: skip


def _of_ip(trace: Trace, leg: Leg) -> Iterator[Proof]:
    wire = trace.wire
    for each in leg.packets:
        whole, own = each.message_bytes or 0, each.wire_bytes or 0
        if whole <= own or each.time_ns > leg.end_ns or each.stream_end is not None:
            continue
        pieces = wire.within(wire.pieces.get(each.file, NO_ROWS), leg.begin_ns, each.time_ns)
        sizes = wire.value("wire_bytes", pieces)[::-1] - IP_HEADERS
        needed = np.searchsorted(np.cumsum(sizes), whole - own)
        if needed < len(pieces):
            first = wire.packet(pieces[len(pieces) - 1 - needed])
            yield Proof(CAUSE, each.time_ns - first.time_ns,
                        f"the IP fragments of its datagram took from packet {first.packet} to "
                        f"packet {each.packet}",
                        (Evidence(first, "first IP fragment"),
                         Evidence(each, "IP fragment that completes the datagram")))  # fmt: skip
    if not leg.packets and not leg.is_read:
        yield from _never_complete(trace, leg)


def _never_complete(trace: Trace, leg: Leg) -> Iterator[Proof]:
    """A lost sample without a packet of its own, while fragments completed no datagram."""
    wire = trace.wire
    for number, file in enumerate(wire.files):
        pieces = wire.within(wire.pieces.get(number, NO_ROWS), leg.begin_ns, leg.end_ns)
        if len(pieces) and file.incomplete and _none_complete(trace, number, leg):
            first, last = wire.packet(pieces[0]), wire.packet(pieces[-1])
            yield Proof(CAUSE, None,
                        f"the IP fragments from packet {first.packet} to packet {last.packet} "
                        "complete no datagram",
                        (Evidence(first, "first IP fragment"),
                         Evidence(last, "last IP fragment")))  # fmt: skip


def _none_complete(trace: Trace, file: int, leg: Leg) -> bool:
    """Whether no datagram was put together from fragments in the window."""
    wire = trace.wire
    first, last = np.searchsorted(wire.times, [leg.begin_ns, leg.end_ns + 1])
    rows = np.arange(first, last)
    rows = rows[wire.value("file", rows) == file]
    return not (wire.value("message_bytes", rows) > wire.value("wire_bytes", rows)).any()
