"""Written before the reader was known."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.capture.late.wire import Packet

CAUSE = "before-match"
SUBSCRIPTIONS = 0x000004C2
"""Entity by which a participant announces its readers (RTPS 2.5, 9.3.1.5)."""


def find(trace: Trace) -> Iterator[Proof]:
    """No other participant had announced a reader when the sample was written."""
    for leg in trace.legs:
        writers = {writer for writer, _ in leg.identities} or _writers(trace, leg)
        for prefix, _ in writers:
            first = _first_announcement(trace, prefix)
            if first is None or first.time_ns <= leg.begin_ns:
                continue
            evidence = [Evidence(first, "first announcement of a reader by another participant")]
            came = next((p for p in leg.packets if p.time_ns >= first.time_ns), None)
            if came is not None and leg.is_read:
                evidence.append(Evidence(came, "the sample, sent afterwards"))
                wait: int | None = first.time_ns - leg.begin_ns
            elif leg.is_read:
                continue
            else:
                wait = None
            yield Proof(CAUSE, wait,
                        f"it was written before packet {first.packet}, the first announcement of a "
                        "reader", tuple(evidence))  # fmt: skip


def _writers(trace: Trace, leg: Leg) -> set[tuple[str, int]]:
    """Writers of RTPS that sent other samples of its writer, for one that was never sent."""
    return trace.wire.rtps_writers.get(leg.writer, set())


def _first_announcement(trace: Trace, prefix: str) -> Packet | None:
    """By anybody but the participant with this prefix."""
    wire = trace.wire
    rows = wire.discovery
    rows = rows[wire.value("writer", rows) == SUBSCRIPTIONS]
    for row in rows[: 100 * (1 + len(wire.files))]:
        packet = wire.packet(row)
        if packet.source not in (None, prefix):
            return packet
    return None
