"""`busmark show`."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(epilog="Example: busmark show busmark-results/quickstart --json | jq .cases")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON (schema: result).")
def command(directory: Path, as_json: bool) -> None:
    """Show the results in DIRECTORY, finished or not."""
    from rich.console import Console

    from busmark.analysis import summarise
    from busmark.report.terminal import show
    from busmark.store import Result

    campaign = summarise(Result(directory), with_series=False)
    if as_json:
        click.echo(json.dumps(campaign.model_dump(mode="json", by_alias=True), indent=2))
    else:
        show(campaign, Console())
