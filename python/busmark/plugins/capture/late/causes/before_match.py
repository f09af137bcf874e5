"""Written before the reader was known."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import Packet

CAUSE = "before-match"


def find(trace: Trace) -> Iterator[Proof]:
    """No participant that speaks to the writer's had announced a reader when the sample was
    written."""
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
    """By a participant that speaks to the one with this prefix."""
    wire = trace.wire
    known = wire.speaking_to.get(prefix, set()) - {prefix}
    rows = wire.announcements
    for row, source in zip(rows.tolist(), wire.value("source", rows).tolist(), strict=True):
        if source in known:
            return wire.packet(row)
    return None
