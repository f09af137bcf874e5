"""`busmark compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from busmark.compare import Contrast


def _share(_: click.Context, parameter: click.Parameter, value: str) -> float:
    """ "2%" and "0.02" are the same."""
    try:
        number = float(value.strip().removesuffix("%")) / (100 if "%" in value else 1)
    except ValueError:
        number = -1.0
    if not 0.0 < number <= 1.0:
        raise click.BadParameter(f"{value!r} is no share such as 2%", param=parameter)
    return number


def _names(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


@click.command(
    epilog="Example: busmark compare before after --fail-if 'p99.latency > 1.05' --junit gate.xml"
)
@click.argument("sides", nargs=-1, required=True, metavar="BASELINE[#CASE] [DIR[#CASE]]...")
@click.option("--by", multiple=True, callback=_names, metavar="PARAMETER,...",
              help="What is compared: with one directory each value of it is a side; with "
              "several it need not be equal.")  # fmt: skip
@click.option("--baseline", metavar="PARAMETER=VALUE",
              help="With --by and one directory: the value that the others are held against; "
              "default: the first.")  # fmt: skip
@click.option("--equivalent", default="2%", callback=_share, metavar="SHARE",
              help="A ratio whose interval is within this share of 1 is no change; default: "
              "2%.")  # fmt: skip
@click.option("--fail-if", "expressions", multiple=True, metavar="EXPR",
              help="Exit with code 1 where this is shown for a case: FIGURE > NUMBER, or <. "
              "Can be repeated. FIGURE: median, mean, p90, p99, p99.9 or p99.99 with .latency or "
              ".round_trip; goodput.throughput; loss; discovery. NUMBER: a ratio, 1.05; of loss a "
              "difference, 0.1%.")  # fmt: skip
@click.option("--strict", is_flag=True,
              help="What cannot be told fails a criterion, too.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: comparison).")
@click.option("--markdown", type=click.Path(path_type=Path, dir_okay=False),
              help="Write Markdown to this file.")  # fmt: skip
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the criteria as JUnit XML to this file.")  # fmt: skip
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a page to this file.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Show all figures of all cases.")
@click.option("--force", is_flag=True,
              help="Compare cases of one name, whatever they differ in.")  # fmt: skip
def command(
    sides: tuple[str, ...], by: list[str], baseline: str | None, equivalent: float,
    expressions: tuple[str, ...], strict: bool, as_json: bool, markdown: Path | None,
    junit: Path | None, html: Path | None, every: bool, force: bool,
) -> None:  # fmt: skip
    """Compare results with a baseline: ratios with intervals, and a verdict for each case.

    The first directory is the baseline. Cases are matched on all their parameters; DIR#CASE takes
    one of them. Verdicts are faster, slower, equivalent, or cannot tell.

    Exit code 1 if a criterion is not met, 2 if the results are not the same experiment.
    """
    from busmark.compare import Criterion, contrast, select
    from busmark.errors import UserError

    criteria = [Criterion.parse(expression) for expression in expressions]
    if junit and not criteria:
        raise UserError(
            "there is no criterion to write", where="--junit", remedy="Add --fail-if EXPR."
        )
    for path in (markdown, junit, html):
        _must_be_writable(path)
    found = contrast(
        select(sides, by, baseline), by=by, equivalent=equivalent, criteria=criteria,
        strict=strict, force=force,
    )  # fmt: skip
    _write(found, markdown, junit, html, every=every)
    if as_json:
        click.echo(json.dumps(found.model_dump(mode="json"), indent=2))
    else:
        from rich.console import Console

        from busmark.report.contrast.terminal import show

        show(found, Console(), every=every)
    sys.exit(1 if found.failed else 0)


def _must_be_writable(path: Path | None) -> None:
    """Before anything is read: a wrong name is found at once."""
    import os

    from busmark.errors import UserError

    if path is not None and not os.access(path.parent, os.W_OK):
        why = "is not there" if not path.parent.exists() else "cannot be written to"
        raise UserError(f"this folder {why}", where=str(path.parent))


def _write(
    found: Contrast, markdown: Path | None, junit: Path | None, html: Path | None, *, every: bool
) -> None:
    from busmark.report.contrast import junit as as_junit
    from busmark.report.contrast import markdown as as_markdown
    from busmark.report.html import contrast as as_html
    from busmark.store.atomic import write_text

    # All are made before the first is written.
    texts = [
        (markdown, as_markdown.markdown(found, every=every) if markdown else ""),
        (junit, as_junit.junit(found) if junit else ""),
        (html, as_html.render(found) if html else ""),
    ]
    for path, text in texts:
        if path:
            write_text(path, text)
