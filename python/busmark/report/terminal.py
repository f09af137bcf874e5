"""A campaign in the terminal: the tables, the findings, and what could not be measured."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from busmark.analysis.across.effects import WITH_SPENT
from busmark.analysis.model import Campaign
from busmark.analysis.words.text import joined, plural, size_text
from busmark.findings.kinds import marks
from busmark.report.fitting import Fitted, fitted, hidden_text
from busmark.report.interop import HeatMap, dead_cells, heat_maps
from busmark.report.roomy import NARROW, room
from busmark.report.tables import Column, Table, tables

if TYPE_CHECKING:
    from busmark.report.html.blocks import Block

CORNER = "writer \\ reader"
"""Corner of a heat map."""

GAP = 2
"""Characters between its columns."""

MOST_JUDGED = 12
"""Cases that are named below a requirement; of more, only those that do not meet it."""
FILES = 6
"""Imported files that are named; more are counted."""
SEE = "See"
"""At the head of the letters of findings."""


def show(campaign: Campaign, console: Console) -> None:
    """Print the campaign; plain text where the console is not a terminal."""
    from busmark.report import terminal_findings

    console.print(Text(campaign.name, style="bold"))
    if campaign.question:
        console.print(Text(campaign.question, style="italic"))
    if campaign.source is not None:
        names = [file.name for file in campaign.source.files]
        more = [f"{len(names) - FILES} more"] if len(names) > FILES else []
        files = joined([*names[:FILES], *more])
        item(console, f"imported from {joined(campaign.source.tools)}: {files}")
    _requirements(campaign, console)
    if campaign.finished_utc is None:
        item(console, "not finished: it is still running, or was interrupted")
    for answer in campaign.answers:
        item(console, answer.sentence)
    if campaign.answers and campaign.differing_choices:
        differing = joined(campaign.differing_choices)
        note = f"Each middleware is taken as configured; they differ in {differing}."
        item(console, note, lead="  ", style="dim")
    sizes = {case.id: size_text(case.size) for case in campaign.cases}
    for table in tables(campaign):
        heading(console, table.title)
        _print_table(table, sizes, console)
        terminal_findings.legend(table, console)
        _beside(campaign, table, console)
        _levels(campaign, table, console)
    for heat in heat_maps(campaign):
        _heat_map(heat, console)
    _spent(campaign, console)
    _dead(campaign, console)
    _not_measured(campaign, console)
    terminal_findings.listed(campaign, console)


def _requirements(campaign: Campaign, console: Console) -> None:
    """Which requirements are met, and by which cases."""
    if not campaign.requirements:
        return
    # Only now: it brings the page's modules, which take longer to load than a small result.
    from busmark.report.html.required import requirement_blocks

    for block in requirement_blocks(campaign.requirements, MOST_JUDGED):
        heading(console, block.title)
        print_block(block, console)
    console.print()


def heading(console: Console, text: str) -> None:
    """A line above a part."""
    console.print()
    console.print(Text(text, style="bold"))


def item(console: Console, text: str, lead: str = "- ", style: str = "") -> None:
    """One paragraph. Wrapped here: figures hold narrow spaces, at which no line may break."""
    lines = textwrap.wrap(
        text, console.width, initial_indent=lead, subsequent_indent=" " * len(lead)
    )
    for line in lines:
        console.print(Text(line, style=style), soft_wrap=True)


def _beside(campaign: Campaign, table: Table, console: Console) -> None:
    """The scenario's own flows that ran beside the cases of the table."""
    if not any(case.own_flows for case in campaign.cases):
        return
    # Only now: it brings the page's modules, which take longer to load than a small result.
    from busmark.report.html.beside_flows import TITLE, beside_block

    names = {case.id: f"{case.label}, {size_text(case.size)}" for case in campaign.cases}
    blocks = {row.case: beside_block(campaign, [row.case], room(console)) for row in table.rows}
    known = {case: block for case, block in blocks.items() if block}
    for number, (case, block) in enumerate(known.items()):
        heading(console, TITLE if len(known) == 1 else f"{TITLE}: {names[case]}")
        print_block(block, console, with_note=number == len(known) - 1)


def _spent(campaign: Campaign, console: Console) -> None:
    """What security and layers cost, where a case has them."""
    if not any(effect.parameter in WITH_SPENT for effect in campaign.effects):
        return
    # Only now, as above.
    from busmark.report.html.spent_costs import spent_costs

    for block in (block for part in spent_costs(campaign) for block in part.blocks):
        heading(console, block.title)
        print_block(block, console, with_note=bool(block.note))


def _levels(campaign: Campaign, table: Table, console: Console) -> None:
    """Applications: what was to be read and was, and what it cost the nodes, of each case."""
    by_id = {case.id: case for case in campaign.cases}
    meshes = [case for row in table.rows if (case := by_id[row.case]).params.applications]
    if not meshes:
        return
    # Only now, as above.
    from busmark.report.html.levels import level_blocks

    several = len(meshes) > 1
    for number, case in enumerate(meshes):
        for block in level_blocks(case):
            heading(console, f"{block.title}: {case.id}" if several else block.title)
            print_block(block, console, with_note=number == len(meshes) - 1)


def print_block(block: Block, console: Console, *, with_note: bool = True) -> None:
    """A small table: names to the left, figures to the right; no word is broken. Where it is too
    wide, intervals stand below their values, and the last columns below the first."""
    rows = [list(row) for row in block.rows]
    widths = [max(map(_longest, column)) for column in zip(block.heads, *rows, strict=True)]
    for index in sorted(range(1, len(widths)), key=lambda n: -widths[n]):
        if sum(widths) + GAP * len(widths) <= room(console):
            break
        for row in rows:
            row[index] = row[index].replace(" [", "\n[", 1)
        widths[index] = max(
            _longest(cell) for cell in (block.heads[index], *(r[index] for r in rows))
        )
    least = widths
    if sum(widths) + GAP * len(widths) > room(console):
        # Cells are broken between words.
        columns = zip(block.heads, *rows, strict=True)
        least = [max(_longest(cell.replace(" ", "\n")) for cell in column) for column in columns]
    for shown in _side_by_side(least, room(console)):
        table = RichTable(
            box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
        )
        chosen = _stretched(shown, least, widths, room(console))
        for index in shown:
            table.add_column(Text(block.heads[index]), justify="right" if index else "left",
                             width=chosen[index])  # fmt: skip
        for row in rows:
            table.add_row(*(Text(row[index]) for index in shown))
        console.print(table)
    if block.note and with_note:
        item(console, block.note, lead="", style="dim")


def _stretched(
    shown: Sequence[int], least: Sequence[int], wanted: Sequence[int], room: int
) -> dict[int, int]:
    """Widths of the columns that are shown: the room that is left goes to the first that want
    more."""
    left = room - sum(least[index] + GAP for index in shown)
    chosen = {}
    for index in shown:
        more = max(0, min(left, wanted[index] - least[index]))
        chosen[index] = least[index] + more
        left -= more
    return chosen


def _longest(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def _print_table(table: Table, sizes: dict[str, str], console: Console) -> None:
    """One row per case, under a row for each size where there are several."""

    if table.same:
        item(console, table.same, lead="", style="dim")
    width = room(console)
    flagged = [marks(row.flags, notes=width >= NARROW) for row in table.rows]
    flags_width = max([len(SEE), *map(len, flagged)]) + 2 if any(flagged) else 0
    found = fitted(table, width - flags_width)
    rich = RichTable(
        box=box.SIMPLE_HEAD, padding=(0, found.gap - 1, 0, 0), pad_edge=False, show_edge=False
    )
    for column in found.columns:
        rich.add_column(
            Text(found.heading(column)),
            justify="right" if column.kind in ("number", "figure") else "left",
            no_wrap=not (found.wraps and column.kind == "label"),
            min_width=_longest_word(found, column) if column.kind == "label" else None,
        )
    if flags_width:
        rich.add_column(Text(SEE), no_wrap=True)
    several = len({sizes[row.case] for row in table.rows}) > 1
    size = None
    for index, row in enumerate(table.rows):
        if several and sizes[row.case] != size:
            size = sizes[row.case]
            rich.add_row(Text(size, style="bold"))
        cells = [_cell(found, column, index) for column in found.columns]
        further = [Text(flagged[index])] if flags_width else []
        rich.add_row(*cells, *further, style="dim" if row.is_floor else None)
    console.print(rich)
    for told in (hidden_text(found.hidden), table.note):
        item(console, told, lead="", style="dim")
    for remark in table.remarks:
        item(console, remark)


def _longest_word(found: Fitted, column: Column) -> int:
    """Labels may wrap, words may not."""
    labels = [found.label(index) for index in range(len(column.cells))]
    return max(len(word) for told in (found.heading(column), *labels) for word in told.split())


def _cell(found: Fitted, column: Column, index: int) -> Text:
    """Value and interval; both stay in their own place down the column."""
    if column.kind == "label":
        return Text(found.label(index))
    cell = column.cells[index]
    interval = max((len(each.interval) for each in column.cells), default=0)
    value = found.value(cell)
    return Text(f"{value} {cell.interval:<{interval}}" if interval else value)


def _heat_map(heat: HeatMap, console: Console) -> None:
    """Numbers only, under the adapters' short names: shades and titles are for the page. Where
    there is no room for all readers, the others follow below."""
    heading(console, heat.title)
    columns = [
        [name, *(cell.text if (cell := cells[place]) else "" for _, cells in heat.rows)]
        for place, name in enumerate(heat.names)
    ]
    columns.insert(0, [CORNER, *heat.names])
    widths = [max(map(len, column)) for column in columns]
    for shown in _side_by_side(widths, room(console)):
        rich = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for place in shown:
            head = Text(columns[place][0])
            rich.add_column(head, justify="right" if place else "left", no_wrap=True)
        for row in range(1, len(heat.names) + 1):
            rich.add_row(*(Text(columns[place][row]) for place in shown))
        console.print(rich)
    item(console, heat.note, lead="", style="dim")


def _side_by_side(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Runs of columns for which there is room, each after the first column; at least one each."""
    start = widths[0] + GAP
    shown, taken = [0], start
    for place, width in enumerate(widths[1:], 1):
        if len(shown) > 1 and taken + width > room:
            yield shown
            shown, taken = [0], start
        shown.append(place)
        taken += width + GAP
    yield shown


def _dead(campaign: Campaign, console: Console) -> None:
    dead = [d for d in dead_cells(campaign) if d.state != "unsupported"]
    if dead:
        heading(console, "Pairs that do not work, or not wholly")
    for pair in dead:
        which = f"{pair.test}, {pair.workload}, {pair.writer} → {pair.reader}"
        item(console, f"{which}: {pair.state}: {pair.reason}")


def _not_measured(campaign: Campaign, console: Console) -> None:
    alike: dict[tuple[str, str | None], list[str]] = {}
    for case in campaign.cases:
        if case.status == "unsupported":
            alike.setdefault((case.label, case.reason), []).append(case.id)
    lines = [
        f"{label} ({ids[0] if len(ids) == 1 else plural(len(ids), 'case')}): {reason}"
        for (label, reason), ids in alike.items()
    ]
    lines += [f"{adapter}: {reason}" for adapter, reason in campaign.missing_adapters.items()]
    lines += campaign.problems
    if lines:
        heading(console, "Left out" if campaign.source else "Not measured")
    for line in lines:
        item(console, line)
