"""A capture in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from busmark.capture.model import Analysis
from busmark.report.capture.blocks import blocks, title
from busmark.report.html.blocks import Block
from busmark.report.roomy import item

WORDS = frozenset({
    "Way", "Which", "From, to", "Hop", "What", "Writer", "Interface", "Protocols", "Protocol",
    "Kind", "Clients", "Hops", "Sample", "Last seen", "Cause", "What the packets show",
})  # fmt: skip
"""Heads of columns of words; others hold numbers."""


def show(analysis: Analysis, console: Console) -> None:
    """Prints the tables, remarks first."""
    console.print(Text(analysis.file, style="bold"))
    console.print(f"{analysis.format}: {title(analysis)}", highlight=False)
    for remark in analysis.remarks:
        item(console, remark)
    show_blocks(blocks(analysis), console)


def show_blocks(found: Sequence[Block], console: Console) -> None:
    """Prints these tables."""
    for block in found:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for head in block.heads:
            words = head in WORDS
            table.add_column(head, justify="left" if words else "right", overflow="fold")
        for row in block.rows:
            table.add_row(*(Text(cell) for cell in row))
        console.print()
        console.print(Text(block.title, style="bold"))
        console.print(table)
        if block.note:
            console.print(Text(block.note, style="dim"))
