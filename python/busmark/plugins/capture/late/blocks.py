"""The document of late samples: how many there are, their causes, each with the packets that show
its cause."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.model.text import count, time_text, upper_first
from busmark.plugins.capture.blocks import figures, remarks
from busmark.plugins.capture.late.model import Cause, Diagram, Event, Late, LateSamples
from busmark.present.document import ABSENT, Cell, Column, Document, Row, Section, Table, Text

CAUSES: dict[Cause, str] = {
    "delayed-ack": "delayed acknowledgement with Nagle's algorithm",
    "tcp-retransmission": "retransmission of TCP",
    "tcp-window": "behind earlier bytes in TCP",
    "kernel-drop": "dropped by the kernel at a socket",
    "lab-link": "captured before a link that loses packets",
    "heartbeat-wait": "lost, and recovered only after a heartbeat",
    "rtps-retransmission": "retransmission of RTPS",
    "fragment-resent": "a fragment of RTPS sent again",
    "xrce-retransmission": "retransmission of DDS-XRCE",
    "xrce-unrepeated": "asked for in DDS-XRCE, and not sent again",
    "fragments": "fragments far apart, or incomplete",
    "reordering": "overtaken on the way",
    "before-match": "written before a reader was known",
    "dropped-at-sender": "dropped at the sender, or before the place of the capture",
    "dropped-at-receiver": "dropped behind the capture, and sent again",
    "dropped-by-agent": "dropped by the agent",
    "overwritten": "overwritten before it was delivered",
    "behind-retransmission": "behind one before it that was sent again",
    "in-relay": "in an agent or broker",
    "on-link": "place: between the hosts",
    "written-late": "place: before the write",
    "in-writer": "place: from the write to the wire",
    "in-answerer": "place: in the answering process",
    "in-reader": "place: from the wire to the reading",
    "not-in-capture": "not in this capture",
    "unexplained": "not explained by packets",
}
MOST_LISTED = 200
"""Samples of a capture that are listed."""


def document(found: LateSamples) -> Document:
    """Return the document: counts and causes, then the samples of a capture alone with its figures,
    then the packets of the worst."""
    sections = [_counts(found), *_left(found), *_causes(found)]
    if found.capture is not None:
        listed = list(_listed(found))
        sections = [*remarks(found.capture), *sections, *listed, *figures(found.capture)]
    sections += [_sequence(each) for each in found.diagrams]
    return Document(f"Late samples of {found.case}", [], sections, kind="late samples")


def _counts(found: LateSamples) -> Section:
    in_time = found.samples - found.late - found.lost
    columns = [
        Column("", [Cell(each) for each in ("late", "lost", "in time")], "label"),
        Column("Samples", [Cell(n) for n in (found.late, found.lost, in_time)], "count"),
        Column("Examined", [Cell(n) for n in (found.examined_late, found.examined_lost,
                                              found.ordinary)], "count"),
    ]  # fmt: skip
    notes = []
    if found.limit_ns is not None and found.median_ns is not None:
        limit, median = time_text(found.limit_ns), time_text(found.median_ns)
        values: dict[str, object] = {
            "round": found.rounds[0], "limit": limit, "by": found.limit_by, "median": median,
        }  # fmt: skip
        notes.append(Text("late", values, style="quiet"))
    return Section("", [Table(columns, [Row() for _ in range(3)], notes=notes, key="counts")])


def _left(found: LateSamples) -> Iterator[Section]:
    if found.left:
        columns = [
            Column("Round", [Cell(str(each.round)) for each in found.left], "label"),
            Column("Late or lost", [Cell(each.late) for each in found.left], "count"),
            Column("Reason", [Cell(each.why) for each in found.left]),
        ]
        table = Table(columns, [Row() for _ in found.left], key="left")
        yield Section("Rounds not examined", [table])


def _causes(found: LateSamples) -> Iterator[Section]:
    causes = found.causes
    if not causes:
        return
    others = [
        ABSENT
        if CAUSES[each.cause].startswith("place") or each.cause == "unexplained"
        else Cell(each.ordinary, more=f"of {count(found.ordinary)}")
        for each in causes
    ]
    late = [Cell(each.late / found.examined_late) if each.late else ABSENT for each in causes]
    columns = [
        Column("Cause", [Cell(CAUSES[each.cause]) for each in causes], "label"),
        Column("Late", [Cell(each.late) for each in causes], "count"),
        Column("Share", late, "number", "1"),
        Column("Lost", [Cell(each.lost) for each in causes], "count"),
        Column("On time", others, "count"),
    ]
    if any(each.late for each in causes):
        columns[-1:-1] = [
            Column("Min", [Cell(each.least_ns) for each in causes], "number", "ns", "Latency"),
            Column(
                "Max",
                [Cell(each.most_ns) for each in causes],
                "number",
                "ns",
                "Latency",
                scale="Min",
            ),
        ]
    note = Text("late_cause", style="quiet")
    yield Section("Causes", [Table(columns, [Row() for _ in causes], notes=[note], key="causes")])


def _listed(found: LateSamples) -> Iterator[Section]:
    """List each late or lost sample of a capture alone."""
    listed = found.worst[:MOST_LISTED]
    if not listed:
        return
    seen = [
        Cell(f"{one.last_hop or ''}, packet {one.last_seen.packet}".removeprefix(", "))
        if one.last_seen
        else ABSENT
        for one in listed
    ]
    columns = [
        Column("Sample", [Cell(_name(one)) for one in listed], "label"),
        Column(
            "Latency",
            [
                Cell(one.latency_ns) if one.latency_ns is not None else Cell(text="lost")
                for one in listed
            ],
            "number",
            "ns",
        ),
        Column("Last seen", seen),
        Column("What the packets show", [Cell(one.said) for one in listed]),
    ]
    if len({one.round for one in listed}) > 1:
        columns.insert(1, Column("Run", [Cell(str(one.round)) for one in listed]))
    rows = [Row(group=f"{' → '.join(one.way)}: {CAUSES[one.cause]}") for one in listed]
    more = len(found.worst) - len(listed)
    notes = [Text("more_cases", {"number": count(more)}, style="quiet")] if more else []
    title = rows[0].group if len({row.group for row in rows}) == 1 else ""
    table = Table(columns, rows, title, notes, key="late")
    yield Section("Late and lost samples", [table])


def _name(late: Late) -> str:
    """Name it by its number on the first hop, from 1; by the writer's where it has no packet."""
    return f"Sample {late.seq}" if late.seq is not None else f"Number {late.number}"


def _sequence(found: Diagram) -> Section:
    """Draw stamps and packets of a sample in the order of time; a column for each process and each
    interface between them."""
    late = found.sample
    where = " → ".join(late.way) if late.way else f"writer {late.writer}, round {late.round}"
    latency = "lost" if late.latency_ns is None else f"latency {time_text(late.latency_ns)}"
    lanes = [
        Column(lane, [_sign(found.lanes, number, event) for event in found.events])
        for number, lane in enumerate(found.lanes)
    ]
    packets = [Cell("" if each.packet is None else each.packet) for each in found.events]
    columns = [
        # To the microsecond: packets that follow each other closely stay distinct.
        Column(
            "From write", [Cell(round(each.at_ns / 1e3)) for each in found.events], "count", "µs"
        ),
        *lanes,
        Column("Packet", packets, "count"),
        Column("Proof", [Cell("✓" if each.proves else "") for each in found.events]),
        Column("What", [Cell(each.what) for each in found.events]),
    ]
    notes = []
    if found.omitted:
        notes.append(
            Text(
                "facts",
                {"title": "Packets of these flows left out", "facts": count(found.omitted)},
                style="quiet",
            )
        )
    if files := dict.fromkeys(each.file for each in found.events if each.file):
        notes.append(Text("late_sequence", {"files": ", ".join(files)}, style="quiet"))
    name = f"sample-{late.round}-{late.writer}-{late.seq if late.seq is not None else late.number}"
    table = Table(columns, [Row() for _ in found.events], notes=notes, key=name)
    said = Text("line", {"line": f"{upper_first(late.said)}."})
    title = f"{_name(late)} of {where}"
    return Section(title, [said, table], summary=f"{latency}, {CAUSES[late.cause]}", key=name)


def _sign(lanes: list[str], number: int, event: Event) -> Cell:
    """Draw a stamp as a dot in its column, a packet as an arrow to where it goes."""
    if event.lane != lanes[number]:
        return Cell("")
    if event.packet is None:
        return Cell("●")
    if event.towards is None:
        return Cell("○")
    return Cell("→" if lanes.index(event.towards) > number else "←")
