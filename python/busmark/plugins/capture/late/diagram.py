"""The way of one sample as a sequence of packets between its processes."""

from __future__ import annotations

import numpy as np

from busmark.plugins.capture.late.model import Diagram, Event, Late
from busmark.plugins.capture.late.trace import Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

MOST_PACKETS = 40
"""Packets in a diagram; what proves a cause and what carries the sample come first."""
AFTER_NS = 100_000
"""How long after the reading packets are shown."""
WRITER, ANSWERER, READER = "writer", "answerer", "reader"


def diagram(late: Late, one: Trace) -> Diagram:
    """Stamps of the processes and packets of the captures, in the order of time."""
    sample = one.sample
    other = ANSWERER if sample.round_trip else READER
    files = [_lane(one, number) for number in range(len(one.wire.files))]
    shown, omitted = _packets(late, one)
    events = [*_stamps(one, other), *(_event(one, late, packet, files) for packet in shown)]
    events.sort(key=lambda each: each.at_ns)
    return Diagram(sample=late, lanes=[WRITER, *files, other], events=events, omitted=omitted)


def _lane(one: Trace, number: int) -> str:
    file = one.wire.files[number]
    return f"{file.node} {file.interface}" if file.node else file.interface


def _stamps(one: Trace, other: str) -> list[Event]:
    sample = one.sample
    named = [
        (sample.intended_ns, WRITER, "was to be written"),
        (sample.sent_ns, WRITER, "write"),
        (sample.written_ns, WRITER, "write returned"),
        (sample.echo_delivered_ns, other, "announced"),
        (sample.echo_read_ns, other, "read"),
        (sample.echo_sent_ns, other, "write of the answer"),
        (sample.delivered_ns, WRITER if sample.round_trip else other, "announced"),
        (sample.read_ns, WRITER if sample.round_trip else other, "read"),
    ]
    if sample.intended_ns == sample.sent_ns:
        named = named[1:]
    return [
        Event(at_ns=when - sample.sent_ns, lane=lane, towards=None, file=None, packet=None,
              what=what, proves=False)
        for when, lane, what in named if when is not None
    ]  # fmt: skip


def _packets(late: Late, one: Trace) -> tuple[list[Packet], int]:
    """Packets that prove the cause, then the sample's, then others of the same flows meanwhile."""
    wire, sample = one.wire, one.sample
    names = {file.name: number for number, file in enumerate(wire.files)}
    wanted = {(names[each.file], each.packet) for each in late.evidence}
    own = {(p.file, p.packet): p for leg in one.legs for p in leg.packets}
    end = one.legs[-1].end_ns + AFTER_NS
    flows = {p.flow for p in own.values() if p.flow is not None}
    flows |= {wire.reverse[flow] for flow in flows if flow in wire.reverse}
    rows = [wire.within(wire.of_flow.get(flow, NO_ROWS), sample.sent_ns, end) for flow in flows]
    beside = np.sort(np.concatenate(rows)) if rows else NO_ROWS
    first = [row for file, packet in wanted for row in wire.row_of(file, packet)]
    first += [p.row for p in own.values() if p.time_ns <= end]
    order = list(dict.fromkeys([*(wire.first_row(row) for row in first), *beside.tolist()]))
    kept = order[:MOST_PACKETS]
    return wire.packets(kept), len(order) - len(kept)


def _event(one: Trace, late: Late, packet: Packet, files: list[str]) -> Event:
    wire = one.wire
    name = wire.files[packet.file].name
    proofs = [e.what for e in late.evidence if (e.file, e.packet) == (name, packet.packet)]
    parts = [part for each in wire.parts(packet) if (part := describe(each))]
    what = ", ".join(dict.fromkeys(parts)) or _plain(packet)
    return Event(
        at_ns=packet.time_ns - one.sample.sent_ns, lane=files[packet.file],
        towards=_towards(one, packet), file=name, packet=packet.packet,
        what=f"{'; '.join(proofs)} ({what})" if proofs else what, proves=bool(proofs),
    )  # fmt: skip


def _towards(one: Trace, packet: Packet) -> str | None:
    """The lane to which it goes, by the flows of the sample and of its answer."""
    there = {p.flow for leg in one.legs if leg.direction == "there" for p in leg.packets}
    back = {p.flow for leg in one.legs if leg.direction == "back" for p in leg.packets}
    other = ANSWERER if one.sample.round_trip else READER
    opposite = one.wire.reverse.get(-1 if packet.flow is None else packet.flow)
    if packet.flow in there or opposite in back:
        return other
    if packet.flow in back or opposite in there:
        return WRITER
    return None


def describe(packet: Packet) -> str:
    """A row in words; empty for what says nothing."""
    span = _span(packet)
    again = " again" if packet.repeated else ""
    if packet.sample_seq is not None:
        kind = packet.kind if packet.kind not in (None, "SAMPLE") else ""
        named = f"answer to sample {packet.sample_seq}" if packet.answered else \
            f"sample {packet.sample_seq}"  # fmt: skip
        return f"{kind} {span} ({named}){again}".strip() if kind else named + again
    if packet.kind in ("DATA", "DATA_FRAG"):
        of = "discovery " if packet.builtin else ""
        number = f" fragment {packet.fragment}" if packet.fragment is not None else ""
        return f"{of}{packet.kind} {span}{number}{again}"
    if packet.kind in ("ACKNACK", "NACK_FRAG"):
        asks = f" asks for {packet.missing} from {packet.first_seq}" if packet.missing else \
            f" up to {(packet.first_seq or 1) - 1}"  # fmt: skip
        return f"{packet.kind}{asks}"
    if packet.kind in ("HEARTBEAT", "HEARTBEAT_FRAG", "GAP"):
        return f"{packet.kind} {span}"
    return "" if packet.kind is None or packet.kind.startswith("INFO_") else packet.kind


def _span(packet: Packet) -> str:
    first, last = packet.first_seq, packet.last_seq
    if last is None:
        return ""
    return str(last) if first in (None, last) else f"{first} to {last}"


def _plain(packet: Packet) -> str:
    """What completes no message."""
    if packet.protocol == "fragment":
        return "IP fragment"
    if packet.tcp_bytes is not None:
        again = " again" if packet.retransmission else ""
        return f"segment of {packet.tcp_bytes} B{again}" if packet.tcp_bytes else "acknowledgement"
    return (packet.protocol or "packet").upper()
