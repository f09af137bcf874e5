"""`busmark list`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.options import wide
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.cli.console import Console
    from busmark.present.document import Cell
    from busmark.store.named import ListedResult


@click.command(epilog="Example: busmark list")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path))
@wide
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: listing).")
def command(folders: tuple[Path, ...], as_json: bool) -> None:
    """List results: name, start, machine, cases, state.

    First come the results that lie in the working directory or below it, or were begun from there,
    then those that you have measured or imported elsewhere and those in each FOLDER, both newest
    first. `@NAME` stands for a result wherever a result directory is expected; `@last` stands for
    the newest of the first kind, `@last~1` for the one before: never for one of another folder.

    Links to results are kept in busmark/results of XDG_STATE_HOME (~/.local/state); that folder may
    be deleted.
    """
    from busmark.store.named import listing

    found = listing(folders)
    if as_json:
        echo(found.model_dump_json(indent=2))
        return
    if not found.results:
        from busmark.store.named import recent

        echo(recent(), err=True)
        return
    from busmark.cli.documents import paged

    paged(partial(draw, found.results), pager=False)


def draw(results: list[ListedResult], console: Console) -> None:
    """Print a row for each; what there is no room for is named."""
    from busmark.present.document import Cell, Column, Row, Table, Text
    from busmark.present.sinks.terminal import show_table

    columns = [
        Column("Name", [Cell(each.name) for each in results], "label"),
        Column("Begun, UTC", [Cell(_minute(each.created_utc)) for each in results]),
        Column("Machine", [_machine(each) for each in results], detail=True),
        Column("Cases", [Cell(each.cases) for each in results], "count", detail=True),
        Column("State", [Cell(each.state) for each in results]),
        Column("Directory", [Cell(each.directory) for each in results], detail=True),
    ]
    last = "the first of these"
    if not results[0].here:
        last = "none: no result was begun in this folder or below it"
    note = Text("names", {"last": last})
    show_table(Table(columns, [Row() for _ in results], notes=[note]), console)


def _machine(each: ListedResult) -> Cell:
    from busmark.present.document import Cell

    nodes = f" +{each.nodes}" if each.nodes else ""
    return Cell(f"{each.machine}{nodes}" if each.machine else None)


def _minute(utc: str | None) -> str | None:
    return utc[:16].replace("T", " ") if utc else None
