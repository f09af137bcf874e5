"""A history in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from busmark.analysis.words.text import plural
from busmark.report.roomy import heading, item, room
from busmark.report.tracking import words
from busmark.track.model import Step, Tracked, TrackedSeries

BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 20
"""Results of a series in its line."""

ROOMY = 100
"""Characters in a line from which on there is room for it."""

OUTCOMES = {"✗": "bold red", "?": "bold yellow", "✓": "bold"}

STYLES = {"regression": "bold red", "improvement": "green", "small": ""}


def show(tracked: Tracked, console: Console, *, series: bool = True) -> None:
    """Print what was found; plain text where the console is not a terminal. `series`: with a table
    of all series."""
    sign = words.outcome(tracked)
    told = words.verdict(tracked)
    item(console, f"{told[:1].upper()}{told[1:]}.", lead=f"{sign} ", style=OUTCOMES[sign])
    for one, step in tracked.new:
        item(console, f"{words.sentence(tracked, one, step)}.", style="red")
    for one, step in tracked.unconfirmed:
        item(console, f"unconfirmed: {words.sentence(tracked, one, step)}.", "? ", style="yellow")
    for remark in tracked.remarks:
        item(console, f"{remark}.", style="yellow")
    further = words.others(tracked)
    if further:
        heading(console, "Further changes, the latest first")
        for one, step in further[: words.MOST_TOLD]:
            _step(tracked, one, step, console)
        if len(further) > words.MOST_TOLD:
            item(console, f"{len(further) - words.MOST_TOLD} more: the page and `--json` have all")
    if series:
        for number, machine in enumerate(tracked.machines):
            own = [one for one in tracked.series if one.machine == number]
            if own:
                results = plural(machine.results, "result")
                heading(console, f"{words.machine_title(tracked, number)}: {results}")
                console.print(_table(own, bars=room(console) >= ROOMY))
    item(console, words.method(tracked), lead="", style="dim")


def _step(tracked: Tracked, series: TrackedSeries, step: Step, console: Console) -> None:
    kind = words.kind_text(tracked, series, step)
    style = STYLES[step.kind] if step.stands or step.kind != "regression" else ""
    told = f"{kind}: {words.sentence(tracked, series, step)}."
    item(console, told, lead=f"{words.sign(step)} ", style="dim" if series.is_floor else style)


def _table(series: list[TrackedSeries], *, bars: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for title in ("Case", "Figure", "Results", "Level", "Steps", *(["Newest"] if bars else [])):
        right = title in ("Results", "Level", "Steps")
        table.add_column(title, justify="right" if right else "left", overflow="fold",
                         no_wrap=title in ("Level", "Results", "Newest"))  # fmt: skip
    before = ""
    for one in series:
        name = words.case_name(one)
        level = one.steps[-1].after if one.steps else _typical(one)
        table.add_row(
            Text(name if name != before else ""),
            Text(words.figure_name(one)),
            str(len(one.points)),
            words.level_text(one, level),
            str(len(one.steps) or "—") if one.tested else "too few",
            *([Text(line(one))] if bars else []),
            style="dim" if one.is_floor else "",
        )
        before = name
    return table


def _typical(series: TrackedSeries) -> float:
    values = sorted(point.value for point in series.points)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def line(series: TrackedSeries) -> str:
    """The newest results as a line of bars, from the least to the greatest of them."""
    values = [point.value for point in series.points[-MOST_BARS:]]
    least, most = min(values), max(values)
    span = most - least
    if span <= 0.0:
        return BARS[0] * len(values)
    return "".join(BARS[min(int((v - least) / span * len(BARS)), len(BARS) - 1)] for v in values)
