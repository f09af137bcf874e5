"""`busmark bus watch`, `spot` and `errors`: a screen on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import click

from busmark.cli.live.start import on_a_screen, run
from busmark.cli.options import TIME
from busmark.cli.output import echo
from busmark.plugins.bus.commands.options import NUMBER, attached, attachment, print_message
from busmark.plugins.bus.words import Message, is_discovery, is_trouble

F = TypeVar("F", bound=Callable[..., Any])

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
    """Add the options that say how it is shown, and for how long."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


@click.command(epilog="Example: busmark bus watch --adapter cyclonedds")
@shown
@attached
def watch(**options: Any) -> None:
    """Watch the tests of participants on a bus: latency, throughput, loss.

    On a terminal a table with a line for each end of a test, and details of the chosen one; keys
    make, change and stop tests, and show what else is on the bus: `?` lists them. In a
    pipe, with --plain or --json: everything that participants report, a line each. If the
    middleware keeps samples for late joiners, the last messages come first.
    """
    _show("watch_app:WatchApp", options, lambda _: True)


@click.command(epilog="Example: busmark bus spot --adapter cyclonedds")
@shown
@attached
def spot(**options: Any) -> None:
    """Watch who is on a bus: participants, their tests, who joins, leaves and is gone.

    Participants, writers and readers of foreign programs are shown where the adapter lists them.

    On a terminal a table; in a pipe, with --plain or --json: a line for each that joins, leaves or
    is gone, and for each test that begins or ends.
    """
    _show("spot_app:SpotApp", options, is_discovery, to_the_ms=True, foreign=True)


@click.command(epilog="Example: busmark bus errors --adapter cyclonedds --app 3")
@click.option("--app", type=NUMBER, help="Only of this application.")
@shown
@attached
def errors(app: int | None, **options: Any) -> None:
    """Watch what goes wrong on a bus: troubles, refused orders, tests that failed.

    On a terminal a table, the latest first; in a pipe, with --plain or --json: a line each.
    """
    _show(
        "errors_app:ErrorsApp",
        options,
        lambda message: is_trouble(message) and app in (None, message.get("app")),
        app=app,
    )


def _show(
    screen: str,
    options: Message,
    wanted: Callable[[Message], bool],
    *,
    to_the_ms: bool = False,
    foreign: bool = False,
    **more: Any,
) -> None:
    """Watch the bus that the options name: on `screen`, a class of `bus.live`, made of a watcher,
    the bus, the time that it lasts and `more`; elsewhere the messages that are `wanted`, a line
    each. `to_the_ms`: the screen shows when messages came; `foreign`: foreign programs are looked
    for where the adapter lists them.

    Raises:
        UserError: the bus cannot be joined, or the process on it has ended.
    """
    from busmark.plugins.bus.attachment import GATHER_S, READING, Reading
    from busmark.plugins.bus.caller import Caller
    from busmark.plugins.bus.commands.found import lists
    from busmark.plugins.bus.seen.unread import sparing
    from busmark.plugins.bus.watching import Watching

    bus = attachment(options)
    seconds, as_json = options["seconds"], options["as_json"]
    if foreign and not (foreign := lists(bus)):
        echo(
            f"busmark: {bus.adapter} does not list foreign programs: only participants of Busmark "
            "are shown",
            err=True,
        )
    painted = on_a_screen(plain=options["plain"], as_json=as_json)
    reading = Reading(sparing, GATHER_S if to_the_ms else SCREEN_GATHER_S) if painted else READING
    with Caller.on(bus, live=True, stamped=True, reading=reading) as caller:
        watching = Watching(caller, foreign=foreign)
        if painted:
            module, _, name = screen.partition(":")
            made = getattr(import_module(f"busmark.plugins.bus.live.{module}"), name)
            run(made(watching, bus, seconds=seconds, **more))
            return
        until = None if seconds is None else time.monotonic() + seconds
        for message in watching.messages(until):
            if wanted(message):
                print_message(message, as_json)
