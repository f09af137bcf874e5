"""`busmark import`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from busmark.cli.output import echo
from busmark.cli.places import Target, note
from busmark.importers.registry import FORMATS

_MEANINGS = "; ".join(f"{name}: {meaning}" for name, meaning in FORMATS.items())


@click.command(epilog="Example: busmark import perftest.csv latency.csv --out @rti")
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--out", required=True, type=Target(),
              help="Directory for the result, or @NAME; must be new or empty.")  # fmt: skip
@click.option(
    "--format", "form", help=f"Format of all files; default: by their content. {_MEANINGS}."
)
@click.option("--set", "added", metavar="KEY=VALUE", multiple=True,
              help="A parameter that the files do not state, such as transport=shmem.")  # fmt: skip
def command(paths: tuple[Path, ...], out: Path, form: str | None, added: tuple[str, ...]) -> None:
    """Import results of other tools.

    Known flaws of a tool's figures are reported as findings. Files of several runs with the same
    parameters become rounds of one case.
    """
    from busmark.importers import import_results

    words = ["busmark", *sys.argv[1:]]
    result = import_results(paths, out, form=form, added=added, command=shlex.join(words))
    note(out)
    source = result.manifest.source
    assert source is not None
    for file in source.files:
        version = f" {file.version}" if file.version else ""
        echo(f"{file.name}: {file.tool}{version}, {file.form}")
    for what in source.left_out:
        echo(f"left out: {what}")
    for what in source.repeated:
        echo(what)
    rounds, cases = result.cases.height, len(result.manifest.cases)
    echo(f"{cases} case{'s' * (cases != 1)}, {rounds} round{'s' * (rounds != 1)}: {out}")
    echo(f"Look at it: busmark show {shlex.quote(str(out))}")
