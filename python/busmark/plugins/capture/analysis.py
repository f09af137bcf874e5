"""From a capture to what is known of it, and what limits its figures, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from busmark.errors import UserError
from busmark.model.text import count, plural
from busmark.plugins.capture.application import Stamps, beside, read_stamps
from busmark.plugins.capture.figures import NONE, between, range_of, spread
from busmark.plugins.capture.model import (
    Analysis,
    Application,
    Flow,
    Hop,
    Interface,
    Range,
    Run,
    Submessages,
)
from busmark.plugins.capture.reading import Packets, directions, read
from busmark.plugins.capture.samples import RELIABLE, Samples, all_samples, confirm
from busmark.plugins.capture.ways import Confirmation, Named, paths, ways
from busmark.plugins.capture.wire import end_text, reverse_flows

READ = {"rtps", "xrce"}
"""Protocols that are read."""
OF_INTERFACE = ("packets", "snap_length", "received", "dropped")
SESSION_STEP = 1 << 15
"""Numbers of DDS-XRCE begin anew with a session, in the table above all before."""


def analyse(
    path: Path,
    *,
    agent_ports: Sequence[int] = (),
    application: Path | None = None,
    until: Confirmation | None = None,
) -> Analysis:
    """Analyse a capture; `until` says what ends L.

    Raises `UserError` where it is not one, or holds no packet.
    """
    stamps = None if application is None else read_stamps(application)
    packets, named = read_samples(path, agent_ports)
    found = described(path, packets, named, until=until)
    if application is not None and stamps is not None:
        found.application = beside(application, stamps, named, until)
        found.remarks += of_stamps(stamps, found.application)
        if found.application is not None:
            # The application's time for L on its way, where nothing confirms.
            mbit_s = found.application.eq2_mbit_s
            for way in found.ways if mbit_s else ():
                if way.hops == found.application.hops and way.confirmed is None:
                    way.eq2_mbit_s, way.eq2_until = mbit_s, "application"
    return found


def read_samples(path: Path, agent_ports: Sequence[int] = ()) -> tuple[Packets, list[Named]]:
    """Return what a capture has, and the samples on its hops."""
    packets = read(path, agent_ports=agent_ports)
    found = all_samples(packets)
    confirm(packets, found)
    for each in found:
        flow = packets.summary["flows"][each.flow]
        unread = flow["unread_bytes"] or flow["unread_messages"]
        each.whole = not unread or not gaps(packets, each)
    return packets, [(_name(number), samples) for number, samples in enumerate(found)]


def check_readable(found: Analysis) -> None:
    """Raise `UserError` where no packet is of a protocol that is read."""
    if READ.isdisjoint(found.protocols):
        raise UserError(f"nothing in it can be read: {found.remarks[-1]}", where=found.file)


def described(
    path: Path, packets: Packets, named: Sequence[Named], *, until: Confirmation | None = None
) -> Analysis:
    """Return the analysis of a capture."""
    summary = packets.summary
    first = packets.rows.lazy().filter(pl.col("part") == 0).select("protocol").collect()
    counts = first.group_by("protocol").len().sort("len", "protocol", descending=[True, False])
    names = packets.summary["protocols"]
    return Analysis(
        file=str(path),
        format=summary["format"],
        packets=summary["packets"],
        wire_bytes=summary["wire_bytes"],
        first_ns=summary["first_ns"],
        last_ns=summary["last_ns"],
        protocols={names[number]: count for number, count in counts.iter_rows()},
        remarks=remarks(packets, [samples for _, samples in named]),
        fault=summary["fault"],
        interfaces=[
            Interface(name=each["name"] or str(number), **{key: each[key] for key in OF_INTERFACE})
            for number, each in enumerate(summary["interfaces"])
        ],
        runs=_runs(packets, named),
        hops=[_hop(packets, name, samples) for name, samples in named],
        ways=ways(named, until),
        application=None,
        flows=_flows(packets),
        submessages=_submessages(packets),
    )


def _runs(packets: Packets, named: Sequence[Named]) -> list[Run]:
    onward = {name for path in paths(named) for name, _ in path[1:]}
    return [
        Run(
            number=number,
            begin_ns=run.begin_ns,
            end_ns=run.end_ns,
            clients=[f"0x{key:08x}" for key in run.clients],
            samples=sum(
                len(of.times) for name, of in named if of.run == number and name not in onward
            ),
        )
        for number, run in enumerate(packets.runs, 1)
    ]


def _name(number: int) -> str:
    """Return A, B, …, Z, A1, B1, … for 0, 1, …."""
    return chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "")


def _hop(packets: Packets, name: str, each: Samples) -> Hop:
    flow = packets.summary["flows"][each.flow]
    count, wire, payload = *_traffic(packets, each), float(each.payload.sum())
    waits = each.protocol == "rtps" or (each.stream or 0) >= RELIABLE
    confirmed = between(each.times, each.confirmed)
    arrival = (each.times - each.begun)[each.times > each.begun]
    return Hop(
        name=name,
        run=each.run,
        protocol=each.protocol,
        kind=each.kind,
        transport=flow["transport"],
        source=end_text(flow, "source"),
        destination=end_text(flow, "destination"),
        writer=_writer(packets, each),
        stream=_stream(each.stream) if each.protocol == "xrce" else None,
        samples=len(each.times),
        repeated=each.repeated,
        not_seen=sum(last - first + 1 for first, last in gaps(packets, each)),
        fragmented=each.fragmented,
        payload_bytes=_range(each.payload),
        packet_bytes=_range(each.wire),
        packets=count,
        wire_bytes=wire,
        packets_per_sample=count / len(each.times),
        overhead_share=max(0.0, 1 - payload / wire) if wire else None,
        first_ns=int(each.begun.min()),
        last_ns=int(each.times.max()),
        confirmation=spread(confirmed),
        unconfirmed=len(each.times) - len(confirmed) if waits and len(confirmed) else None,
        tcp_acknowledgement=spread(between(each.times, each.acknowledged)),
        arrival=spread(arrival),
    )


def _range(values: pl.Series) -> Range:
    found = range_of(values.cast(pl.Float64).to_numpy())
    assert found is not None
    return found


def _writer(packets: Packets, each: Samples) -> str:
    if each.protocol == "xrce":
        return f"0x{each.writer:04x}"
    prefix = "?" if each.source is None else packets.summary["prefixes"][each.source]
    return f"{prefix}:{each.writer:08x}"


def _stream(stream: int | None) -> str:
    number = stream or 0
    return f"0x{number:02x} {'reliable' if number >= RELIABLE else 'best effort'}"


def _traffic(packets: Packets, each: Samples) -> tuple[int, int]:
    """Count packets, and their bytes, from the first sample to the last confirmation."""
    rows = packets.rows
    last = max(int(each.times.max()), int(each.confirmed.max()), int(each.acknowledged.max()))
    here = pl.col("flow") == each.flow
    if each.protocol == "rtps":
        answers = (pl.col("destination") == each.source) & (pl.col("writer") == each.writer)
        belongs = (here & (pl.col("source") == each.source) & (pl.col("writer") == each.writer)) | (
            answers & (pl.col("source") != each.source)
        )
    else:
        back = reverse_flows(packets.summary["flows"]).get(each.flow)
        belongs = here if back is None else here | (pl.col("flow") == back)
    window = pl.col("time_ns").is_between(int(each.begun.min()), last)
    within = rows.lazy().filter(belongs & window).select("packet", "wire_bytes").collect()
    # Most rows of a packet are neighbours.
    first = within.filter(pl.col("packet").ne_missing(pl.col("packet").shift(1)))
    of = first.unique("packet", keep="first")
    return of.height, int(of["wire_bytes"].sum())


def gaps(packets: Packets, each: Samples) -> list[tuple[int, int]]:
    """List the gaps in the numbers, which no packet has: the first and the last number of each."""
    rows = packets.rows.lazy().select("kind", "flow", "source", "writer", "stream", "last_seq")
    if each.protocol == "rtps":
        by_writer = (pl.col("source") == each.source) & (pl.col("writer") == each.writer)
        of = rows.filter(by_writer)
        data = [packets.kind("rtps", kind) for kind in ("DATA", "DATA_FRAG")]
        gaps = packets.answers.filter(by_writer & (pl.col("kind") == packets.kind("rtps", "GAP")))
        of_data = of.filter(pl.col("kind").is_in(data)).select("last_seq").collect()
        irrelevant = gaps.filter(pl.col("last_seq") - pl.col("first_seq") < SESSION_STEP).select(
            pl.int_ranges("first_seq", pl.col("last_seq") + 1).alias("last_seq")
        )
        numbers = pl.concat(
            [
                of_data["last_seq"],
                irrelevant["last_seq"].explode(empty_as_null=False).cast(pl.Int64),
            ]
        )
    else:
        beside = [packets.kind("xrce", kind) for kind in ("ACKNACK", "HEARTBEAT")]
        of = rows.filter(
            (pl.col("flow") == each.flow)
            & (pl.col("stream") == each.stream)
            & ~pl.col("kind").is_in(beside)
        )
        numbers = of.select("last_seq").collect()["last_seq"]
    low, high = int(each.numbers.min()), int(each.numbers.max())
    if low == NONE:
        return []
    seen = numbers.filter(numbers.is_between(low, high)).unique().sort()
    steps = seen.diff().fill_null(1)
    behind = seen.to_frame("number").filter((steps > 1) & (steps < SESSION_STEP))
    widths = steps.filter((steps > 1) & (steps < SESSION_STEP))
    return [
        (number - width + 1, number - 1)
        for number, width in zip(behind["number"].to_list(), widths.to_list(), strict=True)
    ]


def _flows(packets: Packets) -> list[Flow]:
    first = packets.rows.lazy().filter((pl.col("part") == 0) & pl.col("flow").is_not_null())
    grouped = first.group_by("flow").agg(
        (pl.col("tcp_bytes") > 0).sum().alias("data"),
        pl.col("retransmission").sum().alias("retransmissions"),
        pl.col("out_of_order").sum(),
    )
    names = packets.summary["protocols"]
    by_flow = {row["flow"]: row for row in grouped.collect().iter_rows(named=True)}
    kinds = packets.rows.select("flow", "protocol").unique().drop_nulls()
    protocols: dict[int, list[str]] = {}
    for flow, protocol in kinds.sort("flow", "protocol").iter_rows():
        protocols.setdefault(flow, []).append(names[protocol])
    found = []
    for number, flow in enumerate(packets.summary["flows"]):
        row = by_flow.get(number, {"data": 0, "retransmissions": 0, "out_of_order": 0})
        interface = packets.summary["interfaces"][flow["interface"]]["name"]
        found.append(
            Flow(
                interface=interface or str(flow["interface"]),
                transport=flow["transport"],
                source=end_text(flow, "source"),
                destination=end_text(flow, "destination"),
                protocols=protocols.get(number, []),
                packets=flow["packets"],
                wire_bytes=flow["wire_bytes"],
                tcp_data_segments=row["data"],
                tcp_retransmissions=row["retransmissions"],
                tcp_out_of_order=row["out_of_order"],
            )
        )
    return found


def _submessages(packets: Packets) -> list[Submessages]:
    """Return how often each kind is there, by whom it is sent."""
    kinds = {int(number): name for number, name in packets.summary["kinds"].items()}
    direction_of = directions(packets)
    named = packets.counts.filter(pl.col("kind").is_not_null() & (pl.col("kind") < 512))
    found: dict[tuple[Any, ...], int] = {}
    for kind, builtin, flow, number in named.iter_rows():
        protocol = "xrce" if kind >= 256 else "rtps"
        direction = direction_of.get(flow) if protocol == "xrce" else None
        of = None if builtin is None else "discovery" if builtin else "user"
        key = (protocol, kinds.get(kind, f"0x{kind:02x}"), direction, of)
        found[key] = found.get(key, 0) + number
    order = sorted(found, key=lambda key: tuple(str(part) for part in key))
    return [
        Submessages(protocol=key[0], kind=key[1], direction=key[2], of=key[3], count=found[key])
        for key in order
    ]


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
    """List what was noticed in the packets, the fault first."""
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
    lines += [
        f"the capture lost {plural(each['dropped'], 'packet')} on {each['name'] or number}: "
        "losses and latencies may be the capture's own"
        for number, each in enumerate(summary["interfaces"])
        if each["dropped"]
    ]
    lines += _too_short(summary)
    lines += _doubtful(summary, found)
    if summary["packets"] and not found:
        lines.append(_nothing(packets))
    return lines


def _too_short(summary: dict[str, Any]) -> list[str]:
    """Name the streams of TCP of which the snap length leaves too little."""
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
    """Name the flows taken for DDS-XRCE, which has no magic number, on weak evidence."""
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
    """Return what limits the stamps of the application."""
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
