"""What is said of late samples, in words and cells."""

from __future__ import annotations

from busmark.analysis.words.text import ABSENT, count, percent_text, plural
from busmark.capture.late.model import Explained, Late
from busmark.report.capture.blocks import figures
from busmark.report.html.blocks import Block, Rows, plain

NAMES = {
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
HEADS = ("Cause", "Late", "Lost", "Share of late", "Latency", "Other samples with it")


def title(late: Late) -> str:
    """A sample and its cause, in a line."""
    latency = "lost" if late.latency_ns is None else f"latency {plain(late.latency_ns)}"
    if late.way:
        return f"{sample_name(late)} of {' → '.join(late.way)}: {latency}, {NAMES[late.cause]}"
    return f"Sample {late.seq} of writer {late.writer}, round {late.round}: {latency}, " \
           f"{NAMES[late.cause]}"  # fmt: skip


def summary(found: Explained) -> list[str]:
    """What was looked at."""
    if found.capture is not None:
        return _of_file(found)
    told = [
        f"{count(found.samples)} samples in {plural(len(found.rounds), 'captured round')}: "
        f"{count(found.late)} late, {count(found.lost)} lost."
    ]
    if found.limit_ns is not None and found.median_ns is not None:
        of = f"In round {found.rounds[0]} that is" if len(found.rounds) > 1 else "That is"
        told.append(
            "Late is a latency above the 99th percentile of its round, or above three times its "
            f"median. {of} above {plain(found.limit_ns)}, by a median of {plain(found.median_ns)}."
        )
    looked = found.examined_late + found.examined_lost
    if looked < found.late + found.lost:
        told.append(f"{count(looked)} of them were looked at: the lost and the latest of each "
                    "round.")  # fmt: skip
    told += [
        f"Round {each.round} was not looked at, {plural(each.late, 'late or lost sample')}: "
        f"{each.why}."
        for each in found.left
    ]
    return told


def sample_name(late: Late) -> str:
    """By its number on the first hop of its way, from 1; one without a packet by its writer's."""
    return f"Sample {late.seq}" if late.seq is not None else f"Number {late.number}"


def _of_file(found: Explained) -> list[str]:
    assert found.capture is not None
    told = [f"{count(found.samples)} samples: {count(found.late)} late, {count(found.lost)} lost."]
    if (looked := found.examined_late + found.examined_lost) < found.late + found.lost:
        told.append(f"{count(looked)} of them were looked at: the lost, then the latest.")
    return told + [f"{remark[0].upper()}{remark[1:]}." for remark in found.capture.remarks]


def of_capture(found: Explained) -> list[Block]:
    """Each late or lost sample of a capture alone, and what else the capture shows."""
    if found.capture is None:
        return []
    each: Rows = [
        (
            str(one.round), " → ".join(one.way), sample_name(one),
            "lost" if one.latency_ns is None else plain(one.latency_ns),
            ABSENT if one.last_seen is None else
            f"{one.last_hop or ABSENT}, packet {one.last_seen.packet}",
            NAMES[one.cause], one.said,
        )
        for one in found.worst[:MOST_LISTED]
    ]  # fmt: skip
    heads = ("Run", "Way", "Sample", "Latency", "Last seen", "Cause", "What the packets show")
    more = f" The first {MOST_LISTED} of {count(len(found.worst))}; --json has all."
    note = (
        "Samples are numbered on the first hop of their way, from 1. Last seen: the hop, and the "
        "packet there." + more * (len(found.worst) > MOST_LISTED)
    )
    made = [Block("Late and lost samples", heads, each, note=note), *figures(found.capture)]
    return [block for block in made if block.rows]


def rows(found: Explained) -> list[tuple[str, ...]]:
    """One for each cause."""
    made: list[tuple[str, ...]] = []
    for each in found.causes:
        span = ABSENT
        if each.least_ns is not None and each.most_ns is not None:
            span = plain(each.least_ns)
            if each.most_ns != each.least_ns:
                span += f" to {plain(each.most_ns)}"
        others = ABSENT
        if not NAMES[each.cause].startswith("place") and each.cause != "unexplained":
            others = f"{count(each.ordinary)} of {count(found.ordinary)}"
        share = percent_text(each.late / found.examined_late) if each.late else ABSENT
        made.append((NAMES[each.cause], count(each.late), count(each.lost), share, span, others))
    return made
