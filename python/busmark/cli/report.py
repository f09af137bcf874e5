"""`busmark report`."""

from __future__ import annotations

from pathlib import Path

import click

from busmark.report.formats import FORMATS

_MEANINGS = "; ".join(f"{form.name}: {form.meaning}" for form in FORMATS.values())


@click.command(epilog="Example: busmark report busmark-results/quickstart --to html")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--to", "names", default="html", help=f"Forms, joined by commas. {_MEANINGS}.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: report/ in it.")
def command(directory: Path, names: str, out: Path | None) -> None:
    """Write reports of the results in DIRECTORY.

    Where the scenario repeats the experiments of a document, a second page beside the report,
    comparison.html, says what was found there and what is found here.
    """
    from busmark.analysis import summarise
    from busmark.errors import UserError
    from busmark.report import formats
    from busmark.store import Result

    asked = formats.chosen(names)
    result = Result(directory)
    folder = out or directory / "report"
    try:
        written = formats.write(result, summarise(result), asked, folder)
    except OSError as error:
        where = str(error.filename or folder)
        raise UserError(f"cannot be written ({error.strerror})", where=where) from None
    for files in written.values():
        for file in files:
            click.echo(file)
