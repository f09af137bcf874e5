"""`busmark papers`: published experiments that ship as scenarios, and what is found here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import show
from busmark.cli.output import echo
from busmark.cli.places import Place, or_newest
from busmark.cli.wide import wide

if TYPE_CHECKING:
    from pathlib import Path

    from busmark.compare.campaign import Campaign


@click.group(epilog="Example: busmark papers list")
def command() -> None:
    """Repeat the experiments of papers and reports, and compare with what they state.

    `busmark run NAME/quick` repeats the experiments of one in minutes, `NAME/full` all of them.
    """


@command.command("list", epilog="Example: busmark papers list")
@wide
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON.")
def list_command(as_json: bool) -> None:
    """List the papers: name, title, and the scenarios that repeat it."""
    from busmark.documents import DOCUMENTS
    from busmark.present.document import Cell, Column, Document, Row, Section, Table
    from busmark.scenario.load import shipped

    scenarios = {
        name: [each for each in shipped() if each.startswith(f"{name}/")] for name in DOCUMENTS
    }
    if as_json:
        listed: list[dict[str, Any]] = [
            {"name": name, "title": each.title, "source": each.source, "scenarios": scenarios[name]}
            for name, each in DOCUMENTS.items()
        ]
        echo(json.dumps(listed, indent=2))
        return
    columns = [
        Column("Name", [Cell(name) for name in DOCUMENTS], "label"),
        Column("Title", [Cell(each.title) for each in DOCUMENTS.values()]),
        Column(
            "Scenarios",
            [
                Cell(", ".join(each.removeprefix(f"{name}/") for each in scenarios[name]))
                for name in DOCUMENTS
            ],
        ),
    ]
    table = Table(columns, [Row() for _ in DOCUMENTS], key="papers")
    how = "Repeat one with `busmark run NAME/SCENARIO`, such as `busmark run perftest-2023/quick`."
    show(Document("Papers", [how], [Section("", [table])]))


@command.command("show", epilog="Example: busmark papers show @last")
@click.argument("place", metavar="[DIRECTORY]", required=False, type=Place(), callback=or_newest)
@wide
def show_command(place: str) -> None:
    """Show what a paper states beside what DIRECTORY, a result of its scenarios, has found.

    Without DIRECTORY, the newest result. The tables are in the paper's own columns.
    """
    from pathlib import Path

    from busmark.cli.show import analysed

    show_repetition(analysed(Path(str(place))), Path(str(place)))


def show_repetition(campaign: Campaign, directory: Path) -> None:
    """Print the campaign beside its paper.

    Raises:
        UserError: it repeats none.
    """
    from busmark.documents import DOCUMENTS, repetition
    from busmark.errors import UserError
    from busmark.present.blocks.repetition import document

    found = repetition(campaign)
    if found is None:
        raise UserError(
            "this campaign repeats no paper",
            where=str(directory),
            remedy=f"Name a result of one of these scenarios: {', '.join(DOCUMENTS)}.",
        )
    show(document(found))
