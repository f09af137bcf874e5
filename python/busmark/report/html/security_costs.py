"""What security costs: each secured case over the plain one that is equal in all else."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.across.spent import BYTES, CPU, PACKETS, SPENT
from busmark.analysis.across.standing import Effect
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign
from busmark.analysis.words.naming import described
from busmark.analysis.words.ranking import figure_of
from busmark.analysis.words.ratios import ratio_text
from busmark.analysis.words.text import ABSENT, size_text
from busmark.report.html.blocks import Block

TITLE = "What security costs"

MOST = 60
"""Rows of a table; comparisons (`busmark compare --by security`) have all."""

WIDEST = 100.0
"""An interval whose ends differ by more says nothing."""
UNDECIDED = "undecided"

HEADS = {CPU: "CPU per sample", BYTES: "Bytes per sample", PACKETS: "Packets per sample"}

NOTE = (
    "Secured over plain, round by round, with 95 % intervals: above 1 × is more; for goodput below "
    "1 × is less."
)
OF_COLUMNS = {
    CPU: " CPU per sample is the CPU time of all participants for each sample that was exchanged.",
    BYTES: " Bytes and packets per sample are those on the wire.",
}
OF_HANDSHAKES = " What the handshake costs, discovery tests say."
OF_UNDECIDED = " Undecided: the ends of the interval differ by more than a factor of 100."
"""Where the tables have these."""


def security_costs(campaign: Campaign) -> list[Block]:
    """A table for each test that has plain and secured cases; empty where no case is secured."""
    by_test: dict[str, list[Effect]] = {}
    for effect in campaign.effects:
        if effect.parameter == "security":
            by_test.setdefault(effect.test, []).append(effect)
    blocks = [_block(test, effects) for test, effects in by_test.items()]
    if blocks:
        told = [effect for effects in by_test.values() for effect in effects]
        blocks[-1].note = _note(told, blocks) + blocks[-1].note
    for block in blocks:
        block.note = block.note.strip()
    return blocks


def _note(effects: Sequence[Effect], blocks: Sequence[Block]) -> str:
    """What the columns of all tables are, below the last."""
    columns = [text for name, text in OF_COLUMNS.items() if any(name in e.spent for e in effects)]
    handshakes = [] if any(e.test == "discovery" for e in effects) else [OF_HANDSHAKES]
    cells = (cell for block in blocks for row in block.rows for cell in row)
    return "".join([NOTE, *columns, *handshakes, *([OF_UNDECIDED] if UNDECIDED in cells else [])])


def _block(test: str, effects: Sequence[Effect]) -> Block:
    headline = figure_of(test)
    heads = ["Middleware", "Protected", "Size", f"{headline[:1].upper()}{headline[1:]}"]
    tail = any(effect.versus.p99 for effect in effects)
    known = [name for name in SPENT if any(name in effect.spent for effect in effects)]
    sizes = {effect.size for effect in effects}
    rows = []
    for effect in effects[:MOST]:
        row = [
            _who(effect, effects),
            effect.value,
            size_text(effect.size) if sizes - {None} else "",
        ]
        row.append(_cell(effect.versus.ratio))
        if tail:
            row.append(_cell(effect.versus.p99))
        row += [_cell(effect.spent.get(name)) for name in known]
        rows.append(tuple(row))
    heads += [*(["p99"] if tail else []), *(HEADS[name] for name in known)]
    more = len(effects) - MOST
    note = f" {more} more rows: busmark compare --by security." if more > 0 else ""
    return Block(f"{TITLE}: {test}", tuple(heads), rows, note)


def _cell(ratio: Figure | None) -> str:
    """The ratio, if its rounds agree well enough to say one."""
    if ratio is None:
        return ABSENT
    if ratio.low is not None and ratio.high is not None and ratio.high > WIDEST * ratio.low:
        return UNDECIDED
    return ratio_text(ratio)


def _who(effect: Effect, effects: Sequence[Effect]) -> str:
    """Middleware; where and in which workload, if these differ between the rows."""
    wheres = {_where(each) for each in effects}
    return effect.label if len(wheres) == 1 else f"{effect.label}, {_where(effect)}"


def _where(effect: Effect) -> str:
    placement = placement_text(effect.placement) if effect.placement else ""
    return ", ".join(filter(None, (placement, described(effect.workload))))
