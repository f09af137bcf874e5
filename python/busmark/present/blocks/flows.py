"""What participants wrote and read: flows, pairs, levels and nodes, as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from busmark.estimate.flows import several
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.resources import NodeCost
from busmark.model.stream import Pair, Pairs
from busmark.model.traffic import ENOUGH, Least, Level, OwnFlow, Total, Way
from busmark.present.blocks.rows import Field, cell_of, further_rows, listing, notes, size
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


def ranked(pair: Pair) -> Cell:
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


RATES = (
    Field("To be read", "total.theoretical_per_s", "1/s", detail=True),
    Field("Written", "total.written_per_s", "1/s", detail=True),
    Field("Read", "total.read_per_s", "1/s", detail=True),
    Field("Expected", "total.expected", detail=True),
    Field("Lost", "total.lost"),
)

LATENCY = (
    Field("Latency", lambda flow: quantity_name(flow.latency.quantity) if flow.latency else None),
    Field("Median", lambda flow: _hidden(flow, "median"), "ns"),
    Field("99 %", lambda flow: _hidden(flow, "p99"), "ns", scale="Median"),
    Field(
        "Maximum",
        lambda flow: flow.latency and flow.latency.max_ns,
        "ns",
        detail=True,
        scale="Median",
    ),
    Field("Count", lambda flow: _answered(flow)),
    Field("Unanswered", "unanswered", detail=True),
)

OWN_FLOWS_NOTE = (
    "Each flow with all its writers and readers; rates describe a typical round, counts are sums "
    "over the rounds that count. Latency is from the intended time of sending: half the round trip "
    "of pings; one way of the samples of a stream at a rate, or of probes, where all participants "
    "have one clock. A lost sample is later than any. Their samples are not in the figures of the "
    "case."
)


def own_flows(flows: Sequence[OwnFlow]) -> Iterator[Table]:
    """Yield rates, losses and latency of each flow of the scenario's own, and its worst pairs."""
    first = (
        Field("Flow", "name"),
        Field("Kind", "kind"),
        Field("Size", lambda flow: size(flow.size)),
    )
    yield listing(flows, (*first, *RATES, *LATENCY), note=OWN_FLOWS_NOTE)
    for flow in flows:
        if flow.pairs and flow.asked is not None:
            yield pairs_table(flow.pairs, flow.name)


def _hidden(flow: OwnFlow, key: str) -> Cell:
    """Show a statistic of the latency, or which share was lost where it falls among the lost."""
    hidden = flow.by_round and flow.by_round.why_hidden(key)
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


def totals(found: Sequence[Total]) -> Table:
    """Return a row for each participant and each node, and one for the whole."""
    fields = (
        Field("Participants, nodes and the whole", _who),
        Field("To be written", "asked_per_s", "1/s", detail=True),
        Field("Written", "written_per_s", "1/s"),
        Field("To be read", "theoretical_per_s", "1/s", detail=True),
        Field("Read", "read_per_s", "1/s"),
        Field("Sent", "sent"), Field("Expected", "expected"),
        Field("Received", "received"), Field("Lost", "lost"),
    )  # fmt: skip
    note = (
        "Each with all its writers and readers, whatever the flow; rates describe a typical round, "
        "counts are sums over the rounds that count. A rate is left out where a part "
        "of it has none, as at full speed and in a closed loop. A ping counts at the participant "
        "that answers it."
    )
    more = len(found) - 1 - MOST
    lines = [*notes(note), *([further_rows(more)] if more > 0 else [])]
    return listing([*found[:-1][:MOST], *found[-1:]], fields, note=lines)


def _who(total: Total) -> str:
    return {"node": f"node {total.name}", "system": "all together"}.get(total.scope, total.name)


def ways(found: Sequence[Way]) -> Table:
    """Return a row for each flow between two participants; many alike are one row."""
    folded = _folded(found)
    fields = (
        Field("Flow", _flows),
        Field("From", lambda own: _sender(own[0])),
        Field("To", lambda own: _receiver(own[0])),
        Field("To be read", lambda own: own[0].theoretical_per_s, "1/s"),
        Field("Written", lambda own: _range([each.written_per_s for each in own]), "1/s"),
        Field("Read", lambda own: _range([each.read_per_s for each in own]), "1/s"),
        Field("Sent", lambda own: sum(each.sent for each in own)),
        Field("Expected", lambda own: sum(each.expected for each in own)),
        Field("Received", lambda own: sum(each.received for each in own)),
        Field("Lost", lambda own: sum(each.lost for each in own)),
    )
    note = []
    if any(len(own) > 1 for own in folded):
        note += notes("A row of several flows has the least and the greatest rate, too.")
    if len(folded) > MOST:
        note.append(further_rows(len(folded) - MOST, "the folder `flows` of the result"))
    return listing(folded[:MOST], fields, "Between participants", note=note)


def _folded(found: Sequence[Way]) -> list[list[Way]]:
    """Put together flows that differ in their topic's number alone, where they are many; keep flows
    that lost samples apart from others."""
    alike: dict[tuple[object, ...], list[Way]] = {}
    for way in found:
        key = (
            NUMBER.sub("_", way.flow),
            way.sender,
            way.sender_node,
            way.receiver,
            way.receiver_node,
            way.writers,
            way.readers,
            way.theoretical_per_s,
            way.lost > 0,
        )
        alike.setdefault(key, []).append(way)
    return [
        part
        for group in alike.values()
        for part in ([group] if len(group) >= FEWEST_FOLDED else [[way] for way in group])
    ]


def _flows(own: Sequence[Way]) -> str:
    if len(own) == 1:
        return own[0].flow
    return f"{own[0].flow} … {own[-1].flow}, {text.plural(len(own), 'flow')}"


def _range(rates: Sequence[object]) -> Cell:
    """Return one rate with its interval; the median, the least and the greatest of several."""
    cells = [cell_of(rate) for rate in rates]  # type: ignore[arg-type]
    values = sorted(cell.value for cell in cells if isinstance(cell.value, int | float))
    if len(cells) == 1 or len(values) < len(cells):
        return cells[0] if len(cells) == 1 else ABSENT
    return Cell(values[len(values) // 2], values[0], values[-1])


def _sender(way: Way) -> str:
    return _end(way.sender, way.sender_node, way.writers, "writer")


def _receiver(way: Way) -> str:
    who = way.receiver or "all that answer"
    return _end(who, way.receiver_node, way.readers or 0, "reader")


def _end(name: str, node: str | None, ends: int, noun: str) -> str:
    where = f"{name} on {node}" if node else name
    return f"{where}, {text.plural(ends, noun)}" if ends > 1 else where


def levels(case: CaseSummary) -> Table:
    """Return what each reader, participant and node, and all together were to read and read."""
    mesh = case.params.topology == "mesh"
    fields = (
        Field("Of", lambda level: level_name(level, mesh=mesh)),
        Field("Members", "members"),
        Field("Hears writers", "writers", detail=True),
        Field("To be read", "theoretical_per_s", "1/s"),
        Field("Read", "read_per_s", "1/s"),
        Field("Bytes to be read", "theoretical_bytes_per_s", "B/s", detail=True),
        Field("Bytes read", "read_bytes_per_s", "B/s", detail=True),
        Field("Share read", "share", "1"),
        Field("Least of one", lambda level: level.least.share if level.least else None, "1"),
        Field("Which", lambda level: _least(level.least)),
        Field("Too little", "short"),
        Field("Lost", "lost"),
    )
    note = (
        "Rates are means over the readers, participants or nodes, in a typical round; bytes are "
        "bodies, without headers. To be read: the rate without loss if every writer kept its rate. "
        "Least: of any one in any round. Too little: how many read less than "
        f"{text.percent_text(ENOUGH)} of it in some round. Lost: over the rounds that count."
    )
    return listing(case.levels, fields, note=note)


def level_name(level: Level, *, mesh: bool) -> str:
    """Return such as "each application": a participant of a mesh is one."""
    if level.scope == "system":
        return "all together"
    return f"each {'application' if mesh and level.scope == 'participant' else level.scope}"


def _least(found: Least | None) -> str:
    if found is None or found.name == "all":
        return ""
    return f"{found.name} on {found.node}" if found.node not in (None, found.name) else found.name


NODE_FIELDS = (
    Field("Node", lambda node: "all together" if node.scope == "system" else node.name),
    Field("Participants", "participants"),
    Field("CPUs busy", "cpu", "CPU"),
    Field("RAM", lambda node: None if node.rss_bytes is None else node.rss_bytes / MIB, "MiB"),
    Field("Written", "written_per_s", "1/s"),
    Field("Sent", "tx_bytes_per_s", "B/s"),
    Field("Packets sent", "tx_packets_per_s", "1/s"),
    Field("Received", "rx_bytes_per_s", "B/s"),
    Field("Packets received", "rx_packets_per_s", "1/s"),
    Field("Samples per packet", "samples_per_packet"),
    Field("Dropped", "dropped_per_s", "1/s"),
)


def nodes(found: Sequence[NodeCost]) -> Table:
    """Return CPU time, memory and traffic of each node and of all."""
    note = (
        "Within the measured time. Traffic is from the counters of the nodes' interfaces, with all "
        "headers, acknowledgements, heartbeats and discovery; what stays on a node is not in it. "
        "Samples per packet: samples written over packets sent. Dropped: UDP datagrams for which a "
        "socket had no room. RAM: the most that all processes had at once; pages that several "
        "share count in each."
    )
    growth = found[-1].growth if found else None
    if growth:
        limits = ""
        if growth.low is not None and growth.high is not None:
            limits = f" [{text.number(growth.low / 1024)}, {text.number(growth.high / 1024)}]"
        note += (
            f" Memory of a participant grew by {text.number(growth.bytes_per_min / 1024)}{limits} "
            f"KiB per minute: slope over {text.number(growth.seconds)} s, mean of "
            f"{text.plural(growth.participants, 'participant')}, {text.count(growth.readings)} "
            "readings each."
        )
    return listing(found, NODE_FIELDS, note=note)


UNRECORDED = (
    "Which reader got how much from which writer is not known: the tables `participants` and "
    "`flows` are missing, as in results that are imported or older, or cannot be read."
)


def unrecorded(case: CaseSummary) -> bool:
    """Return whether several wrote or read, and the result does not distinguish them."""
    return not case.ways and several(case.params) and bool(case.latency or case.throughput)
