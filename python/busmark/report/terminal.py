"""A campaign in the terminal: the tables, the findings, and what could not be measured."""

from __future__ import annotations

import textwrap

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from busmark.analysis.model import Campaign
from busmark.analysis.text import joined, plural, size_text
from busmark.report.interop import HeatMap, dead_cells, heat_maps
from busmark.report.tables import Cell, Column, Table, tables

NARROW = 110
"""Below this many characters in a line, details are left to the page."""

SEVERITY_STYLE = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def show(campaign: Campaign, console: Console) -> None:
    """Print the campaign; plain text where the console is not a terminal."""
    console.print(Text(campaign.name, style="bold"))
    if campaign.question:
        console.print(Text(campaign.question, style="italic"))
    if campaign.source is not None:
        files = joined([file.name for file in campaign.source.files])
        item(console, f"imported from {joined(campaign.source.tools)}: {files}")
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
    for heat in heat_maps(campaign):
        _heat_map(heat, console)
    _dead(campaign, console)
    _not_measured(campaign, console)
    _findings(campaign, console)


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


def _print_table(table: Table, sizes: dict[str, str], console: Console) -> None:
    """One row per case, under a row for each size."""
    roomy = console.width >= NARROW
    shown = _that_fit(table, console.width, roomy)
    rich = RichTable(
        box=box.SIMPLE_HEAD, padding=(0, int(roomy), 0, 0), pad_edge=False, show_edge=False
    )
    for column in shown:
        rich.add_column(
            Text(f"{column.title}, {column.unit}" if column.unit else column.title),
            justify="right" if column.kind in ("number", "figure") else "left",
            no_wrap=roomy or column.kind in ("number", "figure"),
            overflow="fold",
            min_width=_label_width(column) if column.kind == "label" else None,
        )
    widths = [max((len(c.interval) for c in column.cells), default=0) for column in shown]
    size = None
    for index, row in enumerate(table.rows):
        if sizes[row.case] != size:
            size = sizes[row.case]
            rich.add_row(Text(size, style="bold"))
        cells = [_cell(c, index, w, roomy) for c, w in zip(shown, widths, strict=True)]
        rich.add_row(*cells, style="dim" if row.is_floor else None)
    console.print(rich)
    item(console, table.note, lead="", style="dim")
    for remark in table.remarks:
        item(console, remark)


def _that_fit(table: Table, width: int, roomy: bool) -> list[Column]:
    """Columns for this width: first the details go, then further figures, but never the counts."""
    shown = [c for c in table.columns if c.title != "Size" and (roomy or not c.detail)]
    gap = 2 if roomy else 1
    while sum(_width(c, roomy) + gap for c in shown) > width + gap:
        further = [c for c in shown if c.detail] or [c for c in shown if c.kind == "figure"][1:]
        if not further:
            break
        shown.remove(further[-1])
    return shown


def _width(column: Column, roomy: bool) -> int:
    """Characters that a column needs at least."""
    if column.kind == "label":
        return max(len(c.text) for c in column.cells) if roomy else _label_width(column)
    heading = len(column.title) + (len(column.unit) + 2 if column.unit else 0)
    extra = max(len(c.extra) for c in column.cells) if roomy else 0
    values = max(len(c.text) + len(c.pad) for c in column.cells) + extra
    intervals = max(len(c.interval) for c in column.cells)
    return max(heading, values + (intervals + 1 if intervals else 0))


def _label_width(column: Column) -> int:
    """The longest word: labels may wrap, words may not."""
    words = [word for cell in column.cells for word in cell.text.split()]
    return max(len(word) for word in [column.title, *words])


def _cell(column: Column, index: int, interval_width: int, roomy: bool) -> Text:
    """Value and interval; both stay in their own place down the column."""
    cell: Cell = column.cells[index]
    if column.kind == "label":
        return Text(cell.text)
    value = cell.text + " " * len(cell.pad) + (cell.extra if roomy else "")
    return Text(f"{value} {cell.interval:<{interval_width}}" if interval_width else value)


def _heat_map(heat: HeatMap, console: Console) -> None:
    """Numbers only, under the adapters' short names: shades and titles are for the page."""
    heading(console, heat.title)
    rich = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    rich.add_column(Text("writer \\ reader"))
    for name in heat.names:
        rich.add_column(Text(name), justify="right", overflow="fold")
    for name, (_, cells) in zip(heat.names, heat.rows, strict=True):
        rich.add_row(Text(name), *(Text(cell.text if cell else "") for cell in cells))
    console.print(rich)
    item(console, heat.note, lead="", style="dim")


def _dead(campaign: Campaign, console: Console) -> None:
    dead = [d for d in dead_cells(campaign) if d.state != "unsupported"]
    if dead:
        heading(console, "Pairs that do not work, or not wholly")
    for pair in dead:
        item(console, f"{pair.test}, {pair.writer} → {pair.reader}: {pair.state}: {pair.reason}")


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


def _findings(campaign: Campaign, console: Console) -> None:
    if campaign.findings:
        heading(console, "Findings")
    for finding in campaign.findings:
        style = SEVERITY_STYLE[finding.severity]
        item(console, f"{finding.severity}: {finding.title}", style=style)
        if finding.severity != "note":
            item(console, finding.remedy, lead="  ")
