"""`busmark run`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command(epilog="Example: busmark run scenarios/quickstart.toml --set measure.duration_s=1")
@click.argument("scenario", required=False, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Directory for the result.")
@click.option("--resume", is_flag=True, help="Finish what is missing in the directory of --out.")
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="NAME=PREFIX",
    help="Add a node, or reach one by another command, such as lab1='ssh lab1'.",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
def command(
    scenario: Path | None, out: Path | None, resume: bool, nodes: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:  # fmt: skip
    """Run the campaign of SCENARIO and write a result directory with its report.

    SCENARIO is a file, or the name of a scenario that ships: quickstart, interop,
    middlemeasure-2010, openddsbench-2010.

    Ctrl-C keeps the finished rounds; --resume goes on later, and tries failed rounds again; with
    --node it reaches a node of the campaign by another command. Exit code 1 if a round failed or
    did not meet the scenario's criteria.
    """
    from busmark.cli.campaign import conduct
    from busmark.scenario import load

    if scenario is None and not resume:
        raise click.UsageError("name a SCENARIO file, or --resume with --out")
    if scenario is None and settings:
        raise click.UsageError("--set changes a SCENARIO; name it, or leave --set out")
    loaded, text = load(scenario, list(settings), list(nodes)) if scenario else (None, "")
    sys.exit(conduct(loaded, text, out, go_on=resume, nodes=nodes))
