"""The scenario's own flows below a table of cases: what ran beside each of them, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.case.totals import OwnFlow
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.analysis.words.naming import described
from busmark.report.html.blocks import Block, Rows, plain
from busmark.report.html.own_flows import QUANTITIES, asked, lost_share

MOST = 40
"""Rows below a table; the details of every case have all of it."""

TITLE = "Beside what is measured"

NOTE = (
    "Each flow with all its writers and readers; rates describe a typical round, counts are sums "
    "over the counted rounds. Latency is from the intended time of sending; a lost sample is later "
    "than any. Their samples are not in the figures above."
)


HEADS = (
    "beside", "flow", "of", "to be read, 1/s", "written, 1/s", "read, 1/s", "lost", "latency",
    "median", "99 %", "maximum", "count",
)  # fmt: skip
DISPENSABLE = frozenset({"of", "written, 1/s", "maximum", "to be read, 1/s", "99 %", "read, 1/s"})
"""What a narrow terminal does without."""


def beside_block(campaign: Campaign, cases: Sequence[str]) -> Block | None:
    """Flows of these cases, in their order; None if no flow of the scenario ran beside them."""
    by_id = {case.id: case for case in campaign.cases}
    rows: Rows = [
        (_name(by_id[case]), *_row(flow)) for case in cases for flow in by_id[case].own_flows
    ]
    if not rows:
        return None
    kept = [n for n in range(len(HEADS)) if _tells(n, rows)]
    note = NOTE
    if len(rows) > MOST:
        note += f" The first {MOST} of {len(rows)}; the details of a case have all of its own."
    return Block(
        TITLE,
        tuple(HEADS[n] for n in kept),
        [tuple(row[n] for n in kept) for row in rows[:MOST]],
        note,
    )


def _tells(column: int, rows: Rows) -> bool:
    """Whether anything stands in a column; of the cases, whether there are several."""
    values = {row[column] for row in rows}
    return len(values) > 1 if column == 0 else values != {text.ABSENT}


def _name(case: CaseSummary) -> str:
    size = text.size_text(case.size)
    return ", ".join(filter(None, (case.label, size, described(case.workload))))


def _row(flow: OwnFlow) -> Iterator[str]:
    of = flow.total
    yield flow.name
    yield f"{flow.kind}, {text.size_text(flow.size)}"
    yield asked(of.theoretical_per_s)
    yield text.value_text(of.written_per_s, text.RATE[0])
    yield text.value_text(of.read_per_s, text.RATE[0])
    yield f"{text.count(of.lost)} of {text.count(of.expected)}"
    yield from _latency(flow)


def _latency(flow: OwnFlow) -> Iterator[str]:
    found = flow.latency
    if flow.asked is None or flow.unanswered is None:
        yield from (text.ABSENT,) * 5
    elif found is None:
        yield text.ABSENT
        yield lost_share(flow) if flow.hidden else text.ABSENT
        yield from (text.ABSENT,) * 2
        yield text.count(flow.asked - flow.unanswered)
    else:
        yield QUANTITIES[found.quantity]
        yield text.figure_text(found.median)
        if flow.by_round and flow.by_round.hides("p99"):
            yield lost_share(flow)
        else:
            yield text.figure_text(found.figure("p99"))
        yield plain(found.max_ns)
        yield text.count(found.count)
