"""`busmark import`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from busmark.cli.output import echo
from busmark.cli.places import Target, note
from busmark.plugins.imports.registry import formats

_MEANINGS = "; ".join(f"{name}: {meaning}" for name, meaning in formats().items())


@click.command(epilog="Example: busmark import perftest.csv latency.csv --out @rti")
@click.argument(
    "paths", metavar="FILE|DIR|ARCHIVE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    required=True,
    type=Target(),
    help="Directory for the result, or @NAME; must be new or empty.",
)
@click.option(
    "--format", "form", help=f"Format of all files; default: by their content. {_MEANINGS}."
)
@click.option(
    "--set",
    "added",
    metavar="KEY=VALUE",
    multiple=True,
    help="A parameter that the files do not state, such as transport=shmem.",
)
def command(paths: tuple[Path, ...], out: Path, form: str | None, added: tuple[str, ...]) -> None:
    """Import results of another tool.

    Files, folders, patterns such as 'logs/*.csv', and archives (.zip, .tar, .tar.gz and such) may
    be named together; all files must be of one tool. One line for each file says what became of it:
    which case, with which other file it was joined, or why it was refused or skipped.

    Known flaws of a tool's figures are reported as findings. Files of several runs with the same
    parameters become rounds of one case.

    Exit code 0 if at least one file was imported, 2 if none was, if the files are of several tools,
    or if a name leads to no file.
    """
    from busmark.plugins.imports.read import import_results

    words = ["busmark", *sys.argv[1:]]
    lines: set[str] = set()

    def tell(line: str) -> None:
        lines.add(line)
        echo(line)

    result = import_results(
        paths, out, form=form, added=added, command=shlex.join(words), tell=tell
    )
    note(out)
    source = result.manifest.source
    assert source is not None
    for what in source.left_out:
        if what not in lines:
            echo(f"left out: {what}")
    for what in source.repeated:
        echo(what)
    rounds, cases = result.cases.height, len(result.manifest.cases)
    echo(f"{cases} case{'s' * (cases != 1)}, {rounds} round{'s' * (rounds != 1)}: {out}")
    echo(f"Look at it: busmark show {shlex.quote(str(out))}")
