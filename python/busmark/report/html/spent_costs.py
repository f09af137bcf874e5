"""What security and layers cost: each case over the one without, equal in all else, with what else
both spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.across.effects import LAYER
from busmark.analysis.across.spent import BYTES, CPU, PACKETS, SPENT, is_open
from busmark.analysis.across.standing import Effect
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign
from busmark.analysis.words.naming import described, figure_of
from busmark.analysis.words.ratios import ratio_text
from busmark.analysis.words.text import ABSENT, size_text
from busmark.report.html.blocks import Block


@dataclass(frozen=True, slots=True)
class Part:
    """A parameter of which the page has a part of its own."""

    parameter: str
    anchor: str
    link: str
    title: str
    heads: tuple[str, str]
    """What shares a row, and what varies."""
    note: str
    """What is over what."""
    of_handshakes: str = ""
    blocks: tuple[Block, ...] = ()


PARTS = (
    Part(
        "security", "security", "Security", "What security costs", ("Middleware", "Protected"),
        "Secured over plain",
        of_handshakes=" What the handshake costs, discovery tests say.",
    ),
    Part(
        LAYER, "layer", "Layer", "What the layer costs", ("With", "Layer"),
        "Through the layer over the same library alone",
    ),
)  # fmt: skip

MOST = 60
"""Rows of a table; comparisons (`busmark compare --by security`) have all."""

UNDECIDED = "undecided"

HEADS = {CPU: "CPU per sample", BYTES: "Bytes per sample", PACKETS: "Packets per sample"}

NOTE = ", round by round, with 95 % intervals: above 1 × is more; for goodput below 1 × is less."
OF_COLUMNS = {
    CPU: " CPU per sample is the CPU time of all participants for each sample that was exchanged.",
    BYTES: " Bytes and packets per sample are those on the wire.",
}
OF_UNDECIDED = " Undecided: the ends of the interval differ by more than a factor of 100."
"""Where the tables have these."""


def spent_costs(campaign: Campaign) -> list[Part]:
    """The parts of which the campaign has cases, with a table for each test."""
    found = []
    for part in PARTS:
        by_test: dict[str, list[Effect]] = {}
        for effect in campaign.effects:
            if effect.parameter == part.parameter:
                by_test.setdefault(effect.test, []).append(effect)
        blocks = [_block(part, test, effects) for test, effects in by_test.items()]
        if not blocks:
            continue
        told = [effect for effects in by_test.values() for effect in effects]
        blocks[-1].note = _note(part, told, blocks) + blocks[-1].note
        for block in blocks:
            block.note = block.note.strip()
        found.append(replace(part, blocks=tuple(blocks)))
    return found


def _note(part: Part, effects: Sequence[Effect], blocks: Sequence[Block]) -> str:
    """What the columns of all tables are, below the last."""
    columns = [text for name, text in OF_COLUMNS.items() if any(name in e.spent for e in effects)]
    handshakes = "" if any(e.test == "discovery" for e in effects) else part.of_handshakes
    cells = (cell for block in blocks for row in block.rows for cell in row)
    undecided = [OF_UNDECIDED] if UNDECIDED in cells else []
    return "".join([part.note, NOTE, *columns, handshakes, *undecided])


def _block(part: Part, test: str, effects: Sequence[Effect]) -> Block:
    headline = figure_of(effects[0].figure)
    heads = [*part.heads, "Size", f"{headline[:1].upper()}{headline[1:]}"]
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
    by = "adapter" if part.parameter == LAYER else part.parameter
    note = f" {more} more rows: busmark compare --by {by}." if more > 0 else ""
    return Block(f"{part.title}: {test}", tuple(heads), rows, note)


def _cell(ratio: Figure | None) -> str:
    """The ratio, if its rounds agree well enough to say one."""
    if ratio is None:
        return ABSENT
    return UNDECIDED if is_open(ratio) else ratio_text(ratio)


def _who(effect: Effect, effects: Sequence[Effect]) -> str:
    """Middleware; where and in which workload, if these differ between the rows."""
    wheres = {_where(each) for each in effects}
    return effect.label if len(wheres) == 1 else f"{effect.label}, {_where(effect)}"


def _where(effect: Effect) -> str:
    placement = placement_text(effect.placement) if effect.placement else ""
    return ", ".join(filter(None, (placement, described(effect.workload))))
