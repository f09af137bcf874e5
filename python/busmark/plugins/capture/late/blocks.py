"""The document of late samples: how many there are, their causes, each with the packets that show
its cause."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from busmark.model.text import count, time_text, upper_first
from busmark.plugins.capture.blocks import figures, hops, remarks
from busmark.plugins.capture.late.model import Cause, Diagram, Event, Late, LateSamples
from busmark.present.blocks.rows import fact
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
UNCONFIRMED = "Confirmed by no packet, so that the capture does not show whether they were received"

MOST_LISTED = 200
"""Samples of a capture that are listed."""


def document(found: LateSamples, *, in_file: bool = True) -> Document:
    """Return the document: counts and causes, then the samples of a capture alone, its hops, and
    in a file its figures, then the packets of the worst. On a screen the figures would push the
    answer out of sight."""
    sections = [_counts(found), *_limits(found), *_left(found), *_causes(found)]
    if found.capture is not None:
        listed = list(_listed(found))
        sections = [*remarks(found.capture), *sections, *listed, hops(found.capture)]
        sections += figures(found.capture) if in_file else [_further(found.case)]
    sections += [_sequence(each) for each in found.diagrams]
    return Document(f"Late samples of {found.case}", [], sections, kind="late samples")


def _further(file: str) -> Section:
    further = (
        f"`busmark capture analyse {shlex.quote(file)}` has latencies, throughput and lengths; "
        "`--worst 3` shows the packets of the first three samples."
    )
    return Section("", [Text("line", {"line": further}, style="quiet")])


def _counts(found: LateSamples) -> Section:
    on_time = found.samples - found.late - found.lost - found.untimed
    timed, followed = on_time + found.late > 0, found.samples - found.unfollowed > 0
    rows: list[tuple[str, int, int | None, bool]] = [
        ("late", found.late, found.examined_late, timed or not found.untimed),
        ("lost", found.lost, found.examined_lost, followed or not found.unfollowed),
        ("on time", on_time, found.ordinary, timed or not found.untimed),
    ]
    if found.untimed:
        rows.append(("without a latency", found.untimed, None, True))
    columns = [
        Column("", [Cell(name) for name, *_ in rows], "label"),
        Column("Samples", [Cell(n if known else None) for _, n, _, known in rows], "count"),
        Column("Examined", [Cell(n if known else None) for _, _, n, known in rows], "count"),
    ]
    notes = []
    if found.untimed:
        notes.append(Text("late_untimed", style="quiet"))
    if found.untimed and found.unfollowed:
        notes.append(fact(UNCONFIRMED, count(found.unfollowed)))
    if found.limit_ns is not None and found.median_ns is not None:
        limit, median = time_text(found.limit_ns), time_text(found.median_ns)
        values = {
            "round": found.rounds[0],
            "limit": limit,
            "by": found.limit_by,
            "median": median,
        }
        notes.append(Text("late", values, style="quiet"))
    return Section("", [Table(columns, [Row() for _ in rows], notes=notes, key="counts")])


def _limits(found: LateSamples) -> Iterator[Section]:
    if own := [each for each in found.limits if each.late]:
        columns = [
            Column("Hops", [Cell(" → ".join(each.way)) for each in own], "label"),
            Column("Late", [Cell(each.late) for each in own], "count"),
            Column("Above", [Cell(each.limit_ns) for each in own], "number", "ns"),
            Column("Limit", [Cell(each.limit_by) for each in own]),
            Column("Sent again below it", [Cell(each.again) for each in own], "count"),
        ]
        yield Section("Limits", [Table(columns, [Row() for _ in own], key="limits")])


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
    groups: dict[tuple[object, ...], list[Late]] = {}
    for one in found.worst:
        groups.setdefault(_alike(one), []).append(one)
    order = list(CAUSES)
    alike = sorted(
        groups.values(), key=lambda own: (own[0].round, own[0].way, order.index(own[0].cause))
    )
    listed = alike[:MOST_LISTED]
    if not listed:
        return
    columns = [
        Column("Sample", [Cell(_names(group)) for group in listed], "label"),
        Column("Latency", [_latencies(group) for group in listed], "number", "ns"),
        Column("Last seen", [_last_seen(group) for group in listed]),
        Column("What the packets show", [_said(group) for group in listed]),
    ]
    firsts = [group[0] for group in listed]
    rows = [Row(group=f"{' → '.join(one.way)}: {CAUSES[one.cause]}") for one in firsts]
    more = sum(map(len, alike[MOST_LISTED:]))
    notes = [Text("more_cases", {"number": count(more)}, style="quiet")] if more else []
    if any(len(group) > 1 for group in listed):
        notes.append(Text("late_alike", style="quiet"))
    if len({one.round for one in firsts}) > 1:
        columns.insert(1, Column("Run", [Cell(str(one.round)) for one in firsts]))
    title = rows[0].group if len({row.group for row in rows}) == 1 else ""
    table = Table(columns, rows, title, notes, key="late")
    yield Section("Late and lost samples", [table])


def _alike(late: Late) -> tuple[object, ...]:
    """Return what samples have in common of which the packets show the same: all but numbers."""
    said = re.sub(r"[0-9][0-9,. \u202f]*", "#", late.said)
    lost = late.latency_ns is None
    return late.round, *late.way, late.cause, late.last_hop, said, lost, late.seq is None


def _name(late: Late) -> str:
    """Name it by its number on the first hop, from 1; by the writer's where it has no packet."""
    return f"Sample {late.seq}" if late.seq is not None else f"Number {late.number}"


def _names(group: Sequence[Late]) -> str:
    """Name the samples of a group, with their number: between the first and the last may be others
    that were neither late nor lost."""
    if len(group) == 1:
        return _name(group[0])
    first, last = (one.number if one.seq is None else one.seq for one in (group[0], group[-1]))
    noun = "Numbers" if group[0].seq is None else "Samples"
    if len(group) == 2:
        return f"{noun} {first}, {last}"
    if last == (first or 0) + len(group) - 1:
        return f"{noun} {first} to {last}"
    return f"{count(len(group))} {noun.lower()} from {first} to {last}"


def _latencies(group: Sequence[Late]) -> Cell:
    times = [one.latency_ns for one in group if one.latency_ns is not None]
    if not times:
        return Cell(text="lost")
    least, most = min(times), max(times)
    middle = sorted(times)[len(times) // 2]
    return Cell(middle, least, most) if least < most else Cell(middle)


def _last_seen(group: Sequence[Late]) -> Cell:
    packets = [one.last_seen.packet for one in group if one.last_seen]
    if not packets:
        return ABSENT
    named = f"packet {packets[0]}"
    if len(packets) > 1:
        named = f"packets {packets[0]}{',' if len(packets) == 2 else ' to'} {packets[-1]}"
    return Cell(f"{group[0].last_hop or ''}, {named}".removeprefix(", "))


def _said(group: Sequence[Late]) -> Cell:
    said = group[0].said
    return Cell(said if len(group) == 1 else f"{_name(group[0]).lower()}: {said}")


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
