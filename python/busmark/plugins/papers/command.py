"""`busmark papers`: published experiments that ship as scenarios, and what is found here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import wide
from busmark.cli.output import echo
from busmark.cli.places import Directory, or_newest

if TYPE_CHECKING:
    from pathlib import Path

    from busmark.compare.campaign import Campaign
    from busmark.plugins.papers.repetition import Repetition
    from busmark.present.document import Document


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
    from busmark.plugins.papers.repetition import DOCUMENTS
    from busmark.present.blocks.rows import Field, listing
    from busmark.present.document import Document, Section
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
    fields = (
        Field("Name", lambda name: name),
        Field("Title", lambda name: DOCUMENTS[name].title),
        Field("Scenarios", lambda name: ", ".join(
            each.removeprefix(f"{name}/") for each in scenarios[name])),
    )  # fmt: skip
    table = listing(DOCUMENTS, fields, key="papers")
    how = "Repeat one with `busmark run NAME/SCENARIO`, such as `busmark run perftest-2023/quick`."
    show(Document("Papers", [how], [Section("", [table])]))


@command.command("show", epilog="Example: busmark papers show @last")
@click.argument("directory", required=False, type=Directory(), callback=or_newest)
@click.option(
    "--paper",
    metavar="NAME",
    help="The paper, such as perftest-2023: for imported results, and campaigns that name none.",
)
@click.option(
    "--application",
    type=click.Path(path_type=Path),
    metavar="STAMPS",
    help="For a capture: as for `busmark capture analyse`.",
)
@written("paper")
@wide
def show_command(
    directory: Path, paper: str | None, application: Path | None, **options: Any
) -> None:
    """Show what a paper states beside what DIRECTORY, a result of its scenarios, has found.

    Without DIRECTORY, of @last. The tables are in the paper's own columns. DIRECTORY may
    also be a capture (pcapng or pcap): it has the columns of xrce-2022, the paper that captured its
    packets.
    """
    from busmark.cli.show import analysed
    from busmark.errors import UserError
    from busmark.plugins.papers.blocks import document
    from busmark.present.formats import Views

    files = FileOptions.from_options("paper", options)
    if directory.is_file():
        made = _captured(directory, paper, application)
    elif application:
        raise UserError(
            "is for a capture",
            where="--application",
            remedy="A result has the stamps of its own application.",
        )
    else:
        made = document(_repetition(analysed(directory), paper, directory))
    if files:
        files.write(Views(lambda: made))
    show(made)


def _captured(file: Path, paper: str | None, application: Path | None) -> Document:
    """Return the tables of a paper that a capture has.

    Raises:
        UserError: it is no capture, has no sample over several hops, or the paper captured nothing.
    """
    from busmark.errors import UserError
    from busmark.plugins.papers.xrce_2022.captured import of_file

    _check(paper)
    if paper not in (None, "xrce-2022"):
        raise UserError(
            f"the figures of {paper} come from reports of its applications, and a capture has none",
            where="--paper",
            remedy="A capture has the columns of xrce-2022; `busmark capture analyse` shows all "
            "that it has.",
        )
    return of_file(file, application)


def _check(paper: str | None) -> None:
    from busmark.errors import UserError, nearest
    from busmark.plugins.papers.repetition import DOCUMENTS

    if paper is not None and paper not in DOCUMENTS:
        raise UserError(
            f"no paper {paper!r}",
            where="--paper",
            remedy=nearest(paper, DOCUMENTS, always=f"There are {', '.join(DOCUMENTS)}."),
        )


def _repetition(campaign: Campaign, paper: str | None, directory: Path) -> Repetition:
    """Return what the campaign says to the paper of this name, else to its own.

    Raises:
        UserError: there is none, or none of this name.
    """
    from busmark.errors import UserError
    from busmark.plugins.papers.repetition import DOCUMENTS, repetition
    from busmark.plugins.papers.rounds import for_paper
    from busmark.store import Result

    _check(paper)
    if paper is not None and paper != campaign.keys.get("document"):
        campaign = for_paper(Result(directory), campaign, paper)
    found = repetition(campaign, paper)
    if found is None:
        raise UserError(
            "this campaign repeats no paper",
            where=str(directory),
            remedy=f"Name one with --paper: {', '.join(DOCUMENTS)}.",
        )
    return found
