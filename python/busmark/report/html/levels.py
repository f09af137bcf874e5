"""What was to be read and was, from the reader to the whole, and what it cost each node."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.levels import ENOUGH, Least, Level
from busmark.analysis.case.nodes import NodeCost
from busmark.analysis.model import CaseSummary
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows

TITLE = "Expected and measured throughput"
NODES_TITLE = "CPU, memory and traffic of the nodes"
MIB = 2**20

NAMES = {"reader": "reader", "participant": "participant", "node": "node"}

HEADS = (
    "of", "how many", "hears", "to be read, 1/s", "read, 1/s", "to be read", "read",
    "share read", "least of one", "too little", "lost",
)  # fmt: skip

NODE_HEADS = (
    "node", "participants", "CPUs busy", "RAM", "written, 1/s", "sent", "packets sent, 1/s",
    "received", "packets received, 1/s", "samples per packet", "dropped, 1/s",
)  # fmt: skip


NOTE = (
    "Rates are means over the readers, participants or nodes, in a typical round; bytes are "
    "bodies, without headers. To be read: if every writer kept its rate and nothing was lost. "
    "Least: of any one in any round. Too little: how many read less than "
    f"{text.percent_text(ENOUGH)} of it in some "
    "round. Lost: over the counted rounds."
)


def level_name(level: Level, *, mesh: bool) -> str:
    """Such as "each application": a participant of a mesh is one."""
    if level.scope == "system":
        return "all together"
    name = "application" if mesh and level.scope == "participant" else NAMES[level.scope]
    return f"each {name}"


def level_row(level: Level, *, mesh: bool) -> tuple[str, ...]:
    """One level as cells."""
    return (
        level_name(level, mesh=mesh), text.count(level.members),
        text.plural(level.writers, "writer"), text.number(level.theoretical_per_s),
        text.figure_text(level.read_per_s, text.RATE[:1]).removesuffix(" 1/s"),
        _bytes(level.theoretical_bytes_per_s),
        text.figure_text(level.read_bytes_per_s, text.BYTES), share(level), least(level.least),
        text.ABSENT if level.short is None else text.count(level.short), text.count(level.lost),
    )  # fmt: skip


def share(level: Level) -> str:
    """Read over what was to be read."""
    return text.percent_text(level.share.value if level.share else None)


def least(found: Least | None) -> str:
    """The share of the one that read the smallest, and which one it is."""
    if found is None:
        return text.ABSENT
    where = f" on {found.node}" if found.node and found.node != found.name else ""
    who = "" if found.name == "all" else f", {found.name}{where}"
    return f"{text.percent_text(found.share)}{who}"


def level_blocks(case: CaseSummary) -> list[Block]:
    """Levels of one case; then its nodes."""
    mesh = case.params.topology == "mesh"
    blocks = []
    if case.levels:
        rows: Rows = [level_row(level, mesh=mesh) for level in case.levels]
        blocks.append(Block(TITLE, HEADS, rows, NOTE))
    if case.nodes:
        blocks.append(Block(NODES_TITLE, NODE_HEADS, _nodes(case.nodes), _node_note(case.nodes)))
    return blocks


def _nodes(nodes: Sequence[NodeCost]) -> Rows:
    return [
        (
            "all together" if node.scope == "system" else node.name,
            text.count(node.participants), text.figure_text(node.cpu, text.CPUS),
            text.ABSENT if node.rss_bytes is None else f"{text.number(node.rss_bytes / MIB)} MiB",
            *_plain(node, "written_per_s"),
            text.figure_text(node.tx_bytes_per_s, text.BYTES), *_plain(node, "tx_packets_per_s"),
            text.figure_text(node.rx_bytes_per_s, text.BYTES), *_plain(node, "rx_packets_per_s"),
            *_plain(node, "samples_per_packet"), *_plain(node, "dropped_per_s"),
        )
        for node in nodes
    ]  # fmt: skip


def _plain(node: NodeCost, name: str) -> tuple[str]:
    figure = getattr(node, name)
    parts = (text.value_text(figure, text.CPUS[0]), text.interval_text(figure, text.CPUS[0]))
    return (" ".join(filter(None, parts)),)


def _node_note(nodes: Sequence[NodeCost]) -> str:
    note = (
        "Within the measured time. Traffic is from the counters of the nodes' interfaces, with all "
        "headers, acknowledgements, heartbeats and discovery; what stays on a node is not in it. "
        "Samples per packet is computed from counters: samples written over packets sent. It is "
        "not read from packets. Dropped: UDP datagrams for which a socket had no room. RAM: the "
        "most that all processes had at once; pages that several share count in each."
    )
    growth = nodes[-1].growth
    if growth is None:
        return note
    limits = ""
    if growth.low is not None and growth.high is not None:
        limits = f" [{text.number(growth.low / 1024)}, {text.number(growth.high / 1024)}]"
    return (
        f"{note} Memory of a participant grew by {text.number(growth.bytes_per_min / 1024)}{limits}"
        f" KiB per minute: slope over {text.number(growth.seconds)} s, mean of "
        f"{text.plural(growth.participants, 'participant')}, {text.count(growth.readings)} "
        "readings each."
    )


def _bytes(per_s: float | None) -> str:
    if per_s is None:
        return text.ABSENT
    scale = text.scale_for([per_s], text.BYTES)
    return f"{text.number(per_s / scale.factor)} {scale.unit}"
