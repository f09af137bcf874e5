"""`busmark bus record` and `busmark bus export`."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.options import TIME, Amount
from busmark.cli.output import say
from busmark.plugins.bus.commands.options import attached, attachment, print_line

if TYPE_CHECKING:
    from busmark.plugins.bus.recording import Listener, Writer


LOOKS_S = 0.2
LEAVES_S = 10.0
"""Time within which everything that was heard before the end is stored."""
WORDS = {
    "order": "orders",
    "answer": "answers",
    "joined": "joined",
    "left": "left",
    "live": "live reports",
    "result": "results",
    "trouble": "troubles",
    "other": "others",
}
NOT_STORED = {
    "foreign": "of somebody else's on the topics of the bus",
    "malformed": "that are no messages",
    "overflow": "that came faster than they could be stored",
}


@click.command(epilog="Example: busmark bus record session.jsonl --adapter cyclonedds")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--for",
    "seconds",
    metavar="TIME",
    type=TIME,
    help="Stop after this time; default: when interrupted.",
)
@click.option(
    "--most",
    "most_bytes",
    default="1GiB",
    show_default=True,
    metavar="SIZE",
    type=Amount("size", 1 << 20, 1 << 40, bare="MiB"),
    help="End with an error beyond this size.",
)
@attached
def record(file: Path, seconds: float | None, most_bytes: int, **options: Any) -> None:
    """Record everything that is said on a bus: orders, answers, live figures, results, troubles.

    Each message is a line of JSON with its time, in FILE before the next one is taken. The
    recording ends with Ctrl-C, SIGTERM, or after --for. `busmark bus replay` repeats it.
    """
    from busmark.plugins.bus.recording import Listener, Writer
    from busmark.plugins.bus.recording.writer import absent

    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: stopped.append(got))
    absent(file)
    bus = attachment(options)
    with Listener.on(bus) as listener, Writer(file, most_bytes) as writer:
        writer.begin(listener.header)
        print_line(
            f"recording what is said on {bus.adapter}, domain {bus.domain}, to {file}; "
            f"{f'for {seconds:g} s' if seconds else 'end it with Ctrl-C'}"
        )
        try:
            _record(listener, writer, stopped, seconds)
        finally:
            _say(writer, file)


def _record(listener: Listener, writer: Writer, stopped: list[int], seconds: float | None) -> None:
    """Store what is heard until the end, and the end itself."""
    from busmark.errors import UserError
    from busmark.plugins.bus.attachment import Ending

    began, ends, why = time.monotonic(), None, ""
    while True:
        now = time.monotonic()
        if ends is None and (stopped or (seconds and now - began >= seconds)):
            why = "interrupted" if stopped else f"after {seconds:g} s"
            listener.leave()
            ends = now + LEAVES_S
        line = listener.next(LOOKS_S)
        if isinstance(line, Ending):
            why = line.why or why or "the recorder's process on the bus has ended"
            writer.add(listener.stop(writer.stored, why))
            if line.why or ends is None:
                raise UserError(why)
            return
        if line is not None:
            writer.add(line)
        elif ends is not None and now > ends:
            writer.add(listener.stop(writer.stored, why))
            return


def _say(writer: Writer, file: Path) -> None:
    parts = [f"{count:,} {WORDS[what]}" for what in WORDS if (count := writer.counts[what])]
    text = f": {', '.join(parts)}" if parts else ""
    say(f"stored {writer.stored:,} messages in {file}{text}")
    for why, words in NOT_STORED.items():
        if lost := writer.lost[why]:
            say(f"not stored: {lost:,} samples {words}")
    if not writer.counts["answer"] and not writer.counts["joined"]:
        say(
            "nobody was on the bus: is a participant on the same adapter, transport and domain?",
            err=True,
        )


@click.command(name="export", epilog="Example: busmark bus export session.jsonl")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Default: the recording's name with .csv.",
)
def export(file: Path, out: Path | None) -> None:
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
