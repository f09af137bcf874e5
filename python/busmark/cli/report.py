"""`busmark report`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.habits import WithHabits
from busmark.cli.options import open_page, opens
from busmark.cli.output import Forms, echo, say_file
from busmark.cli.places import Directory, or_newest
from busmark.present.formats import of_kind

if TYPE_CHECKING:
    from busmark.compare.campaign import Campaign

_MEANINGS = "; ".join(f"{form.name}: {form.meaning}" for form in of_kind("report"))


@click.command(cls=WithHabits, epilog="Example: busmark report @last --to html")
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
@click.option(
    "--overlay",
    metavar="CASE,CASE,…",
    help="Charts in png, svg, pdf and gnuplot of these cases alone, up to ten, with the curves of "
    "a test in one chart whatever the cases differ in; in the folder `overlay` of the report. "
    "Names, numbers such as '#003', or patterns.",
)
@opens
def command(
    directory: Path, names: str, out: Path | None, plain: bool, overlay: str | None, open_it: bool
) -> None:
    """Write reports of the results in DIRECTORY; without it, of @last.

    DIRECTORY may be a name: @last is the newest result of the working directory and those below it,
    @last~1 the one before, @NAME the one in a directory of this name; `busmark list` has all.

    If the scenario repeats the experiments of a document, a second page beside the report,
    comparison.html (with --to markdown, comparison.md), compares the document's findings with
    these. `busmark papers show --to FORM` writes that comparison alone, in any form.
    """
    written = _write(directory, names, out, plain=plain, overlaid=overlay)
    for files in written.values():
        for file in files:
            say_file(file)
    if open_it:
        if written.get("html"):
            open_page(written["html"][0])
        else:
            echo("not opened: no page was written; add html to --to", err=True)


def _write(
    directory: Path, names: str, out: Path | None, *, plain: bool, overlaid: str | None
) -> dict[str, list[Path]]:
    from busmark.compare.stored import StoredAnalysis
    from busmark.errors import UserError
    from busmark.present import formats
    from busmark.present.blocks.report import views
    from busmark.present.folder import report_folder, within
    from busmark.store import Result

    asked = formats.chosen(names)
    if plain:
        formats.must_draw(asked, "--no-findings", alone=False)
    if overlaid is not None:
        formats.must_draw(asked, "--overlay", alone=True)
    result = Result(directory)
    folder = report_folder(directory, out)
    try:
        campaign = StoredAnalysis(result, partial(echo, err=True)).campaign
        if overlaid is not None:
            campaign, folder = _overlaid(campaign, overlaid, directory), within(folder, "overlay")
        shown = views(result, campaign, folder, plain=plain)
        return formats.write(shown, asked, folder, Forms())
    except OSError as error:
        where = str(error.filename or folder)
        raise UserError(f"cannot be written ({error.strerror or error})", where=where) from None


def _overlaid(campaign: Campaign, wanted: str, directory: Path) -> Campaign:
    """Return the campaign with these cases alone, in one chart for each test."""
    from busmark.cli.show import chosen_cases
    from busmark.errors import UserError
    from busmark.present.charts.panels import MOST_CURVES, overlay

    words = [word.strip().removeprefix("#") for word in wanted.split(",")]
    chosen = [case for word in words if word for case in chosen_cases(campaign, word, directory)]
    if not 0 < len({*chosen}) <= MOST_CURVES:
        raise UserError(
            f"names {len({*chosen})} cases; a chart has one to {MOST_CURVES}",
            where="--overlay",
            remedy=f"Name fewer, such as --overlay '#000,#001'; `busmark show {directory}` has "
            "their numbers."
            if chosen
            else "Name some, such as --overlay '#000,#001'.",
        )
    return overlay(campaign, {*chosen})
