"""The document of a capture: samples, latencies, throughput and lengths of each way through hops,
then writers, flows and interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from busmark.model.text import count, time_text, upper_first
from busmark.plugins.capture.model import Analysis, Application, Flow, Hop, Range, Spread, Way
from busmark.present.document import (
    ABSENT,
    Block,
    Cell,
    Column,
    Document,
    Row,
    Section,
    Style,
    Table,
    Text,
)

MOST_FLOWS = 50
"""Flows that are listed, those with most packets first."""
MOST_LOST = 20
"""Missing samples that are listed."""
MOST_SAMPLES = 50
"""Samples of the application that are listed, those that were sent first."""

UNTIL = {
    "ACKNACK": "ACKNACK",
    "TCP": "TCP's ACK",
    "application": "received by the application",
    "data": "no L: last data packet",
}
"""Ends of the time by which Eq. 2 divides."""

Times = tuple[str, str, Spread]
"""Heading of the row's group, from and to, the times."""


def document(analysis: Analysis) -> Document:
    """Return the document, without tables that would be empty."""
    size = f"{count(analysis.packets)} packets, {count(analysis.wire_bytes)} B"
    if analysis.first_ns is not None and analysis.last_ns is not None:
        size += f" in {time_text(analysis.last_ns - analysis.first_ns)}"
    made = [
        *remarks(analysis),
        *figures(analysis),
        *_application(analysis.application),
        _writers(analysis),
        _confirmations(analysis),
        _flows(analysis),
        _submessages(analysis),
        _interfaces(analysis),
    ]
    return Document(
        analysis.file, [f"{analysis.format}: {size}"], list(_filled(made)), kind="capture"
    )


def remarks(analysis: Analysis) -> Iterator[Section]:
    """Return what limits the figures, where something does."""
    if analysis.remarks:
        style: Style = "error" if analysis.fault else "warning"
        notes = (f"{upper_first(remark)}." for remark in analysis.remarks)
        yield Section("Remarks", [Text("line", {"line": note}, style=style) for note in notes])


def figures(analysis: Analysis) -> list[Section]:
    """Return samples, latencies, throughput and lengths."""
    made = (
        _runs(analysis),
        _samples(analysis),
        _latency(analysis),
        _throughput(analysis),
        _lengths(analysis),
    )
    return list(_filled(made))


def hops(analysis: Analysis) -> Section:
    """Return what the letters of hops stand for."""
    found = analysis.hops
    columns = [
        Column("Hop", [Cell(hop.name) for hop in found], "label"),
        Column("What", [Cell(_protocol(hop)) for hop in found]),
        Column("From", [Cell(hop.source) for hop in found]),
        Column("To", [Cell(hop.destination) for hop in found]),
        Column("Samples", [Cell(hop.samples) for hop in found], "count"),
    ]
    return Section("Hops", [_table("hops", columns)])


def _filled(sections: Iterable[Section]) -> Iterator[Section]:
    return (
        each for each in sections if any(not isinstance(b, Table) or b.rows for b in each.blocks)
    )


def _name(way: Way) -> str:
    return " → ".join(way.hops)


def _range(values: Range | None, factor: float = 1.0) -> Cell:
    """Return the mean, with least and greatest where they differ."""
    if values is None:
        return ABSENT
    mean, least, most = (factor * each for each in (values.mean, values.min, values.max))
    return Cell(mean) if least == most else Cell(mean, least, most)


def _total(values: Range | None) -> Cell:
    return Cell(round(8 * values.mean * values.count)) if values else ABSENT


def _numbers(listed: Sequence[int], of: int) -> Cell:
    """List numbers of samples, as many as there is room for."""
    more = " …" if of > min(len(listed), MOST_LOST) else ""
    return Cell(", ".join(map(str, listed[:MOST_LOST])) + more or None)


def _runs(analysis: Analysis) -> Section:
    """List the runs; leave the table empty where there is only one."""
    runs = analysis.runs if len(analysis.runs) > 1 else []
    begin = analysis.first_ns or 0
    hops = [[hop.name for hop in analysis.hops if hop.run == run.number] for run in runs]
    columns = [
        Column("Run", [Cell(str(run.number)) for run in runs], "label"),
        Column("Begins after", [Cell(run.begin_ns - begin) for run in runs], "number", "ns"),
        Column("Length", [Cell(run.end_ns - run.begin_ns) for run in runs], "number", "ns"),
        Column("Clients", [Cell(", ".join(run.clients) or None) for run in runs]),
        Column("Samples", [Cell(run.samples) for run in runs], "count"),
        Column("Hops", [Cell(", ".join(names)) for names in hops]),
    ]
    return Section("Runs", [_table("runs", columns)])


def _table(key: str, columns: list[Column], *notes: str, groups: Sequence[str] = ()) -> Table:
    rows = len(columns[0].cells)
    groups = groups or [""] * rows
    shown = list(notes)
    if any(cell.low is not None for column in columns for cell in column.cells):
        shown.append("capture_ends")
    return Table(
        columns,
        [Row(group=each) for each in groups],
        key=key,
        notes=[Text(note, style="quiet") for note in shown],
    )


def _samples(analysis: Analysis) -> Section:
    ways = analysis.ways
    bits = [_range(way.bytes_per_sample, 8) for way in ways]
    whole = [_total(way.bytes_per_sample) for way in ways]
    lost = [way.entered - way.arrived for way in ways]
    columns = [
        Column("Way", [Cell(_name(way)) for way in ways], "label"),
        Column("Sent", [Cell(way.entered) for way in ways], "count"),
        Column("Received", [Cell(way.arrived) for way in ways], "count"),
        Column("Lost", [Cell(number) for number in lost], "count"),
        Column("Lost samples", [_numbers(w.missing, n) for w, n in zip(ways, lost, strict=True)]),
        Column("Length of a sample", bits, "figure", "bit"),
        Column("Length of all", whole, "count", "bit"),
    ]
    return Section("Samples over several hops", [_table("ways", columns)])


def _times(key: str, rows: Sequence[Times], *notes: str) -> Table:
    """Return a table with a row for each interval of time, all of its columns in one unit."""
    spreads = [spread for _, _, spread in rows]

    def column(title: str, values: Sequence[float | None]) -> Column:
        cells = [Cell(value) for value in values]
        return Column(
            title, cells, "number", "ns", group="Time", scale="Max", detail=title == "p99"
        )

    columns = [
        Column("From, to", [Cell(what) for _, what, _ in rows], "label"),
        Column("Count", [Cell(spread.count) for spread in spreads], "count", detail=True),
        column("Min", [spread.min_ns for spread in spreads]),
        column("Median", [spread.median_ns for spread in spreads]),
        column("Mean", [spread.mean_ns for spread in spreads]),
        column("p99", [spread.p99_ns for spread in spreads]),
        column("Max", [spread.max_ns for spread in spreads]),
        column("Std dev", [spread.std_ns for spread in spreads]),
        Column("Variance", [Cell(spread.variance_ms2) for spread in spreads], "number", "ms²"),
    ]
    return _table(key, columns, *notes, groups=[group for group, _, _ in rows])


def _latency(analysis: Analysis) -> Section:
    rows: list[Times] = []
    for way in analysis.ways:
        known = [("data to data", way.latency), (f"L: data to {way.confirmed_by}", way.confirmed)]
        known += [(f"{s.source} → {s.destination}, first byte", s.latency) for s in way.segments]
        rows += [(_name(way), what, spread) for what, spread in known if spread]
    return Section("Latency over several hops", [_times("latency", rows, "capture_l")])


def _throughput(analysis: Analysis) -> Section:
    ways = [way for way in analysis.ways if way.eq2_mbit_s or way.goodput_mbit_s is not None]
    rates = [way.eq2_mbit_s for way in ways]
    variances = [rate.std**2 if rate and rate.std is not None else None for rate in rates]

    def column(title: str, values: Sequence[float | None]) -> Column:
        cells = [Cell(value) for value in values]
        return Column(title, cells, "number", "Mbit/s", group="By Eq. 2")

    columns = [
        Column("Way", [Cell(_name(way)) for way in ways], "label"),
        Column("L until", [Cell(UNTIL.get(way.eq2_until or "")) for way in ways]),
        Column("Goodput", [Cell(way.goodput_mbit_s) for way in ways], "number", "Mbit/s"),
        column("Min", [rate.min if rate else None for rate in rates]),
        column("Mean", [rate.mean if rate else None for rate in rates]),
        column("Max", [rate.max if rate else None for rate in rates]),
        column("Std dev", [rate.std if rate else None for rate in rates]),
        Column("Variance", [Cell(each) for each in variances], "number", "Mbit²/s²"),
    ]
    return Section("Throughput over several hops", [_table("throughput", columns, "capture_eq2")])


def _application(found: Application | None) -> Iterator[Section]:
    """Yield latencies of the application and of its packets, in all and sample by sample."""
    if found is None:
        return
    counts = [
        Column("Way", [Cell(" → ".join(found.hops))], "label"),
        Column("Sent", [Cell(found.sent)], "count"),
        Column("Received", [Cell(found.received)], "count"),
        Column("In the capture", [Cell(found.in_capture)], "count"),
        Column("Matched by", [Cell(found.matched)]),
        Column("Lost", [_numbers(found.lost, found.sent - found.received)]),
    ]
    for title, numbers in (
        ("Lost, but on the last hop", found.arrived_not_received),
        ("Received, but not on the last hop", found.received_not_seen),
    ):
        if numbers:
            counts.append(Column(title, [_numbers(numbers, len(numbers))]))
    if found.confirmed_by_latency is not None:
        ratio = [Cell(found.confirmed_by_latency)]
        counts.append(Column("Median L by median latency", ratio, "number"))
    named = (
        ("Application", "sent to received", found.latency),
        ("Packets", "data to data", found.data_to_data),
        ("Packets", f"L: data to {found.confirmed_by}", found.confirmed),
        ("Between both", "sent to first byte", found.sent_to_packet),
        ("Between both", "data to received", found.packet_to_received),
        ("Less application", "data to data", found.data_to_data_less_latency),
        ("Less application", "L", found.confirmed_less_latency),
    )
    times = [(group, what, spread) for group, what, spread in named if spread]
    yield Section(
        "Application and packets",
        [_table("application", counts), _times("application-times", times)],
    )
    listed = found.samples[:MOST_SAMPLES]

    def column(title: str, values: Iterable[int | None]) -> Column:
        cells = [Cell(value) for value in values]
        return Column(title, cells, "number", "ns", group="Latency", scale="Application")

    columns = [
        Column("Sample", [Cell(str(each.seq)) for each in listed], "label"),
        column("Application", (each.latency_ns for each in listed)),
        column("Data to data", (each.data_to_data_ns for each in listed)),
        column("L", (each.confirmed_ns for each in listed)),
        Column(
            "L by application",
            [
                Cell(each.confirmed_ns / each.latency_ns)
                if each.latency_ns and each.confirmed_ns is not None
                else ABSENT
                for each in listed
            ],
            "number",
        ),
    ]
    table = _table("application-samples", columns)
    title = "Application and packets, sample by sample"
    yield Section(title, [table, *_more(len(found.samples) - len(listed))], folded=True)


def _more(rest: int) -> list[Text]:
    return [Text("more_cases", {"number": count(rest)}, style="quiet")] if rest else []


def _writers(analysis: Analysis) -> Section:
    hops = analysis.hops
    columns = [
        Column("Hop", [Cell(hop.name) for hop in hops], "label"),
        Column("What", [Cell(_protocol(hop)) for hop in hops]),
        Column(
            "Addresses", [Cell(f"{hop.source} → {hop.destination}") for hop in hops], detail=True
        ),
        Column("Writer", [Cell(hop.writer) for hop in hops], detail=True),
        Column("Samples", [Cell(hop.samples) for hop in hops], "count"),
        Column("Repeated", [Cell(hop.repeated) for hop in hops], "count"),
        Column("Missing", [Cell(hop.not_seen) for hop in hops], "count"),
        Column("Unconfirmed", [Cell(hop.unconfirmed) for hop in hops], "count"),
    ]
    return Section("Writers", [_table("writers", columns)])


def _protocol(hop: Hop) -> str:
    stream = f", {hop.stream}" if hop.stream else ""
    return f"{hop.protocol.upper()} {hop.kind} over {hop.transport.upper()}{stream}"


def _confirmations(analysis: Analysis) -> Section:
    rows = [
        (f"Hop {hop.name}", what, spread)
        for hop in analysis.hops
        for what, spread in (
            ("data to ACKNACK", hop.confirmation),
            ("data to TCP's ACK", hop.tcp_acknowledgement),
            ("first, last packet", hop.arrival),
        )
        if spread
    ]
    return Section("Confirmations", [_times("confirmations", rows)])


def _lengths(analysis: Analysis) -> Section:
    hops = analysis.hops
    columns = [
        Column("Hop", [Cell(hop.name) for hop in hops], "label"),
        Column("Payload", [_range(hop.payload_bytes) for hop in hops], "figure", "B"),
        Column("Packet length", [_range(hop.packet_bytes, 8) for hop in hops], "figure", "bit"),
        Column("Total length", [_total(hop.packet_bytes) for hop in hops], "count", "bit"),
        Column("Packets per sample", [Cell(hop.packets_per_sample) for hop in hops], "number"),
        Column("Overhead", [Cell(hop.overhead_share) for hop in hops], "number", "1"),
    ]
    return Section("Lengths", [_table("lengths", columns, "capture_lengths")])


def _flows(analysis: Analysis) -> Section:
    flows = sorted(analysis.flows, key=lambda flow: -flow.packets)
    listed = flows[:MOST_FLOWS]
    ends = [Cell(f"{flow.source} → {flow.destination}") for flow in listed]
    columns = [
        Column("From, to", ends, "label"),
        Column("Interface", [Cell(flow.interface) for flow in listed]),
        Column(
            "Protocols",
            [Cell(", ".join(dict.fromkeys((flow.transport, *flow.protocols)))) for flow in listed],
        ),
        Column("Packets", [Cell(flow.packets) for flow in listed], "count"),
        Column("Bytes", [Cell(flow.wire_bytes) for flow in listed], "count"),
        _of_tcp("Data", [flow.tcp_data_segments for flow in listed], listed),
        _of_tcp("Repeated", [flow.tcp_retransmissions for flow in listed], listed),
        _of_tcp("Out of order", [flow.tcp_out_of_order for flow in listed], listed),
    ]
    blocks: list[Block] = [_table("flows", columns), *_more(len(flows) - len(listed))]
    return Section("Flows", blocks, folded=True)


def _of_tcp(title: str, values: Sequence[int], flows: Sequence[Flow]) -> Column:
    """Return a column of counts of segments, absent for other transports."""
    cells = [
        Cell(value) if flow.transport == "tcp" else ABSENT
        for value, flow in zip(values, flows, strict=True)
    ]
    return Column(title, cells, "count", group="TCP segments")


def _submessages(analysis: Analysis) -> Section:
    found = analysis.submessages
    columns = [
        Column("Kind", [Cell(each.kind) for each in found], "label"),
        Column("Which", [Cell(each.direction or each.of) for each in found]),
        Column("Count", [Cell(each.count) for each in found], "count"),
    ]
    groups = [each.protocol.upper() for each in found]
    return Section("Submessages", [_table("submessages", columns, groups=groups)], folded=True)


def _interfaces(analysis: Analysis) -> Section:
    found = analysis.interfaces
    columns = [
        Column("Interface", [Cell(each.name) for each in found], "label"),
        Column("Packets", [Cell(each.packets) for each in found], "count"),
        Column("Received", [Cell(each.received) for each in found], "count"),
        Column("Lost by the capture", [Cell(each.dropped) for each in found], "count"),
        Column("Snap length", [Cell(each.snap_length or None) for each in found], "count", "B"),
    ]
    return Section("Interfaces", [_table("interfaces", columns)], folded=True)
