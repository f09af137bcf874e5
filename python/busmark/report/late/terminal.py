"""Late samples in the terminal, each with its packets."""

from __future__ import annotations

import textwrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from busmark.capture.late.model import Diagram, Event, Explained
from busmark.report.capture.terminal import show_blocks
from busmark.report.html.blocks import plain
from busmark.report.late.words import HEADS, of_capture, rows, summary, title

LANE = 11
"""Columns of a lane."""
LEAST = 30
"""Columns that words have in any case."""
MARK = "◆ "
"""Before what proves the cause."""


def show(found: Explained, console: Console) -> None:
    """Prints counts, then the sequence of each of the worst."""
    console.print(Text(f"Late samples of {found.case}", style="bold"))
    for line in summary(found):
        console.print(line, highlight=False)
    if found.causes:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for head in HEADS:
            table.add_column(head, justify="left" if head == HEADS[0] else "right", overflow="fold")
        for row in rows(found):
            table.add_row(*(Text(cell) for cell in row))
        console.print(table)
    show_blocks(of_capture(found), console)
    for each in found.diagrams:
        _diagram(each, console)


def _diagram(found: Diagram, console: Console) -> None:
    console.print()
    console.print(Text(title(found.sample), style="bold"))
    console.print(f"{found.sample.said[0].upper()}{found.sample.said[1:]}.", highlight=False)
    head = "".join(f"{_short(lane):^{LANE}}" for lane in found.lanes)
    console.print(Text(f"{'from write':>10} {head} packet", style="dim"))
    for event in found.events:
        before = f"{_time(event):>10} {_lanes(found.lanes, event)} "
        room = max(LEAST, console.width - len(before))
        for number, words in enumerate(textwrap.wrap(_what(event), room)):
            lead = before if not number else f"{'':>10} {_empty(found.lanes)} "
            console.print(Text(lead + words, style="bold" if event.proves else ""), soft_wrap=True)
    if found.omitted:
        console.print(Text(f"{found.omitted} more packets of these flows are left out", "dim"))
    if found.sample.evidence:
        files = dict.fromkeys(each.file for each in found.sample.evidence)
        console.print(Text(f"{MARK}proves the cause. Packets are of {', '.join(files)}", "dim"))


def _empty(lanes: list[str]) -> str:
    return f"{'│':^{LANE}}" * len(lanes)


def _short(lane: str) -> str:
    return lane if len(lane) < LANE else f"{lane[: LANE - 2]}…"


def _time(event: Event) -> str:
    return ("+" if event.at_ns > 0 else "") + plain(event.at_ns)


def _what(event: Event) -> str:
    number = "" if event.packet is None else f"{event.packet} "
    return f"{MARK if event.proves else ''}{number}{event.what}"


def _lanes(lanes: list[str], event: Event) -> str:
    """A line of the diagram: a stamp is a dot on its lane, a packet an arrow over it."""
    at, half = lanes.index(event.lane), LANE // 2
    cells = [f"{'│':^{LANE}}"] * len(lanes)
    if event.packet is None:
        cells[at] = f"{'●':^{LANE}}"
    elif event.towards is None:
        cells[at] = f"{'○':^{LANE}}"
    elif lanes.index(event.towards) > at:
        cells[at] = " " + "─" * (half - 1) + "┼" + "─" * (half - 1) + "▶"
    else:
        cells[at] = "◀" + "─" * (half - 1) + "┼" + "─" * (half - 1) + " "
    return "".join(cells)
