"""Documents of commands other than `show` and `report`: printed, and written into files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.output import say_file

if TYPE_CHECKING:
    from busmark.present.document import Document

NUMBER = re.compile(r"[-+−]?\d[\d,]*(\.\d+)?|—")
""" "1,024", "+0.5"; or absent."""


def written(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name files: `html` and `markdown`."""
    for name, what in (("--markdown", "the tables as Markdown"), ("--html", "a page")):
        path = click.Path(path_type=Path, dir_okay=False)
        command = click.option(name, type=path, help=f"Write {what} to this file.")(command)
    return command


def write(
    document: Document, brand: str, html: Path | None, markdown: Path | None, *,
    whole: str = "`--json` has everything.",
    swatches: Mapping[str, Mapping[str, str]] | None = None,
) -> None:  # fmt: skip
    """Write the files that are named; `brand`: what kind of page it is; `whole`: where everything
    is that Markdown leaves out."""
    from busmark.present.sinks import markdown as as_markdown
    from busmark.present.sinks.page import page
    from busmark.store.atomic import write_text

    if html is not None:
        write_text(html, page(document, brand, swatches))
        say_file(html, err=True)
    if markdown is not None:
        write_text(markdown, as_markdown.markdown(document, whole=whole))
        say_file(markdown, err=True)


def show(document: Document) -> None:
    """Print the document."""
    from busmark.cli.console import Console
    from busmark.present.sinks import terminal

    terminal.show(document, Console())


def show_rows(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows of text as a table; columns of numbers end at their right."""
    from busmark.cli.console import Console
    from busmark.present.document import Cell, Column, Kind, Row, Section, Table
    from busmark.present.sinks.terminal import show_section

    kept = list(rows)
    columns = []
    for place, head in enumerate(heads):
        cells = [row[place] for row in kept]
        numbers = place and all(map(NUMBER.fullmatch, cells))
        kind: Kind = "number" if numbers else "text" if place else "label"
        columns.append(Column(head, [Cell(cell) for cell in cells], kind))
    show_section(Section(title, [Table(columns, [Row() for _ in kept])]), Console())
