"""Discovery on the wire while the sample was under way. It coincides; packets prove no more."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Proof, Trace

CAUSE = "discovery"


def find(trace: Trace) -> Iterator[Proof]:
    """DATA of discovery between the write and the reading."""
    wire, sample = trace.wire, trace.sample
    end = trace.legs[-1].end_ns
    rows = wire.within(wire.discovery, sample.sent_ns, end)
    if sample.read_ns is None or not len(rows):
        return
    first = wire.packet(rows[0])
    yield Proof(CAUSE, end - sample.sent_ns,
                f"discovery sent {len(rows)} DATA while it was under way, packet {first.packet} "
                "the first", (Evidence(first, "DATA of discovery"),))  # fmt: skip
