"""The tables of a capture."""

from __future__ import annotations

from busmark.analysis.words.text import ABSENT, count, number, percent_text
from busmark.capture.model import Analysis, Flow, Hop, Range, Way
from busmark.report.capture import application
from busmark.report.capture.times import TIMES, times_text
from busmark.report.html.blocks import Block, Rows, plain

MOST_FLOWS = 50
"""Flows that are listed, those with most packets first."""
MOST_LOST = 20
"""Missing samples that are listed."""


def title(analysis: Analysis) -> str:
    """What the capture is, in a line."""
    span = ""
    if analysis.first_ns is not None and analysis.last_ns is not None:
        span = f" in {plain(analysis.last_ns - analysis.first_ns)}"
    return f"{count(analysis.packets)} packets, {count(analysis.wire_bytes)} B{span}"


def blocks(analysis: Analysis) -> list[Block]:
    """In the order in which they are read; without those that would be empty."""
    made = [
        _runs(analysis), _ways(analysis), _way_times(analysis),
        application.times(analysis.application),
        application.samples(analysis.application), _hops(analysis), _hop_times(analysis),
        _sizes(analysis), _flows(analysis), _submessages(analysis), _interfaces(analysis),
    ]  # fmt: skip
    return [block for block in made if block.rows]


def figures(analysis: Analysis) -> list[Block]:
    """Those of latencies, losses and lengths."""
    made = [_runs(analysis), _ways(analysis), _way_times(analysis), _sizes(analysis)]
    return [block for block in made if block.rows]


def _range(values: Range | None) -> str:
    if values is None:
        return ABSENT
    if values.min == values.max:
        return number(values.mean)
    return f"{number(values.mean)} [{number(values.min)}, {number(values.max)}]"


def _way(way: Way) -> str:
    return " → ".join(way.hops)


def _runs(analysis: Analysis) -> Block:
    """Nothing where there is one."""
    rows: Rows = [
        (str(run.number), plain(run.begin_ns - (analysis.first_ns or 0)),
         plain(run.end_ns - run.begin_ns), ", ".join(run.clients) or ABSENT, count(run.samples),
         ", ".join(hop.name for hop in analysis.hops if hop.run == run.number))
        for run in analysis.runs
    ] if len(analysis.runs) > 1 else []  # fmt: skip
    heads = ("Run", "Begins after", "Length", "Clients", "Samples", "Hops")
    return Block("Runs", heads, rows, note=(
        "Between runs there was no session of DDS-XRCE, or no participant that wrote. Figures are "
        "computed for each run by itself."
    ))  # fmt: skip


def _ways(analysis: Analysis) -> Block:
    rows: Rows = []
    for way in analysis.ways:
        lost = ", ".join(map(str, way.missing[:MOST_LOST]))
        more = " …" if way.entered - way.arrived > MOST_LOST else ""
        rows.append((
            _way(way), count(way.entered), count(way.arrived), count(way.entered - way.arrived),
            lost + more or ABSENT, _range(way.bytes_per_sample),
            ABSENT if way.goodput_mbit_s is None else number(way.goodput_mbit_s),
            _range(way.eq2_mbit_s),
        ))  # fmt: skip
    heads = ("Way", "Sent", "Received", "Lost", "Which", "Packets of a sample, B",
             "Goodput, Mbit/s", "Eq. 2, Mbit/s")  # fmt: skip
    return Block("Samples over several hops", heads, rows, note=(
        "Samples are followed by their payload. Eq. 2 is the length of a sample's packets on all "
        "hops by its L: a size by a delay, no throughput. Values in brackets are the least and "
        "the greatest."
    ))  # fmt: skip


def _way_times(analysis: Analysis) -> Block:
    rows: Rows = []
    for way in analysis.ways:
        if way.latency:
            rows.append((_way(way), "data packet to data packet", *times_text(way.latency)))
        if way.confirmed:
            rows.append(
                (_way(way), f"L: data packet to {way.confirmed_by}", *times_text(way.confirmed))
            )
        rows += [
            (f"{part.source} → {part.destination}", "of these, to the first byte",
             *times_text(part.latency))
            for part in way.segments if part.latency
        ]  # fmt: skip
    return Block("Latency over several hops", ("Way", "From, to", *TIMES), rows, note=(
        "From the data packet of the first hop to the data packet of the last hop, and to the "
        "message that confirms it there."
    ))  # fmt: skip


def _hops(analysis: Analysis) -> Block:
    rows: Rows = [
        (hop.name, _protocol(hop), f"{hop.source} → {hop.destination}", hop.writer,
         count(hop.samples), count(hop.repeated), count(hop.not_seen),
         ABSENT if hop.unconfirmed is None else count(hop.unconfirmed))
        for hop in analysis.hops
    ]  # fmt: skip
    heads = ("Hop", "What", "From, to", "Writer", "Samples", "Repeated", "Not seen", "Unconfirmed")
    return Block("Writers", heads, rows, note=(
        "Repeated: further copies of a sample. Not seen: sequence numbers that no packet has."
    ))  # fmt: skip


def _protocol(hop: Hop) -> str:
    stream = f", {hop.stream}" if hop.stream else ""
    return f"{hop.protocol.upper()} {hop.kind} over {hop.transport.upper()}{stream}"


def _hop_times(analysis: Analysis) -> Block:
    rows: Rows = []
    for hop in analysis.hops:
        named = (
            ("data packet to ACKNACK", hop.confirmation),
            ("data packet to TCP's acknowledgement", hop.tcp_acknowledgement),
            ("first byte to last byte", hop.arrival),
        )
        rows += [(hop.name, what, *times_text(spread)) for what, spread in named if spread]
    return Block("Confirmations", ("Hop", "From, to", *TIMES), rows, note=(
        "L of each hop: the time of the confirmation less the time of the data packet. A message "
        "in several segments of TCP arrives with its last byte."
    ))  # fmt: skip


def _sizes(analysis: Analysis) -> Block:
    rows: Rows = [
        (hop.name, _range(hop.payload_bytes), _range(hop.packet_bytes),
         number(hop.packet_bytes.mean * 8), count(round(hop.packet_bytes.mean * 8 * hop.samples)),
         number(hop.packets_per_sample), percent_text(hop.overhead_share))
        for hop in analysis.hops
    ]  # fmt: skip
    heads = ("Hop", "Payload, B", "Packets of a sample, B", "Mean, bit", "Total, bit",
             "Packets per sample", "Overhead")  # fmt: skip
    return Block("Lengths", heads, rows, note=(
        "Packets per sample and overhead count heartbeats, confirmations and acknowledgements, "
        "from the first sample to the last confirmation. Overhead is what is no payload."
    ))  # fmt: skip


def _flows(analysis: Analysis) -> Block:
    flows = sorted(analysis.flows, key=lambda flow: -flow.packets)
    rows: Rows = [_flow(flow) for flow in flows[:MOST_FLOWS]]
    rest = len(flows) - len(rows)
    heads = ("From, to", "Interface", "Protocols", "Packets", "Bytes", "TCP data",
             "Retransmitted", "Out of order")  # fmt: skip
    note = f"{count(rest)} more flows are in the JSON." if rest else ""
    return Block("Flows", heads, rows, note=note)


def _flow(flow: Flow) -> tuple[str, ...]:
    tcp = (flow.tcp_data_segments, flow.tcp_retransmissions, flow.tcp_out_of_order)
    counts = map(count, tcp) if flow.transport == "tcp" else (ABSENT,) * 3
    return (f"{flow.source} → {flow.destination}", flow.interface,
            ", ".join([flow.transport, *(p for p in flow.protocols if p != flow.transport)]),
            count(flow.packets), count(flow.wire_bytes), *counts)  # fmt: skip


def _submessages(analysis: Analysis) -> Block:
    rows: Rows = [
        (each.protocol.upper(), each.kind, each.direction or each.of or ABSENT, count(each.count))
        for each in analysis.submessages
    ]
    return Block("Submessages", ("Protocol", "Kind", "Which", "Count"), rows)


def _interfaces(analysis: Analysis) -> Block:
    rows: Rows = [
        (each.name, count(each.packets), count(each.received), count(each.dropped),
         count(each.snap_length) if each.snap_length else ABSENT)
        for each in analysis.interfaces
    ]  # fmt: skip
    heads = ("Interface", "Packets", "Received", "Lost by the capture", "Snap length, B")
    return Block("Interfaces", heads, rows)
