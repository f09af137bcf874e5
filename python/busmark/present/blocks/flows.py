"""What participants wrote and read: flows, pairs, levels and nodes, as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from busmark.compare.answers import least, least_name
from busmark.estimate.flows import several
from busmark.estimate.levels import ENOUGH
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.entry import PartQuantity
from busmark.model.figures import Part
from busmark.model.quantities import parts as of
from busmark.model.stream import EndpointPair, Pairs
from busmark.model.traffic import OwnFlow, Way
from busmark.present.blocks.rows import Field, cell_of, further_rows, listing, notes, of_part, size
from busmark.present.document import ABSENT, Cell, Table
from busmark.present.figures import quantity_name

MOST = 100
"""Rows of a table of flows or participants."""

NUMBER = re.compile(r"_\d+(?=_back$|$)")
"""Number of a topic, in the name of a flow."""

FEWEST_FOLDED = 5
"""Flows that differ in their topic alone, to be one row."""

MIB = 2**20

LEVELS = "Expected and measured throughput"
NODES = "CPU, memory and traffic of the nodes"


def ranked_by(pairs: Pairs) -> str:
    """Return the statistic by which pairs are ranked."""
    return "median" if pairs.percent == 50.0 else f"p{pairs.percent:g}"


def ranked(pair: EndpointPair) -> Cell:
    """Return the figure by which a pair is ranked."""
    if pair.ranked_ns is None:
        return Cell(float("inf"), text="among the lost")
    return Cell(pair.ranked_ns)


def pairs_table(pairs: Pairs, flow: str = "") -> Table:
    """Return the slowest pair of writer and reader, and the one that lost most."""
    known = [("slowest", pairs.slowest), ("most lost", pairs.most_lost)]
    fields = (
        Field("Pair", lambda each: each[0]), Field("Writer", lambda each: each[1].writer),
        Field("Reader", lambda each: each[1].reader),
        Field("Median one-way", lambda each: each[1].median_ns, "ns"),
        Field(f"{ranked_by(pairs)} one-way", lambda each: ranked(each[1]), "ns"),
        Field("Lost", lambda each: each[1].lost), Field("Expected", lambda each: each[1].expected),
    )  # fmt: skip
    note = (
        f"{text.count(pairs.count)} pairs, all rounds that count together; median over the pairs: "
        f"{text.time_text(pairs.median_ns)}. The table `flows` has every pair of every round."
    )
    if pairs.recorded_every > 1:
        every = text.count(pairs.recorded_every)
        note += f" Times are of one sample in {every}, at random; lost are counted of all."
    title = f"Pairs of writer and reader in {flow}" if flow else ""
    return listing([each for each in known if each[1]], fields, title, note=note)


class FlowRow(NamedTuple):
    """A flow of the scenario's own in a case, and what was written and read of it."""

    case: CaseSummary
    flow: OwnFlow
    part: Part


def flow_rows(case: CaseSummary) -> list[FlowRow]:
    """Return the scenario's own flows of a case."""
    figures = {part.of: part for part in case.parts("flow")}
    return [FlowRow(case, flow, figures[flow.name]) for flow in case.own_flows]


def _of_flow(quantity: PartQuantity, *, detail: bool = True) -> Field:
    return Field(quantity.title, lambda row: row.part[quantity], quantity.unit, detail)


RATES = (
    _of_flow(of.THEORETICAL_RATE), _of_flow(of.WRITE_RATE), _of_flow(of.READ_RATE),
    _of_flow(of.EXPECTED), _of_flow(of.LOST, detail=False),
)  # fmt: skip

LATENCY = (
    Field("Latency", lambda row: row.flow.latency and quantity_name(row.flow.latency.quantity)),
    Field("Median", lambda row: _hidden(row.flow, "median"), "ns"),
    Field("99 %", lambda row: _hidden(row.flow, "p99"), "ns", scale="Median"),
    Field(
        "Maximum",
        lambda row: row.flow.latency and row.flow.latency.max_ns,
        "ns",
        detail=True,
        scale="Median",
    ),
    Field("Count", lambda row: _answered(row.flow)),
    Field("Unanswered", "flow.unanswered", detail=True),
)

OWN_FLOWS_NOTE = (
    "Each flow with all its writers and readers; rates describe a typical round, counts are sums "
    "over the rounds that count. Latency is from the intended time of sending: half the round trip "
    "of pings; one way of the samples of a stream at a rate, or of probes, where all participants "
    "have one clock. A lost sample is later than any. Their samples are not in the figures of the "
    "case."
)


def own_flows(case: CaseSummary) -> Iterator[Table]:
    """Yield rates, losses and latency of each flow of the scenario's own, and its worst pairs."""
    first = (
        Field("Flow", "flow.name"),
        Field("Kind", "flow.kind"),
        Field("Size", lambda row: size(row.flow.size)),
    )
    yield listing(flow_rows(case), (*first, *RATES, *LATENCY), note=OWN_FLOWS_NOTE)
    for flow in case.own_flows:
        if flow.pairs and flow.asked is not None:
            yield pairs_table(flow.pairs, flow.name)


def _hidden(flow: OwnFlow, key: str) -> Cell:
    """Show a statistic of the latency, or which share was lost where it falls among the lost."""
    hidden = flow.times and flow.times.why_hidden(key)
    if (hidden and flow.latency) or (key == "median" and not flow.latency and flow.hidden):
        share = text.percent_text((flow.unanswered or 0) / (flow.asked or 1))
        return Cell(float("inf"), text=f"lost: {share}")
    return cell_of(flow.latency.figure(key)) if flow.latency else ABSENT


def _answered(flow: OwnFlow) -> int | None:
    if flow.latency:
        return flow.latency.count
    if flow.asked is None or flow.unanswered is None:
        return None
    return flow.asked - flow.unanswered


def totals(case: CaseSummary) -> Table | None:
    """Return a row for each participant and each node, and one for the whole; None where one
    writes and one reads."""
    every = [part for scope in ("participant", "node") for part in case.parts(scope)]
    found = [part for part in every if any(map(part.row, of.TRAFFIC))]
    whole = case.parts("system")
    if not whole:
        return None
    note = (
        "Each with all its writers and readers, whatever the flow; rates describe a typical round, "
        "counts are sums over the rounds that count. A rate is left out where a part "
        "of it has none, as at full speed and in a closed loop. A ping counts at the participant "
        "that answers it."
    )
    who = Field("Participants, nodes and the whole", _who)
    more = len(found) - MOST
    lines = [*notes(note), *([further_rows(more)] if more > 0 else [])]
    return listing([*found[:MOST], *whole], [who, *map(of_part, of.TRAFFIC)], note=lines)


def _who(part: Part) -> str:
    return {"node": f"node {part.of}", "system": "all together"}.get(part.scope, part.of or "")


class WayRow(NamedTuple):
    """Samples of a flow from one participant to another, and their figures."""

    way: Way
    part: Part

    def rate(self, quantity: PartQuantity) -> Cell:
        """Return a rate with its interval."""
        return cell_of(self.part[quantity])

    def count(self, quantity: PartQuantity) -> int:
        """Return a count; 0 where there is none."""
        return self.part.counted(quantity) or 0


def ways(case: CaseSummary) -> Table:
    """Return a row for each flow between two participants; many alike are one row."""
    figures = {part.of: part for part in case.parts("flow")}
    folded = _folded([WayRow(way, figures[way.name]) for way in case.ways])

    def rate(quantity: PartQuantity) -> Field:
        return Field(
            quantity.title, lambda own: _range([row.rate(quantity) for row in own]), quantity.unit
        )

    def total(quantity: PartQuantity) -> Field:
        return Field(quantity.title, lambda own: sum(row.count(quantity) for row in own))

    fields = (
        Field("Flow", _flows),
        Field("From", lambda own: _sender(own[0])),
        Field("To", lambda own: _receiver(own[0])),
        Field("To be read", lambda own: own[0].part.value(of.THEORETICAL_RATE), "1/s"),
        *map(rate, (of.WRITE_RATE, of.READ_RATE)),
        *map(total, (of.SENT, of.EXPECTED, of.RECEIVED, of.LOST)),
    )
    note = []
    if any(len(own) > 1 for own in folded):
        note += notes("A row of several flows has the least and the greatest rate, too.")
    if len(folded) > MOST:
        note.append(further_rows(len(folded) - MOST, "the folder `flows` of the result"))
    return listing(folded[:MOST], fields, "Between participants", note=note)


def _folded(found: Sequence[WayRow]) -> list[list[WayRow]]:
    """Put together flows that differ in their topic's number alone, where they are many; keep flows
    that lost samples apart from others."""
    alike: dict[tuple[object, ...], list[WayRow]] = {}
    for row in found:
        key = (
            NUMBER.sub("_", row.way.flow),
            row.way.sender,
            row.way.sender_node,
            row.way.receiver,
            row.way.receiver_node,
            *(row.part.value(one) for one in (of.WRITERS_THERE, of.READERS_THERE)),
            row.part.value(of.THEORETICAL_RATE),
            row.count(of.LOST) > 0,
        )
        alike.setdefault(key, []).append(row)
    return [
        part
        for group in alike.values()
        for part in ([group] if len(group) >= FEWEST_FOLDED else [[row] for row in group])
    ]


def _flows(own: Sequence[WayRow]) -> str:
    if len(own) == 1:
        return own[0].way.flow
    return f"{own[0].way.flow} … {own[-1].way.flow}, {text.plural(len(own), 'flow')}"


def _range(cells: Sequence[Cell]) -> Cell:
    """Return one rate with its interval; the median, the least and the greatest of several."""
    values = sorted(cell.value for cell in cells if isinstance(cell.value, int | float))
    if len(cells) == 1 or len(values) < len(cells):
        return cells[0] if len(cells) == 1 else ABSENT
    return Cell(values[len(values) // 2], values[0], values[-1])


def _sender(row: WayRow) -> str:
    return _end(row.way.sender, row.way.sender_node, row.count(of.WRITERS_THERE), "writer")


def _receiver(row: WayRow) -> str:
    who = row.way.receiver or "all that answer"
    return _end(who, row.way.receiver_node, row.count(of.READERS_THERE), "reader")


def _end(name: str, node: str | None, ends: int, noun: str) -> str:
    where = f"{name} on {node}" if node else name
    return f"{where}, {text.plural(ends, noun)}" if ends > 1 else where


def levels(case: CaseSummary) -> Table:
    """Return what each reader, participant and node, and all together were to read and read."""
    mesh = case.params.topology == "mesh"
    known = {part.of or "": part for part in case.parts("level")}
    found = [part for name, part in known.items() if ": " not in name]
    fields = (
        Field("Of", lambda level: level_name(level.of, mesh=mesh)),
        of_part(of.MEMBERS), of_part(of.WRITERS), of_part(of.THEORETICAL_RATE, detail=False),
        of_part(of.READ_RATE), of_part(of.THEORETICAL_BYTES), of_part(of.READ_BYTES),
        of_part(of.READ_SHARE),
        Field("Least of one", lambda level: _share(least(case, level.of)), "1"),
        Field("Which", lambda level: least_name(least(case, level.of))),
        of_part(of.SHORT), of_part(of.LOST),
    )  # fmt: skip
    note = (
        "Rates are means over the readers, participants or nodes, in a typical round; bytes are "
        "bodies, without headers. To be read: the rate without loss if every writer kept its rate. "
        "Least: of any one in any round. Too little: how many read less than "
        f"{text.percent_text(ENOUGH)} of it in some round. Lost: over the rounds that count."
    )
    return listing(found, fields, note=note)


def level_name(level: str, *, mesh: bool) -> str:
    """Return such as "each application": a participant of a mesh is one."""
    if level == "system":
        return "all together"
    return f"each {'application' if mesh and level == 'participant' else level}"


def _share(found: Part | None) -> float | None:
    return found.value(of.LEAST_SHARE) if found else None


NODE_FIELDS = (
    Field("Node", lambda node: "all together" if node.scope == "system" else node.of),
    of_part(of.PARTICIPANTS), of_part(of.CPU),
    Field("RAM", lambda node: mib(node.value(of.RSS)), "MiB"),
    of_part(of.WRITE_RATE), of_part(of.TX_BYTES), of_part(of.TX_PACKETS), of_part(of.RX_BYTES),
    of_part(of.RX_PACKETS), Field("Samples per packet", lambda node: node[of.SAMPLES_PER_PACKET]),
    of_part(of.DROPPED),
)  # fmt: skip


def mib(size: float | None) -> float | None:
    """Return bytes in MiB."""
    return None if size is None else size / MIB


def nodes(case: CaseSummary) -> Table:
    """Return CPU time, memory and traffic of each node and of all; empty where no counters of nodes
    were read."""
    every = [*case.parts("node"), *case.parts("system")]
    found = [part for part in every if part.row(of.PARTICIPANTS)]
    note = (
        "Within the measured time. Traffic is from the counters of the nodes' interfaces, with all "
        "headers, acknowledgements, heartbeats and discovery; what stays on a node is not in it. "
        "Samples per packet: samples written over packets sent. Dropped: UDP datagrams for which a "
        "socket had no room. RAM: the most that all processes had at once; pages that several "
        "share count in each."
    )
    growth = found[-1].figure(of.GROWTH) if found else None
    if growth:
        limits = ""
        if growth.low is not None and growth.high is not None:
            limits = f" [{text.number(growth.low / 1024)}, {text.number(growth.high / 1024)}]"
        note += (
            f" Memory of a participant grew by {text.number(growth.value / 1024)}{limits} KiB per "
            f"minute: mean slope, {text.count(growth.count)} readings of each participant."
        )
    return listing(found, NODE_FIELDS, note=note)


UNRECORDED = (
    "Which reader got how much from which writer is not known: the tables `participants` and "
    "`flows` are missing, as in results that are imported or older, or cannot be read."
)


def unrecorded(case: CaseSummary) -> bool:
    """Return whether several wrote or read, and the result does not distinguish them."""
    return not case.ways and several(case.params) and (case.has_pings or case.has_stream)
