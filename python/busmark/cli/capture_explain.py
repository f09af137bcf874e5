"""`busmark capture explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.output import echo, say_file
from busmark.cli.places import Place, or_newest
from busmark.cli.wide import wide

if TYPE_CHECKING:
    from busmark.store import Case, Result


@click.command("explain", epilog="Example: busmark capture explain @last#000 --worst 3")
@click.argument("place", metavar="[DIRECTORY[#CASE]]", required=False, type=Place(),
                callback=or_newest)  # fmt: skip
@click.option("--case", "wanted", metavar="CASE", help="The case, or its number, such as 003.")
@click.option("--worst", default=10, show_default=True, metavar="N", type=click.IntRange(0, 1000),
              help="Samples that are shown with their packets, the lost first.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: explain).")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a page to this file.")  # fmt: skip
@wide
def explain_command(
    place: str, wanted: str | None, worst: int, as_json: bool, html: Path | None
) -> None:
    """Say why samples of a case were late or lost, by the packets of its captured rounds.

    DIRECTORY is a result with `capture = true`; without it, the newest. A case need not be named
    where only one was captured.

    Causes are counted over all late samples; the worst are shown each as a sequence of packets.

    Exit code 2 where no round of the case was captured.
    """
    from busmark.capture.late import of_case
    from busmark.cli.show import case_of
    from busmark.store import Result

    directory, own = case_of(str(place))
    result = Result(directory)
    case = _case(result, wanted or own or "")
    explained = of_case(result, case, worst, diagrams=True)
    if html is not None:
        from busmark.report.html.late import render
        from busmark.store.atomic import write_text

        write_text(html, render(explained))
        say_file(html, err=True)
    if as_json:
        echo(explained.model_dump_json(indent=2))
        return
    from busmark.cli.console import Console
    from busmark.report.late.terminal import show

    show(explained, Console())


def _case(result: Result, wanted: str) -> Case:
    """The captured case of this name or number; without one, the only one."""
    from busmark.capture.late import is_captured
    from busmark.errors import UserError

    captured = [
        case for case in result.manifest.cases
        if case.status == "planned" and is_captured(result, case)
    ]  # fmt: skip
    where = str(result.directory)
    if not captured:
        raise UserError("no round was captured", where=where,
                        remedy="Run the scenario with `capture = true`.")  # fmt: skip
    found = [each for each in captured if wanted in ("", each.id, each.id.partition("-")[0])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.id for each in captured[:5]) + (", …" if len(captured) > 5 else "")
    if wanted:
        raise UserError(f"no captured case is called {wanted!r}", where=where,
                        remedy=f"Captured are: {names}")  # fmt: skip
    raise UserError("several cases were captured", where=where,
                    remedy=f"Name one with --case: {names}")  # fmt: skip
