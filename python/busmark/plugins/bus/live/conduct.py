"""How a watching command is shown: a screen on a terminal, lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from busmark.cli.live.start import on_a_screen, run
from busmark.cli.options import TIME
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.watching import Watching

F = TypeVar("F", bound=Callable[..., Any])
Message = dict[str, Any]

SCREEN_GATHER_S = 0.1
"""Messages that follow each other closely are read together after this time: a fifth of that
between two paintings."""

OPTIONS = (
    click.option("--for", "seconds", metavar="TIME", type=TIME,
                 help="Stop after this time; default: when interrupted."),
    click.option("--plain", is_flag=True, help="Print lines, also on a terminal."),
    click.option("--json", "as_json", is_flag=True, help="Print messages as lines of JSON."),
)  # fmt: skip


def shown(function: F) -> F:
    """Adds the options that say how it is shown, and for how long."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def show(
    options: Message, wanted: Callable[[Message], bool],
    screen: Callable[[Watching, Attachment], Any], *,
    seconds: float | None, plain: bool, as_json: bool, to_the_ms: bool = False,
    foreign: bool = False,
) -> None:  # fmt: skip
    """Watches the bus that these options name: on `screen`, made of what watches and the bus;
    elsewhere the messages that are `wanted`, a line each. `to_the_ms`: the screen shows when
    messages came; `foreign`: foreign programs are looked for where the adapter lists them.

    Raises:
        UserError: the bus cannot be joined, or the process on it has ended.
    """
    from busmark.plugins.bus.attachment import GATHER_S, READING, Reading
    from busmark.plugins.bus.caller import Caller
    from busmark.plugins.bus.commands.found import lists
    from busmark.plugins.bus.commands.options import attachment
    from busmark.plugins.bus.seen.unread import sparing
    from busmark.plugins.bus.watching import Watching

    bus = attachment(options)
    if foreign and not (foreign := lists(bus)):
        echo(f"busmark: {bus.adapter} does not list foreign programs: only participants of Busmark "
             "are shown", err=True)  # fmt: skip
    painted = on_a_screen(plain=plain, as_json=as_json)
    reading = Reading(sparing, GATHER_S if to_the_ms else SCREEN_GATHER_S) if painted else READING
    with Caller.on(bus, live=True, stamped=True, reading=reading) as caller:
        watching = Watching(caller, foreign=foreign)
        if painted:
            run(screen(watching, bus))
            return
        until = None if seconds is None else time.monotonic() + seconds
        for message in watching.messages(until):
            if wanted(message):
                _print(message, as_json)


def _print(message: Message, as_json: bool) -> None:
    from busmark.plugins.bus.words import line

    text = json.dumps(message) if as_json else line(message)
    if text is not None:
        echo(text)
        sys.stdout.flush()
