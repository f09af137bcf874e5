"""`busmark report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from busmark.cli.beside import Beside, beside
from busmark.cli.forms import FormsTold
from busmark.cli.opening import open_page, opens
from busmark.cli.output import echo, say_file
from busmark.cli.places import Directory, or_newest
from busmark.present.formats import FORMATS

_MEANINGS = "; ".join(f"{form.name}: {form.meaning}" for form in FORMATS.values())


@click.command(epilog="Example: busmark report @last --to html")
@click.argument("directory", required=False, type=Directory(), callback=or_newest)
@click.option("--to", "names", default="html", help=f"Forms, separated by commas. {_MEANINGS}.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder; default: report/ in DIRECTORY."
)
@click.option(
    "--no-findings",
    "plain",
    is_flag=True,
    help="Charts in png, svg, pdf and gnuplot without the findings that concern them.",
)
@opens
def command(directory: Path, names: str, out: Path | None, plain: bool, open_it: bool) -> None:
    """Write reports of the results in DIRECTORY; without it, of the newest.

    DIRECTORY may be a name: @last is the newest result, @last~1 the one before, @NAME the one in a
    directory of this name; `busmark list` has all.

    If the scenario repeats the experiments of a document, a second page beside the report,
    comparison.html, compares the document's findings with these.
    """
    with beside(directory) as helper:
        written = _write(directory, names, out, helper, plain=plain)
    for files in written.values():
        for file in files:
            say_file(file)
    if open_it:
        _open_first(written)


def _open_first(written: Mapping[str, Sequence[Path]]) -> None:
    """Opens the page, if it was asked for."""
    if written.get("html"):
        open_page(written["html"][0])
    else:
        echo("not opened: no page was written; add html to --to", err=True)


def _write(
    directory: Path, names: str, out: Path | None, helper: Beside | None, *, plain: bool
) -> dict[str, list[Path]]:
    from busmark.analysis import summarise
    from busmark.analysis.kept import Kept
    from busmark.errors import UserError
    from busmark.present import formats
    from busmark.report.folder import own
    from busmark.store import Result

    asked = formats.chosen(names)
    if plain:
        formats.must_be_plain(asked)
    result = Result(directory)
    folder = own(directory, out)
    try:
        kept = Kept(directory)
        campaign = kept.campaign(with_series=True)
        if campaign is None:
            campaign = summarise(result, helper=helper)
            kept.keep(campaign)
        return formats.write(result, campaign, asked, folder, FormsTold(), plain=plain)
    except OSError as error:
        where = str(error.filename or folder)
        raise UserError(f"cannot be written ({error.strerror})", where=where) from None
