"""A comparison in the terminal."""

from __future__ import annotations

from dataclasses import replace

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from busmark.compare.model import Comparison, Judged
from busmark.report.comparison import words
from busmark.report.comparison.grids import (
    STAYS,
    Grid,
    Layout,
    environments,
    every_figure,
    headlines,
    layout,
    theirs,
)
from busmark.report.roomy import NARROW, heading, item, room

STYLES = {
    "slower": "bold red", "loses more": "bold red", "sends more": "bold red",
    "faster": "green", "loses less": "green", "sends less": "green",
    "floor": "dim", "undecided": "", "equivalent": "", "warning": "yellow",
}  # fmt: skip

OUTCOME_STYLES = {
    "missed": "bold red", "met": "green", "undecided": "yellow", "not measured": "bold red",
}  # fmt: skip

MOST_FIRST = 5
"""Cases of a criterion that are listed before everything else."""


def show(comparison: Comparison, console: Console, *, every: bool = False) -> None:
    """Print the comparison; plain text where the console is not a terminal. `every`: with all
    figures of all cases."""
    _gate(comparison, console)
    for answer in words.answers(comparison):
        item(console, answer, lead="", style="bold")
    for warning in comparison.warnings:
        item(console, f"{warning[:1].upper()}{warning[1:]}.", style="yellow")
    for grid in _that_fit(comparison, room(console)):
        heading(console, grid.title)
        _print(grid, console)
    item(console, f"{words.legend(comparison)} {words.method(comparison)}", lead="", style="dim")
    for line in words.remarks(comparison):
        item(console, f"{line}.")
    _more(comparison, console, every=every)
    _criteria(comparison, console, every=every)


def _gate(comparison: Comparison, console: Console) -> None:
    """How the criteria ended, before anything else: the conditions, and where they failed."""
    if comparison.gate is None:
        return
    lead = f"{words.gate_mark(comparison)} "
    style = f"bold {OUTCOME_STYLES[comparison.gate]}"
    item(console, f"{words.gate_text(comparison)}.", lead=lead, style=style)
    for condition in words.conditions(comparison):
        sign, style = words.OUTCOMES[condition.outcome], OUTCOME_STYLES[condition.outcome]
        item(console, f"{condition.criterion}: {condition.told}", f"  {sign} ", style=style)
        failed = [judged for judged in condition.judged if judged.fails]
        for judged in failed[:MOST_FIRST]:
            item(console, words.judged_text(judged, comparison), "    - ")
        if more := len(failed) - MOST_FIRST if len(failed) > MOST_FIRST else 0:
            item(console, f"{more} more below", "    - ")
    console.print()


def _more(comparison: Comparison, console: Console, *, every: bool) -> None:
    """What is besides the tables of headline figures."""
    if every:
        for pair in comparison.pairs:
            grid = every_figure(comparison, pair)
            heading(console, grid.title)
            _print(grid, console)
            for reason in dict.fromkeys(c.reason for c in pair.changes if c.reason):
                names = [words.figure_name(c) for c in pair.changes if c.reason == reason]
                item(console, f"{', '.join(names)}: {reason}.")
    elif further := words.further(comparison):
        _list("Further figures that changed", further, console)
    _list("Compared though they differ", words.differs(comparison), console)
    _list("Not compared", words.left_out(comparison, every=every), console)
    if differing := environments(comparison):
        heading(console, differing.title)
        _print(differing, console)
    _list("Findings of the campaigns", words.findings(comparison), console, style="yellow")


def _list(title: str, lines: list[str], console: Console, style: str = "") -> None:
    if lines:
        heading(console, title)
    for line in lines:
        item(console, line, style=style)


def _that_fit(comparison: Comparison, width: int) -> list[Grid]:
    """The tables in the first layout whose columns that stay have room."""
    roomy = layout(comparison)
    layouts = [roomy, replace(roomy, compact=True)]
    if roomy.beside and len(comparison.candidates) > 1:
        layouts += [Layout(beside=False), Layout(beside=False, compact=True)]
    for chosen in layouts:
        found = headlines(comparison, chosen)
        stay = ([n for n, head in enumerate(grid.heads) if head.goes == STAYS] for grid in found)
        if all(_takes(g, n, _gap(width)) <= width for g, n in zip(found, stay, strict=True)):
            break
    return [*found, *theirs(comparison)]


def _print(grid: Grid, console: Console) -> None:
    """Texts in columns; details go where there is no room, and are named."""
    gap = _gap(room(console))
    table = RichTable(
        box=box.SIMPLE_HEAD, padding=(0, gap - 1, 0, 0), pad_edge=False, show_edge=False
    )
    shown = _columns(grid, room(console), gap)
    for index in shown:
        head = grid.heads[index]
        table.add_column(
            Text(_title(grid, index)), justify="right" if head.figure else "left",
            no_wrap=not head.wraps, overflow="fold", min_width=_longest_word(grid, index),
        )  # fmt: skip
    for row in grid.rows:
        table.add_row(
            *(Text(row.cells[n].text, style=STYLES.get(row.cells[n].verdict, "")) for n in shown),
            style=STYLES.get(row.style, ""),
        )
    console.print(table)
    if grid.note:
        item(console, grid.note, lead="", style="dim")
    hidden = [head.title for index, head in enumerate(grid.heads) if index not in shown]
    if hidden:
        told = f"Hidden: {', '.join(hidden)}. Widen the terminal, or use --wide."
        item(console, told, lead="", style="dim")


def _title(grid: Grid, index: int) -> str:
    """Below its candidate, where several stand beside each other."""
    head = grid.heads[index]
    return f"{head.of}\n{head.title}" if grid.groups else head.title


def _gap(width: int) -> int:
    return 2 if width >= NARROW else 1


def _columns(grid: Grid, width: int, gap: int) -> list[int]:
    """Those that fit: what goes first goes whole."""
    shown = list(range(len(grid.heads)))
    while _takes(grid, shown, gap) > width:
        first = max(grid.heads[index].goes for index in shown)
        if first == STAYS:
            break
        shown = [index for index in shown if grid.heads[index].goes != first]
    return shown


def _takes(grid: Grid, shown: list[int], gap: int) -> int:
    """Characters of a line with these columns."""
    return sum(_needs(grid, index) + gap for index in shown) - gap


def _needs(grid: Grid, index: int) -> int:
    if grid.heads[index].wraps:
        return _longest_word(grid, index)
    lines = _title(grid, index).split("\n")
    return max(len(text) for text in (*lines, *(row.cells[index].text for row in grid.rows)))


def _longest_word(grid: Grid, index: int) -> int:
    """Texts may wrap, words may not."""
    texts = [_title(grid, index), *(row.cells[index].text for row in grid.rows)]
    return max(len(word) for text in texts for word in (text.split() or [""]))


def _criteria(comparison: Comparison, console: Console, *, every: bool) -> None:
    """All cases of which the first lines have a number only."""
    for condition in words.conditions(comparison):
        failed = sum(judged.fails for judged in condition.judged)
        if not every and len(condition.open) == failed <= MOST_FIRST:
            continue
        heading(console, f"{condition.criterion}: {condition.told}")
        for judged in condition.judged if every else condition.open:
            _judged(judged, comparison, console)


def _judged(judged: Judged, comparison: Comparison, console: Console) -> None:
    said = f"{judged.outcome}: {words.judged_text(judged, comparison)}"
    lead = f"  {words.OUTCOMES[judged.outcome]} "
    item(console, said, lead, style=OUTCOME_STYLES[judged.outcome])
