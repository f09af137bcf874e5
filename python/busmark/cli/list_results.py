"""`busmark list`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.output import echo
from busmark.cli.wide import wide

if TYPE_CHECKING:
    from rich.table import Table

    from busmark.cli.console import Console
    from busmark.store.listing import Listed

HEADS = ("Name", "Begun, UTC", "Machine", "Cases", "State", "Directory")
EXPENDABLE = ("Directory", "Machine", "Cases")
"""What a narrow terminal does without, the first first: names have to be whole."""
GAP = 2


@click.command(epilog="Example: busmark list")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path))
@wide
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: listing).")
def command(folders: tuple[Path, ...], as_json: bool) -> None:
    """List results, newest first: name, start, machine, cases, state.

    Listed are the results in busmark-results/ of the working directory, those that you have
    measured or imported elsewhere, and those in each FOLDER. `@NAME` stands for a result wherever
    a result directory is expected, `@last` for the newest, `@last~1` for the one before.

    Links to results are kept in busmark/results of XDG_STATE_HOME (~/.local/state); that folder may
    be deleted.
    """
    from busmark.store.listing import listing

    found = listing(folders)
    if as_json:
        echo(found.model_dump_json(indent=2))
        return
    if not found.results:
        from busmark.store.named import recent

        echo(recent(), err=True)
        return
    from busmark.cli.console import Console

    draw(found.results, Console())


def draw(results: list[Listed], console: Console) -> None:
    """A row for each; what there is no room for is named."""
    from busmark.report.fitting import hidden_text, that_fit

    rows = [_row(each) for each in results]
    kept = that_fit(HEADS, rows, EXPENDABLE, console.room, GAP)
    console.print(_table(rows, kept))
    if hidden := hidden_text([head for head in HEADS if head not in kept]):
        console.print(hidden, style="dim", highlight=False)
    console.print("@NAME stands for a directory, @last for the first of these.", highlight=False)


def _row(each: Listed) -> list[str]:
    nodes = f" +{each.nodes}" if each.nodes else ""
    return [
        each.name, _minute(each.created_utc), f"{each.machine}{nodes}" if each.machine else "—",
        "—" if each.cases is None else str(each.cases), each.state, each.directory,
    ]  # fmt: skip


def _table(rows: list[list[str]], kept: list[str]) -> Table:
    """These columns of the rows."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for head in kept:
        shown.add_column(head, justify="right" if head == "Cases" else "left",
                         no_wrap=head != "Name", overflow="fold",
                         style="bold" if head == "Name" else None)  # fmt: skip
    for row in rows:
        told = dict(zip(HEADS, row, strict=True))
        shown.add_row(*(_literal(told[head]) for head in kept))
    return shown


def _minute(utc: str | None) -> str:
    return utc[:16].replace("T", " ") if utc else "—"


def _literal(text: str) -> str:
    from rich.markup import escape

    return escape(text)
