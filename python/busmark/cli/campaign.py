"""What `run` and `quickstart` share: run a campaign to its end, show it, write the page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from busmark.cli.progress import listener
from busmark.control.begin import begin, resume
from busmark.control.campaign import default_directory
from busmark.control.finish import finish
from busmark.errors import UserError
from busmark.scenario import Scenario
from busmark.store import Result
from busmark.store.writer import storing

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def conduct(scenario: Scenario | None, text: str, out: Path | None, *, go_on: bool,
            nodes: Sequence[str] = ()) -> int:  # fmt: skip
    """Runs, or goes on with `nodes` reached by other prefixes, `NAME=PREFIX`; the exit code."""
    if go_on:
        if out is None:
            raise UserError("--resume needs --out", remedy="Name the directory to go on with.")
        campaign = resume(scenario, out, [listener()], nodes)
    else:
        assert scenario is not None
        out = out or default_directory(scenario.name)
        campaign = begin(scenario, text, out, [listener()])
    try:
        complete = campaign.run()
    except BaseException:
        campaign.writer.close()
        raise
    result = finish(campaign, complete=complete)
    present(result)
    again = f"busmark run --resume --out {shlex.quote(str(out))}"
    if not complete:
        click.echo(f"Go on with: {again}", err=True)
        return INTERRUPTED
    failed = result.cases.filter(result.cases["status"] == "failed").height
    if failed:
        what = "1 round failed. Try it" if failed == 1 else f"{failed} rounds failed. Try them"
        click.echo(f"{what} again with: {again}", err=True)
    return 0 if (result.cases["status"] == "ok").all() else 1


def present(result: Result) -> None:
    """The table in the terminal, and the page."""
    from rich.console import Console

    from busmark.analysis import summarise
    from busmark.report import html
    from busmark.report.terminal import show

    campaign = summarise(result)
    show(campaign, Console())
    folder = result.directory / "report"
    with storing(folder):
        folder.mkdir(exist_ok=True)
        pages = html.write(result, campaign, folder)
    for what, page in zip(("Report", "Comparison"), pages, strict=False):
        click.echo(f"{what}: {page}")
