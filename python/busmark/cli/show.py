"""`busmark show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.errors import UserError

if TYPE_CHECKING:
    from busmark.analysis import Campaign


@click.command(epilog="Example: busmark show busmark-results/quickstart --json | jq .cases")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON (schema: result).")
@click.option(
    "--document",
    "as_document",
    is_flag=True,
    help="Of a pack, print the tables of its document instead, in the document's own columns.",
)
def command(directory: Path, as_json: bool, as_document: bool) -> None:
    """Show the results in DIRECTORY, finished or not."""
    from rich.console import Console

    from busmark.analysis import summarise
    from busmark.report.terminal import show
    from busmark.store import Result

    campaign = summarise(Result(directory), with_series=False)
    if as_json:
        click.echo(json.dumps(campaign.model_dump(mode="json", by_alias=True), indent=2))
    elif as_document:
        _show_document(campaign, directory)
    else:
        show(campaign, Console())


def _show_document(campaign: Campaign, directory: Path) -> None:
    from rich.console import Console

    from busmark.packs import compare
    from busmark.report.own_tables import show_tables

    comparison = compare(campaign)
    if comparison is None or not comparison.tables:
        what = "no document" if comparison is None else "a document without tables of its own"
        raise UserError(
            f"this campaign is of {what}, or nothing was measured",
            where=f"{directory} --document",
            remedy="Leave --document out. Packs with tables: perftest-2023, openddsbench-2010.",
        )
    show_tables(comparison.tables, Console())
