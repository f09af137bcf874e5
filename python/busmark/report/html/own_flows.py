"""The scenario's own flows, and what each participant wrote and read, as small tables."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.timed_pairs import Pairs
from busmark.analysis.case.totals import OwnFlow, Total
from busmark.analysis.figures import Figure
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, plain
from busmark.report.tables import ranked_by

MOST = 100
"""Participants and nodes that the page shows."""

OWN_TITLE = "Flows beside what is measured"
LATENCY_TITLE = "Latency of flows beside what is measured"
TOTALS_TITLE = "Participants, nodes and the whole"

RATES = ("to be read, 1/s", "written, 1/s", "read, 1/s")
QUANTITIES = {"half_round_trip": "RTT/2", "one_way": "one way"}


def own_flow_blocks(flows: Sequence[OwnFlow]) -> list[Block]:
    """Rates and losses of each flow; and its latency where something of it was answered."""
    heads = ("flow", "of", *RATES, "expected", "lost")
    note = (
        "Rates describe a typical round, all writers and readers of a flow together; counts are "
        "sums over the counted rounds. Their samples are not in the figures of the case."
    )
    blocks = [Block(OWN_TITLE, heads, [_rates(flow) for flow in flows], note)]
    timed = [flow for flow in flows if flow.asked is not None]
    if timed:
        heads = ("flow", "latency", "count", "median", "99 %", "maximum", "unanswered")
        note = (
            "From the intended time of sending: of pings half the round trip; of all samples of a "
            "stream at a rate, or of the probes in another, one way where all participants have "
            "one clock, else half the round trip of probes. In brackets: 95 % interval of a "
            "typical round."
        )
        if any(flow.unanswered for flow in timed):
            note += " What was never answered counts as later than anything that was."
        rows: Rows = [(flow.name, *_latency(flow)) for flow in timed]
        blocks.append(Block(LATENCY_TITLE, heads, rows, note))
    return blocks + [pairs_block(flow.pairs, flow.name) for flow in timed if flow.pairs]


def pairs_block(pairs: Pairs, flow: str = "") -> Block:
    """The slowest pair of writer and reader, and the one that lost most."""
    named = [("slowest", pairs.slowest), ("most lost", pairs.most_lost)]
    rows: Rows = [
        (name, pair.writer, pair.reader, plain(pair.median_ns), plain(pair.ranked_ns),
         text.count(pair.lost), text.count(pair.expected))
        for name, pair in named if pair
    ]  # fmt: skip
    ranked = ranked_by(pairs)
    heads = ("pair", "writer", "reader", "median one-way", f"{ranked} one-way", "lost", "expected")
    note = (
        f"{text.count(pairs.count)} pairs, all counted rounds together, ranked by {ranked}: its "
        f"median over the pairs is {plain(pairs.median_ns)}. {text.ABSENT}: among the lost, which "
        "are later than any. The table `flows` has every pair of every round."
    )
    if pairs.recorded_every > 1:
        every = text.count(pairs.recorded_every)
        note += f" Times are of one sample in {every}, at random; lost are counted of all."
    title = "Pairs of writer and reader" + (f" in {flow}" if flow else "")
    return Block(title, heads, rows, note)


def totals_block(totals: Sequence[Total]) -> Block:
    """One row for each participant and each node, and one for the whole."""
    shown = [*totals[:-1][:MOST], *totals[-1:]]
    heads = ("who", "to be written, 1/s", "written, 1/s", *RATES[::2], "sent", "expected",
             "received", "lost")  # fmt: skip
    rows: Rows = [_total(total) for total in shown]
    note = (
        "Each with all its writers and readers, whatever the flow. A rate is left out where a part "
        "of it is not asked for, as at full speed and in a closed loop. Pings are read by whoever "
        "answers them, at the rate at which they were answered."
    )
    if len(shown) < len(totals):
        note += f" The first {MOST} of {len(totals) - 1}, and the whole."
    return Block(TOTALS_TITLE, heads, rows, note)


def _rates(flow: OwnFlow) -> tuple[str, ...]:
    of = flow.total
    return (
        flow.name, f"{flow.kind}, {text.size_text(flow.size)}", asked(of.theoretical_per_s),
        rate(of.written_per_s), rate(of.read_per_s), text.count(of.expected), text.count(of.lost),
    )  # fmt: skip


def _latency(flow: OwnFlow) -> tuple[str, ...]:
    if flow.asked is None or flow.unanswered is None:
        return (text.ABSENT,) * 6
    found = flow.latency
    gone = text.count(flow.unanswered)
    if found is None:
        none = text.ABSENT
        hidden = lost_share(flow) if flow.hidden else none
        return none, text.count(flow.asked - flow.unanswered), hidden, none, none, gone
    p99 = text.figure_text(found.figure("p99"))
    if flow.by_round and flow.by_round.hides("p99"):
        p99 = lost_share(flow)
    return (
        QUANTITIES[found.quantity], text.count(found.count), text.figure_text(found.median), p99,
        plain(found.max_ns), gone,
    )  # fmt: skip


def lost_share(flow: OwnFlow) -> str:
    """In place of a figure that falls among the lost."""
    return f"lost: {text.percent_text((flow.unanswered or 0) / (flow.asked or 1))}"


def _total(total: Total) -> tuple[str, ...]:
    who = {"node": f"node {total.name}", "system": "all together"}.get(total.scope, total.name)
    return (
        who, asked(total.asked_per_s), rate(total.written_per_s), asked(total.theoretical_per_s),
        rate(total.read_per_s),
        *(text.count(n) for n in (total.sent, total.expected, total.received, total.lost)),
    )  # fmt: skip


def asked(per_s: float | None) -> str:
    """A rate that was asked for."""
    return text.ABSENT if per_s is None else text.number(per_s)


def rate(figure: Figure | None) -> str:
    """A rate that was measured, with its interval; the unit is in the heading."""
    if figure is None:
        return text.ABSENT
    limits = text.interval_text(figure, text.RATE[0])
    return " ".join(filter(None, (text.value_text(figure, text.RATE[0]), limits)))
