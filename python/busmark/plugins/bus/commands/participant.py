"""`busmark bus participant`."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import Any

import click

from busmark.cli.output import echo
from busmark.plugins.bus.commands.options import NUMBER, attached, attachment


@click.command(epilog="Example: busmark bus participant --adapter cyclonedds --app 3 --group 1")
@click.option("--app", required=True, type=NUMBER,
              help="Number of this application, which nobody else on the bus has.")  # fmt: skip
@click.option("--group", type=NUMBER, help="Number of its group.")
@click.option("--cpu", metavar="N[,N]", help="CPUs to run on; default: any.")
@click.option("--fifo", type=click.IntRange(1, 99), metavar="PRIORITY",
              help="Run under SCHED_FIFO: the middleware's threads, and tests that name no "
              "priority of their own.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print its messages as lines of JSON.")
@attached
def command(
    app: int, group: int | None, cpu: str | None, fifo: int | None, as_json: bool, **options: Any
) -> None:  # fmt: skip
    """Join the middleware as a participant that is driven over its own topics.

    There is no controller: `busmark bus` starts tests on it, changes and stops them, from anywhere
    on the same domain. It takes part until it is interrupted.
    """
    from busmark.errors import UserError
    from busmark.plugins.bus.attachment import GOING_S, Ending, process
    from busmark.plugins.bus.words import line

    extra = ["--app", str(app)]
    extra += ["--group", str(group)] if group is not None else []
    extra += ["--cpu", cpu] if cpu else []
    extra += ["--fifo", str(fifo)] if fifo else []
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: stopped.append(got))
    ends: float | None = None
    with process("member", attachment(options), extra) as member:
        while True:
            message = member.next(0.2)
            if stopped and ends is None:
                member.ask_to_go()
                ends = time.monotonic() + GOING_S
            if ends is not None and time.monotonic() > ends:
                raise UserError("the participant does not end: it is killed")
            if isinstance(message, Ending):
                if message.why:
                    raise UserError(message.why)
                sys.exit(0)
            if message is None:
                continue
            text = json.dumps(message) if as_json else line(message)
            if text is not None:
                echo(text)
                sys.stdout.flush()
