"""`busmark report`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog="Example: busmark report busmark-results/quickstart --out page.html")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File; default: report/report.html.")
def command(directory: Path, out: Path | None) -> None:
    """Write the HTML report of the results in DIRECTORY: one file, readable offline.

    Where the scenario repeats the experiments of a document, a second file beside it,
    comparison.html, says what was found there and what is found here.
    """
    from busmark.analysis import summarise
    from busmark.cli.campaign import told
    from busmark.errors import UserError
    from busmark.report.html import write_pages
    from busmark.store import Result

    result = Result(directory)
    page = out or directory / "report" / "report.html"
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        pages = write_pages(summarise(result), page)
    except OSError as error:
        raise UserError(f"cannot be written ({error.strerror})", where=str(page)) from None
    told(pages)
