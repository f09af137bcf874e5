"""A comparison in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from busmark.analysis.text import plural
from busmark.compare.model import Contrast
from busmark.report.contrast import words
from busmark.report.contrast.grids import Grid, environments, every_figure, headlines
from busmark.report.terminal import NARROW, heading, item

STYLES = {
    "slower": "bold red", "loses more": "bold red", "faster": "green", "loses less": "green",
    "floor": "dim", "cannot tell": "", "equivalent": "", "warning": "yellow",
}  # fmt: skip

OUTCOME_STYLES = {"failed": "bold red", "passed": "green", "cannot tell": "yellow"}


def show(contrast: Contrast, console: Console, *, every: bool = False) -> None:
    """Print the comparison; plain text where the console is not a terminal. `every`: with all
    figures of all cases."""
    for answer in words.answers(contrast):
        console.print(Text(answer, style="bold"), soft_wrap=True)
    for warning in contrast.warnings:
        item(console, f"{warning}.", style="yellow")
    for grid in headlines(contrast):
        heading(console, grid.title)
        _print(grid, console)
    item(console, words.method(contrast), lead="", style="dim")
    for line in words.remarks(contrast):
        item(console, f"{line}.")
    if every:
        for pair in contrast.pairs:
            grid = every_figure(contrast, pair)
            heading(console, grid.title)
            _print(grid, console)
            for reason in dict.fromkeys(c.reason for c in pair.changes if c.reason):
                names = [words.figure_name(c) for c in pair.changes if c.reason == reason]
                item(console, f"{', '.join(names)}: {reason}.")
    elif further := words.further(contrast):
        heading(console, "Further figures that changed")
        for line in further:
            item(console, line)
    if left := words.left_out(contrast, every=every):
        heading(console, "Not compared")
        for line in left:
            item(console, line)
    differing = environments(contrast)
    if differing:
        heading(console, differing.title)
        _print(differing, console)
    if findings := words.findings(contrast):
        heading(console, "Findings of the campaigns")
        for line in findings:
            item(console, line, style="yellow")
    _criteria(contrast, console, every=every)


def _print(grid: Grid, console: Console) -> None:
    """Texts in columns; details go where there is no room."""
    roomy = console.width >= NARROW
    table = RichTable(
        box=box.SIMPLE_HEAD, padding=(0, int(roomy), 0, 0), pad_edge=False, show_edge=False
    )
    shown = _that_fit(grid, console.width, 2 if roomy else 1)
    for index in shown:
        head = grid.heads[index]
        table.add_column(
            Text(head.title), justify="right" if head.figure else "left",
            no_wrap=not head.wraps, overflow="fold", min_width=_longest_word(grid, index),
        )  # fmt: skip
    for row, style in zip(grid.rows, grid.styles, strict=True):
        table.add_row(*(Text(row[index]) for index in shown), style=STYLES.get(style, ""))
    console.print(table)


def _that_fit(grid: Grid, width: int, gap: int) -> list[int]:
    """Columns for this width: the last details go first."""
    shown = list(range(len(grid.heads)))

    def needs(index: int) -> int:
        if grid.heads[index].wraps:
            return _longest_word(grid, index) + gap
        return max(map(len, (grid.heads[index].title, *(row[index] for row in grid.rows)))) + gap

    while sum(needs(i) for i in shown) > width + gap:
        details = [i for i in shown if grid.heads[i].detail]
        if not details:
            break
        shown.remove(details[-1])
    return shown


def _longest_word(grid: Grid, index: int) -> int:
    """Texts may wrap, words may not."""
    texts = [grid.heads[index].title, *(row[index] for row in grid.rows)]
    return max(len(word) for text in texts for word in (text.split() or [""]))


def _criteria(contrast: Contrast, console: Console, *, every: bool) -> None:
    """Those that are met are counted; with `every` they are told one by one, too."""
    if not contrast.criteria:
        return
    heading(console, words.gate_text(contrast))
    for criterion in dict.fromkeys(judged.criterion for judged in contrast.criteria):
        of_it = [judged for judged in contrast.criteria if judged.criterion == criterion]
        passed = [judged for judged in of_it if judged.outcome == "passed"]
        console.print(Text(f"{criterion}: passed in {len(passed)} of {plural(len(of_it), 'case')}"))
        for judged in of_it if every else [j for j in of_it if j.outcome != "passed"]:
            line = f"{judged.outcome}: {words.judged_text(judged, contrast)}"
            lead = f"  {words.OUTCOMES[judged.outcome]} "
            item(console, line, lead, style=OUTCOME_STYLES[judged.outcome])
