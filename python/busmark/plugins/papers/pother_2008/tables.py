"""Discovery in the columns of the slides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.estimate.discovery import Discovery
from busmark.estimate.levels import Scope
from busmark.model.figure import Figure
from busmark.model.text import ABSENT, count, number
from busmark.plugins.papers.document import Part, Table
from busmark.plugins.papers.pother_2008 import published
from busmark.plugins.papers.pother_2008.discovery import between_nodes
from busmark.plugins.papers.pother_2008.places import (
    CLASSES,
    THERE,
    by_middleware,
    middleware,
    part_of,
)
from busmark.plugins.papers.pother_2008.statements import deviation, leg, mean
from busmark.plugins.papers.select import PerRound, parameters

COLUMNS = (
    "New", "Where", "Loss of the link", "Endpoints there", "Creation-time, µs",
    "Discovery-time, µs", "So discovered, µs", "Lost before discovered",
)  # fmt: skip
PUBLISHED = ("New", "Where", *COLUMNS[4:])

CREATED = {"entity": "", "participant": " with participant"}


def discovery_tables(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """Return a table for each middleware."""
    return [
        Table(
            group=f"{name}: discovery",
            title="Writer and reader discovery, writer at 1000 Hz, 40 bytes",
            columns=COLUMNS,
            rows=tuple(_row(case, case.discovery) for case in alike if case.discovery),
            note="Times of a typical round, from the begin of creation; discovery: to the first "
            "sample received. So discovered: from the end of creation. Lost: mean of all "
            "repetitions.",
        )
        for name, alike in by_middleware(campaign, cases).items()
    ]


def _row(case: CaseSummary, found: Discovery) -> tuple[str, ...]:
    return (
        f"{found.new}{CREATED.get(found.creates, '')}",
        "between nodes" if between_nodes(case) else "within one node",
        case.params.link_loss or "none",
        count(found.existing),
        _us(found.creation),
        _us(found.first_sample),
        _side(found.first_sample_after.value / 1e3 if found.first_sample_after else None),
        ABSENT if found.lost_before is None else number(found.lost_before.value),
    )


def _us(figure: Figure | None) -> str:
    return ABSENT if figure is None else number(figure.value / 1e3)


def _side(after: float | None) -> str:
    """ "237 before", "7 after"."""
    return ABSENT if after is None else f"{number(abs(after))} {'before' if after < 0 else 'after'}"


def published_discovery() -> Table:
    """Return the figures of the slides."""
    return Table(
        group=THERE,
        title="Writer and reader discovery, writer at 1000 Hz, 40 bytes",
        columns=PUBLISHED,
        rows=tuple(
            (f"{each.new}{CREATED[each.creates]}", each.where, number(each.creation),
             number(each.discovery), _side(each.discovery - each.creation),
             ABSENT if each.lost is None else count(each.lost))
            for each in (*published.CLUSTER, *published.SPOTTED)
        ),
        note="A Linux cluster; and what the spotter printed on Windows XP, which does not say "
        "whether participants were created.",
    )  # fmt: skip


LEVELS: dict[Scope, str] = {
    "reader": "reader", "participant": "application", "node": "node", "system": "system",
}  # fmt: skip
CONFIGURATION = (
    "Applications of a node", "Size, B", "Frequency, Hz", "Reliability", "Latency budget, ms",
)  # fmt: skip
SCALED = (*CONFIGURATION, *(name.capitalize() for name in LEVELS.values()))
TRAFFIC = (
    *CONFIGURATION, "Written by all, kB/s", "Sent by all nodes, kB/s",
    "Received by all nodes, kB/s", "Samples per packet", "CPUs busy",
)  # fmt: skip


def scalability_tables(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """Return throughput and traffic of each middleware."""
    found = []
    for name, alike in by_middleware(campaign, cases).items():
        found.append(
            Table(
                group=f"{name}: scalability",
                title="Throughput, calculated / read, kB/s",
                columns=SCALED,
                rows=tuple(_levels(case) for case in alike),
                note="Bodies; means of the members of a level. 4 nodes; each application has a "
                "writer and three readers of each of 10 topics.",
            )
        )
        found.append(
            Table(
                group=f"{name}: scalability",
                title="Traffic and load",
                columns=TRAFFIC,
                rows=tuple(_traffic(case) for case in alike),
                note="Sent and received: by the interfaces of all nodes together, with headers, "
                "acknowledgements and discovery. Samples per packet: written over sent packets.",
            )
        )
    return found


def _system(case: CaseSummary) -> tuple[str, ...]:
    flat = parameters(case)
    budget = flat.get("qos.latency_budget_s")
    return (
        count(flat["applications"]),
        ABSENT if case.size is None else count(case.size),
        number(flat["rate_hz"]) if flat.get("rate_hz") else "full speed",
        str(flat.get("qos.reliability", ABSENT)).replace("_", " "),
        number(budget * 1e3) if budget else "0",
    )


def _levels(case: CaseSummary) -> tuple[str, ...]:
    known = {level.scope: level for level in case.levels}
    rates = []
    for scope in LEVELS:
        level = known.get(scope)
        calculated = level.theoretical_bytes_per_s if level else None
        rates.append(
            f"{_kb(calculated)} / {_kb(_value(level.read_bytes_per_s if level else None))}"
        )
    return (*_system(case), *rates)


def _traffic(case: CaseSummary) -> tuple[str, ...]:
    whole = next((each for each in case.nodes if each.scope == "system"), None)
    if whole is None:
        return (*_system(case), *(ABSENT for _ in TRAFFIC[len(CONFIGURATION) :]))
    written = _value(whole.written_per_s)
    packed = _value(whole.samples_per_packet)
    busy = _value(whole.cpu)
    return (
        *_system(case),
        _kb(None if written is None or case.size is None else written * case.size),
        _kb(_value(whole.tx_bytes_per_s)),
        _kb(_value(whole.rx_bytes_per_s)),
        ABSENT if packed is None else number(packed),
        ABSENT if busy is None else number(busy),
    )


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _kb(bytes_per_s: float | None) -> str:
    return ABSENT if bytes_per_s is None else number(bytes_per_s / 1e3)


def published_scalability() -> Table:
    """Return what the slides calculate and measured for their system."""
    calculated = published.CALCULATED_KB_PER_S
    rows = [(f"{each}, calculated", number(rate)) for each, rate in calculated.items()]
    return Table(
        group=THERE,
        title="Scalability: 10 applications on each of 4 nodes, 1000 B at 2 Hz",
        columns=("Throughput of bodies", "kB/s"),
        rows=(
            *rows,
            ("system, measured", number(calculated["system"])),
            ("sent by a node, calculated", number(published.SENT_KB_PER_S)),
            ("received by a node, calculated", number(published.RECEIVED_KB_PER_S)),
        ),
        note=f"Below 50 % load of CPUs on four blades with two Opterons of 2.4 GHz. "
        f"{published.PACKED} samples are packed together, with a latency budget of 200 ms.",
    )


LEGS = ("Leg", "Best", "cnt", "min, µs", "avg, µs", "max, µs", "dev, µs")
JITTER = ("Class", "Transport priority", "Round trip, µs", "Jitter (dev), µs", "Rounds")
THROUGHPUT = (
    "Size, B", "Frequency, Hz", "Transmitters", "Receivers", "History", "Theoretical, samples/s",
    "Read, samples/s", "Lost", "Read, MB/s",
)  # fmt: skip

SENT = {"send source": "Send Source", "send": "Send", "send arrival": "Send Arrival",
        "echo source": "Echo Source", "echo": "Echo", "echo arrival": "Echo Arrival",
        "trip": "Trip", "inter-arrival": "Inter arrival"}  # fmt: skip
"""The slides' words for the legs that they print, in their order."""


def tables(campaign: Campaign) -> list[Table]:
    """Return the tables of each experiment that was measured, then the tables of the slides."""
    measured = [c for c in campaign.cases if c.latency or c.throughput or c.discovery]
    of = {part: [c for c in measured if part_of(c) == part] for part in get_args(Part)}
    found = [*_jitter(campaign, [*of["latency"], *of["determinism"]])]
    found += [_legs(campaign, case) for case in (*of["latency"], *of["determinism"])]
    found += _throughput(campaign, of["throughput"])
    found += discovery_tables(campaign, of["discovery"])
    found += scalability_tables(campaign, of["scalability"])
    if of["latency"] or of["determinism"]:
        found += [_published_jitter(), *map(_published_legs, published.OUTPUTS)]
    if of["throughput"]:
        found.append(_published_throughput())
    if of["discovery"]:
        found.append(published_discovery())
    if of["scalability"]:
        found.append(published_scalability())
    return found


def _class(fifo: object) -> str:
    return CLASSES.get(int(str(fifo or 0)), f"real-time {fifo}")


def _configuration(case: CaseSummary) -> str:
    flat = parameters(case)
    parts = [_class(flat.get("fifo")), f"transport priority {flat['qos.transport_priority']}"]
    load = case.params.load
    traffic = ["with traffic"] if case.params.flows else []
    return ", ".join([*parts, *traffic, *([load] if load else [])])


def _jitter(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """Return average and deviation of round trips, by class and priority, of each middleware."""
    found = []
    groups: dict[tuple[str, str], list[CaseSummary]] = {}
    for case in cases:
        traffic = "with traffic" if case.params.flows else "alone"
        load = case.params.load
        where = f"{traffic}, {load}" if load else traffic
        groups.setdefault((middleware(campaign, case), where), []).append(case)
    for (name, where), alike in groups.items():
        found.append(
            Table(
                group=f"{name}: round trip and jitter",
                title=f"Round trips at 1000 Hz, {where}",
                columns=JITTER,
                rows=tuple(_jitter_row(case) for case in alike),
                note="Jitter is the deviation of all trips, as on the slides; mean over rounds.",
            )
        )
    return found


def _jitter_row(case: CaseSummary) -> tuple[str, ...]:
    flat = parameters(case)
    trips, jitter = leg("trip", mean)(case), leg("trip", deviation)(case)
    return (
        _class(flat.get("fifo")), str(flat["qos.transport_priority"]), _average(trips),
        _average(jitter), str(len(trips)),
    )  # fmt: skip


def _average(values: PerRound) -> str:
    return number(sum(values.values()) / len(values) / 1e3) if values else ABSENT


def _legs(campaign: Campaign, case: CaseSummary) -> Table:
    """Return the eight legs of the slides; those that were not recorded have no row."""
    known = {one.name: one for one in (case.latency.leg_tables if case.latency else ())}
    rows = [
        (SENT[name], f"{part.percent:g} %", count(part.count),
         *(number(ns / 1e3) for ns in (part.min_ns, part.mean_ns, part.max_ns)),
         ABSENT if part.std_ns is None else number(part.std_ns / 1e3))
        for name in SENT if name in known for part in known[name].best
    ]  # fmt: skip
    return Table(
        group=f"{middleware(campaign, case)}: legs",
        title=_configuration(case),
        columns=LEGS,
        rows=tuple(rows),
        note="All rounds together. The best p % are the smallest p % of each leg by itself. "
        "Source: T1→T2, the call of write. Send, Echo: T2→T3. Arrival: T3→T4. Trip: T1→T4.",
    )


def _published_jitter() -> Table:
    return Table(
        group=THERE,
        title="Network latency figures on Linux",
        columns=JITTER,
        rows=tuple(
            (_class(each.fifo), str(each.priority), number(each.round_trip),
             f"< {number(each.jitter)}", ABSENT)
            for each in published.HEADLINES
        ),
        note="Two Linux hosts of 2008 and their network. The last row is the slide's headline; the "
        "output next to it has an average of 340 µs.",
    )  # fmt: skip


def _published_legs(output: published.Output) -> Table:
    return Table(
        group=THERE,
        title=f"Output of the transceiver: {output.title.lower()}",
        columns=LEGS,
        rows=tuple(
            (SENT[line.leg], f"{line.percent:g} %", count(line.count), str(line.least),
             str(line.average), str(line.greatest),
             ABSENT if line.deviation is None else f"{line.deviation:.2f}")
            for line in output.lines
        ),
        note="Send and Echo are left out: they were between two clocks 7.28 s apart. Rows that the "
        "published text has damaged are missing.",
    )  # fmt: skip


def _throughput(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    return [
        Table(
            group=f"{name}: throughput",
            title="Theoretical and read, at all receivers together",
            columns=THROUGHPUT,
            rows=tuple(_throughput_row(case) for case in alike),
            note="Theoretical: what the receivers would have read had nothing been lost, by the "
            "sequence numbers: read × (received + lost) / received. MB/s: 10⁶ B/s of bodies.",
        )
        for name, alike in by_middleware(campaign, cases).items()
    ]


def _throughput_row(case: CaseSummary) -> tuple[str, ...]:
    of, flat = case.throughput, parameters(case)
    assert of is not None
    read = of.samples_per_s.value if of.samples_per_s else None
    theoretical = None
    if read is not None and of.received and of.lost is not None:
        theoretical = read * (of.received + of.lost) / of.received
    history = str(flat.get("qos.history", ABSENT)).replace("_", "-")
    depth = f" {flat.get('qos.depth', 1)}" if history == "keep-last" else ""
    return (
        ABSENT if case.size is None else count(case.size),
        number(flat["rate_hz"]) if flat.get("rate_hz") else "full speed",
        str((flat.get("publishers") or 1) * (flat.get("writers") or 1)),
        str((flat.get("subscribers") or 1) * (flat.get("readers") or 1)),
        history + depth,
        ABSENT if theoretical is None else count(round(theoretical)),
        ABSENT if read is None else count(round(read)),
        ABSENT if of.lost is None else count(of.lost),
        ABSENT if read is None or not case.size else number(read * case.size / 1e6),
    )


def _published_throughput() -> Table:
    return Table(
        group=THERE,
        title="Aggregate throughput of one node",
        columns=("Machine", "Read, MB/s"),
        rows=tuple((name, number(rate)) for name, rate in published.AGGREGATE_MB_PER_S.items()),
        note="All receivers of the node together; the slides do not give their number or sizes.",
    )
