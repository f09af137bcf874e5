"""`busmark history`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import Amount, names, wide
from busmark.cli.output import echo
from busmark.cli.places import Directory, or_newest
from busmark.model.text import plural

if TYPE_CHECKING:
    from busmark.track import TrackedHistory

HISTORY = click.option(
    "--history",
    type=click.Path(path_type=Path),
    default=Path("busmark-history.jsonl"),
    show_default=True,
    metavar="FILE",
    help="The history: a file with one line of JSON per result.",
)


LOOKED_THROUGH: tuple[Callable[[Any], Any], ...] = (
    HISTORY,
    click.option("--figure", "figures", multiple=True, callback=names, metavar="FIGURE,...",
                 help="Figures to examine, as named for --fail-if; default: median.latency, "
                 "p99.latency, goodput.throughput, loss."),
    click.option("--worse-than", default="2%", show_default=True, metavar="SHARE",
                 type=Amount("share", most=1, zero=False),
                 help="A smaller change is not a regression. For loss the limit is 0.1% of the "
                 "samples."),
    click.option("--new-for", default=1, show_default=True, type=click.IntRange(1), metavar="N",
                 help="A regression is new if it is not found without the N results added last."),
    click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: tracked)."),
    written("history"),
    wide,
)  # fmt: skip


def looked_through(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of an examination of a history."""
    for option in reversed(LOOKED_THROUGH):
        command = option(command)
    return command


@click.group(epilog="Example: busmark history add @last && busmark history check")
def command() -> None:
    """Keep results over commits, and find the commits where values changed.

    A history is a file to which every `add` appends one line. Results from different machines, and
    cases of different experiments, are kept apart.
    """


@command.command("add", epilog="Example: busmark history add @last --history perf.jsonl")
@click.argument("directory", required=False, type=Directory(), callback=or_newest)
@HISTORY
@click.option(
    "--commit",
    metavar="ID",
    help="Commit that was measured; default: the one checked out in the working directory.",
)
@click.option("--date", metavar="DATE", help="Date of the commit, if git does not know it.")
@click.option(
    "--machine",
    metavar="NAME",
    help="Name of the machine, for runners whose host name changes each time.",
)
def add_command(
    directory: Path, history: Path, commit: str | None, date: str | None, machine: str | None
) -> None:
    """Add the result in DIRECTORY, or @last, to a history.

    DIRECTORY may be a name such as @last. A result is in a history once: adding it again changes
    nothing. Histories are ordered by commit time, so older commits may be measured later.
    """
    from busmark.track import add, entry_of
    from busmark.track.result import short

    entry, left_out = entry_of(directory, commit=commit, date=date, machine=machine)
    added = add(history, entry)
    figures = sum(len(case.figures) for case in entry.cases)
    of = f"{plural(len(entry.cases), 'case')}, {plural(figures, 'figure')}, "
    of += f"commit {short(entry.commit.id)}"
    if added:
        echo(f"{history}: added {directory}: {of}, on {entry.machine.name}")
    else:
        echo(f"{history}: {directory} is there already: {of}")
    for line in left_out:
        echo(f"left out: {line}", err=True)
    if entry.commit.modified:
        echo("files here differ from the commit: the result was added for it, and marked", err=True)


@command.command("show", epilog="Example: busmark history show --html history.html")
@looked_through
def show_command(as_json: bool, **options: Any) -> None:
    """Show a history: the level of every figure, and where it changed."""
    files = FileOptions.from_options("history", options)
    _present(_looked_through(**options), as_json, files, series=True)


@command.command(
    "check", epilog="Example: busmark history check --worse-than 3% --markdown gate.md"
)
@looked_through
@click.option(
    "--standing",
    is_flag=True,
    help="Fail for every confirmed regression that stands, not only for a new one.",
)
@click.option(
    "--unconfirmed",
    is_flag=True,
    help="Fail for unconfirmed regressions, too: earlier, but with more false alarms.",
)
def check_command(as_json: bool, standing: bool, unconfirmed: bool, **options: Any) -> None:
    """Say whether the newest result shows a new regression.

    A regression is a step to the worse, by more than --worse-than, that is significant over all
    series of the history. It takes three results at least to show, and is confirmed once it was
    found after three results in a row: some bad results are gone by then. Until then it is listed
    as unconfirmed, and fails nothing.

    Exit code 1 if there is a new one that is confirmed.
    """
    files = FileOptions.from_options("history", options)
    tracked = _looked_through(**options)
    _present(tracked, as_json, files, series=False)
    failing = tracked.standing if standing else tracked.new
    sys.exit(1 if failing or (unconfirmed and tracked.unconfirmed) else 0)


def _looked_through(
    history: Path, figures: list[str], worse_than: float, new_for: int
) -> TrackedHistory:
    from busmark.track import read, track

    entries = read(history)
    return track(history, entries, figures=figures, worse_than=worse_than, new_for=new_for)


def _present(tracked: TrackedHistory, as_json: bool, files: FileOptions, *, series: bool) -> None:
    from busmark.present.blocks import history
    from busmark.present.formats import Views

    document = history.document(tracked, brief=not series)
    if files:
        files.write(Views(lambda: document))
    if as_json:
        echo(json.dumps(tracked.model_dump(mode="json"), indent=2))
    else:
        show(document)
