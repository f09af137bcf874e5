"""What went between the participants of a case, way by way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from busmark.analysis.case.flows import Way
from busmark.analysis.figures import Figure
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows
from busmark.report.html.own_flows import asked, rate

MOST = 100
"""Ways that the page shows."""

NUMBER = re.compile(r"_\d+(?=_back$|$)")
"""Number of a topic, in the name of a flow."""

FEWEST_FOLDED = 5
"""Flows that differ in their topic alone, to be one row."""

TITLE = "Between participants"
HEADS = (
    "flow", "from", "to", "to be read, 1/s", "written, 1/s", "read, 1/s", "sent", "expected",
    "received", "lost",
)  # fmt: skip


def way_block(ways: Sequence[Way]) -> Block:
    """One row for each flow between two participants; many alike are one row."""
    folded = _folded(ways)
    rows: Rows = [_row(each) for each in folded[:MOST]]
    note = (
        "A row has all writers of the one and all readers of the other together. Rates "
        "describe a typical round, counts are sums over the counted rounds. What a writer writes "
        "goes to each of its readers. Pings are read when they are answered."
    )
    if any(len(each) > 1 for each in folded):
        note += " A row of several flows has each one's rates, from the least to the greatest."
    if len(folded) > MOST:
        note += f" The first {MOST} of {len(folded)}; all are in the folder `flows` of the result."
    return Block(TITLE, HEADS, rows, note)


def _folded(ways: Sequence[Way]) -> list[list[Way]]:
    """Flows that differ in their topic's number alone, together, where they are many; those that
    lost samples apart from those that did not."""
    alike: dict[tuple[object, ...], list[Way]] = {}
    for way in ways:
        key = (
            NUMBER.sub("_", way.flow), way.sender, way.sender_node, way.receiver,
            way.receiver_node, way.writers, way.readers, way.theoretical_per_s, way.lost > 0,
        )  # fmt: skip
        alike.setdefault(key, []).append(way)
    return [
        part
        for group in alike.values()
        for part in ([group] if len(group) >= FEWEST_FOLDED else [[way] for way in group])
    ]


def unrecorded_block() -> Block:
    """Replaces it if several wrote or read and the result does not distinguish them."""
    note = (
        "Which reader got how much from which writer is not known: the tables `participants` and "
        "`flows` are not there, as in results that were imported or written before Busmark kept "
        "them, or cannot be read."
    )
    return Block(TITLE, HEADS, [(text.ABSENT,) * len(HEADS)], note)


def _row(ways: Sequence[Way]) -> tuple[str, ...]:
    way, last = ways[0], ways[-1]
    several = len(ways) > 1
    counts = zip(*((w.sent, w.expected, w.received, w.lost) for w in ways), strict=True)
    written, read = [w.written_per_s for w in ways], [w.read_per_s for w in ways]
    return (
        f"{way.flow} … {last.flow}, {text.plural(len(ways), 'flow')}" if several else way.flow,
        _end(way.sender, way.sender_node, way.writers, "writer"),
        _end(way.receiver or "all that answer", way.receiver_node, way.readers or 0, "reader"),
        asked(way.theoretical_per_s), _range(written), _range(read),
        *(text.count(sum(each)) for each in counts),
    )  # fmt: skip


def _range(rates: Sequence[Figure | None]) -> str:
    """For one its interval; for several the least and the greatest."""
    known = [each.value for each in rates if each]
    if len(rates) == 1 or len(known) < len(rates):
        return rate(rates[0]) if len(rates) == 1 else text.ABSENT
    least, most = text.number(min(known)), text.number(max(known))
    return least if least == most else f"{least} to {most}"


def _end(name: str, node: str | None, ends: int, noun: str) -> str:
    told = f"{name} on {node}" if node else name
    return f"{told}, {text.plural(ends, noun)}" if ends > 1 else told
