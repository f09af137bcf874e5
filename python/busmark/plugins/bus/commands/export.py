"""`busmark bus export`."""

from __future__ import annotations

from pathlib import Path

import click

from busmark.cli.output import say


@click.command(name="export", epilog="Example: busmark bus export session.jsonl")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Default: the recording's name with .csv.")  # fmt: skip
def command(file: Path, out: Path | None) -> None:
    """Write the live reports and results of a recording as CSV, for a spreadsheet.

    One row per report: time, application, test, kind, and each figure with its unit in the
    column's name.
    """
    from busmark.errors import UserError
    from busmark.plugins.bus.recording import Reader
    from busmark.plugins.bus.recording.export import write

    reader = Reader(file)
    place = out or file.with_suffix(".csv")
    if place == file:
        raise UserError("is the recording itself", where=str(place), remedy="Name it with --out.")
    count = write(reader, place)
    say(f"{count:,} reports in {place}")
    if reader.cut:
        say("the recording has no end: the recorder was killed, or has not ended yet", err=True)
