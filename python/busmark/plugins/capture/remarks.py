"""What limits the figures of a capture, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from busmark.model.text import count, plural
from busmark.plugins.capture.application import Stamps
from busmark.plugins.capture.figures import NONE
from busmark.plugins.capture.model import Application
from busmark.plugins.capture.reading import Packets
from busmark.plugins.capture.samples import Samples
from busmark.plugins.capture.wire import end_text

MOST_OTHERS = 0.1
"""Share of datagrams that are no message, above which a flow without a greeting is doubtful."""

NOTICED = {
    "cut_off_packets": "{n} packet{s} cut off by the snap length: payloads that are cut off are "
    "followed over hops by their length and order, where the capture has each message and one hop "
    "of each kind, and not otherwise",
    "timeless_packets": "{n} packet{s} without a time",
    "unknown_link_packets": "{n} packet{s} of a link type that is not read",
    "incomplete_datagrams": "{n} IP datagram{s} of which fragments are missing",
    "malformed_messages": "{n} malformed message{s}",
    "missing_stream_bytes": "{n} byte{s} of TCP streams missing in the capture",
    "damaged_frames": "{n} frame{s} of a serial line with a wrong checksum",
    "copied_packets": "{n} packet{s} on two interfaces: the same bytes within a millisecond are "
    "one packet, which is read where it was first",
    "beyond_bounds": "bounds of memory reached {n} time{s}: what was forgotten is not counted",
}


def remarks(packets: Packets, found: Sequence[Samples]) -> list[str]:
    """The fault first."""
    summary = packets.summary
    noticed: dict[str, int] = summary["noticed"]
    lines = []
    if fault := summary["fault"]:
        lines.append(
            f"reading ended at byte {count(fault['offset'])}: {fault['what']}; "
            f"{plural(summary['packets'], 'packet')} before it analysed"
        )
    if not summary["packets"]:
        lines.append("the capture holds no packet")
    if earlier := noticed["earlier_packets"]:
        by_ms = noticed["earlier_by_ns"] / 1e6
        lines.append(
            f"{plural(earlier, 'packet')} out of order of time, by up to {by_ms:.3f} ms: figures "
            "are computed in the order of time"
        )
    for key, text in NOTICED.items():
        if number := noticed[key]:
            lines.append(text.format(n=count(number), s="" if number == 1 else "s"))
    lines += _drops(summary)
    lines += _too_short(summary)
    lines += _doubtful(summary, found)
    if summary["packets"] and not found:
        lines.append(_nothing(packets))
    return lines


def _drops(summary: dict[str, Any]) -> list[str]:
    return [
        f"the capture lost {plural(each['dropped'], 'packet')} on {each['name'] or number}: "
        "losses and latencies may be the capture's own"
        for number, each in enumerate(summary["interfaces"])
        if each["dropped"]
    ]


def _too_short(summary: dict[str, Any]) -> list[str]:
    """Streams of TCP of which the snap length leaves too little."""
    lines = []
    for flow in summary["flows"]:
        unread = []
        if flow["unread_bytes"]:
            unread.append(f"{count(flow['unread_bytes'])} B belong to no message that can be read")
        if flow["unread_messages"]:
            unread.append(f"{plural(flow['unread_messages'], 'message')} without a number")
        if flow["cut_off_segments"] and unread:
            lines.append(
                f"the snap length is too short for the stream {end_text(flow, 'source')} → "
                f"{end_text(flow, 'destination')}: {plural(flow['cut_off_segments'], 'segment')} "
                f"cut off, {', '.join(unread)}; {count(flow['telling_bytes'])} B are enough for "
                "lengths and numbers where a segment has one message, "
                f"{count(flow['whole_bytes'])} B for all"
            )
    return lines


def _doubtful(summary: dict[str, Any], found: Sequence[Samples]) -> list[str]:
    """Flows taken for DDS-XRCE, which has no magic number, on weak evidence."""
    lines = []
    for number in sorted({each.flow for each in found if each.protocol == "xrce"}):
        flow = summary["flows"][number]
        others = flow["other_messages"]
        if not flow["greeted"] and others > MOST_OTHERS * (others + flow["xrce_messages"]):
            lines.append(
                f"{flow['source']}:{flow['source_port']} to {flow['destination']}:"
                f"{flow['destination_port']} may not be DDS-XRCE: {plural(others, 'datagram')} "
                "of other content, and no session was opened"
            )
    return lines


def _nothing(packets: Packets) -> str:
    if cut_off := packets.summary["noticed"]["cut_off_packets"]:
        return (
            f"no samples can be read: {plural(cut_off, 'packet')} cut off by the snap length, so "
            "that it cannot be said what they carry"
        )
    names = packets.summary["protocols"]
    counts = packets.rows["protocol"].value_counts()
    there = {names[number]: number_of for number, number_of in counts.iter_rows()}
    if there.get("rtps") or there.get("xrce"):
        return "no samples of users: only discovery and sessions"
    return "no RTPS and no DDS-XRCE: foreign traffic; --agent-port names the port of an agent"


def of_stamps(stamps: Stamps, found: Application | None) -> list[str]:
    """What limits the stamps of the application."""
    lines = []
    if found is None:
        lines.append(
            "no samples of the capture lie between the application's stamps: they are of another "
            "run, or of another clock"
        )
    elif missing := found.sent - found.in_capture:
        lines.append(f"{plural(missing, 'sample')} of the application without a packet")
    there = stamps.received != NONE
    if early := int((stamps.received[there] < stamps.sent[there]).sum()):
        lines.append(
            f"{plural(early, 'sample')} received before sent: the application's clocks differ"
        )
    return lines
