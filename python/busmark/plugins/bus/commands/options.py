"""Options that say which bus is meant, and which applications on it; and how messages of it are
printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from busmark.cli.options import ADAPTER, POLICY, TIME, Amount
from busmark.cli.output import echo
from busmark.plugins.bus.words import line

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment

F = TypeVar("F", bound=Callable[..., Any])

LAST_NUMBER = 1000
"""Highest number of applications and groups."""

NUMBER = click.IntRange(0, LAST_NUMBER)
TEST = click.IntRange(0, 65535)

ATTACHMENT = (
    click.option("--adapter", required=True, metavar="NAME", type=ADAPTER,
                 help="Adapter of the middleware; a path of a library, too."),
    click.option("--transport", default="", metavar="NAME", help="Default: the adapter's first."),
    click.option("--domain", default=0, show_default=True, type=click.IntRange(0, 230)),
    click.option("--interface", metavar="NAME",
                 help="Network interface of all traffic; default: the one with --address, or lo."),
    click.option("--address", metavar="IP",
                 help="Address of that interface; by default its first one."),
    click.option("--profile", default="default", show_default=True,
                 type=click.Choice(["default", "tuned"]), help="Profile of the adapter."),
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
                 help="An adapter option; may be repeated."),
)  # fmt: skip

ENDS = click.IntRange(1, 8)

DEFINITION = (
    click.option("--test", required=True, type=TEST, help="Its number, which both ends have."),
    click.option("--from", "sources", default="", metavar="APP[,APP]",
                 help="Applications that answer a transceiver, or whose streams a receiver "
                 "counts."),
    click.option("--from-each", default=1, show_default=True, type=ENDS,
                 help="Ends that each of these has in the test."),
    click.option("--count", default=1, show_default=True, type=ENDS,
                 help="Ends of this kind that the application has: writers, or readers."),
    click.option("--readers", default=1, show_default=True, type=click.IntRange(0, 10_000),
                 help="Receivers that a transmitter waits for."),
    click.option("--size", default="64", show_default=True, type=Amount("size"),
                 metavar="SIZE", help="Size of the body."),
    click.option("--payload", default="octet", show_default=True, metavar="KIND",
                 help="Kind of the body's elements."),
    click.option("--rate", "rate_hz", default=0.0, metavar="RATE", type=Amount("rate"),
                 help="Samples per second; 0, the default: as fast as it goes."),
    click.option("--warmup", "warmup_s", default=0.0, metavar="TIME", type=Amount("time", 0),
                 help="Time before the measurement, discarded."),
    click.option("--duration", "duration_s", default="1m", show_default=True, metavar="TIME",
                 type=TIME, help="For a transceiver or transmitter."),
    click.option("--timeout", "timeout_s", default="10s", show_default=True, metavar="TIME",
                 type=Amount("time", 0), help="How long it waits for the other end."),
    click.option("--every", "every_s", default="1s", show_default=True, metavar="TIME",
                 type=Amount("time", 0), help="Time between live figures; 0: none."),
    click.option("--qos", default="", metavar="POLICIES", type=POLICY,
                 help="Such as reliable,keep_last:8,deadline_s:0.1."),
    click.option("--wait", metavar="HOW", type=click.Choice(["listener", "waitset", "poll"]),
                 help="How readers wait; default: as the adapter prefers."),
    click.option("--fifo", type=click.IntRange(1, 99), metavar="PRIORITY",
                 help="Run its threads under SCHED_FIFO."),
)  # fmt: skip

ADDRESS = (
    click.option("--app", type=NUMBER, help="One application."),
    click.option("--group", type=NUMBER, help="Every application of a group."),
    click.option("--all", "everybody", is_flag=True, help="Every application on the bus."),
)


def attached(function: F) -> F:
    """Add the options by which a process attaches to the bus."""
    return _with(function, ATTACHMENT)


def defined(function: F) -> F:
    """Add the options that define a test."""
    return _with(function, DEFINITION)


def addressed(function: F) -> F:
    """Add the options that say who is meant."""
    return _with(function, ADDRESS)


def _with(function: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def attachment(options: dict[str, Any]) -> Attachment:
    """Return the bus that these options name, and take its options out of them."""
    from busmark.plugins.bus.attachment import Attachment, completed

    names = ("adapter", "transport", "domain", "profile", "settings")
    interface, address = completed(options.pop("interface"), options.pop("address"))
    own = {name: options.pop(name) for name in names}
    return Attachment(interface=interface, address=address, **own)


def print_message(message: dict[str, Any], as_json: bool, *, err: bool = False) -> None:
    """Print a message as JSON, or in words where it says something to a reader."""
    text = json.dumps(message) if as_json else line(message)
    if text is not None:
        print_line(text, err=err and not as_json)


def print_line(text: str, *, err: bool = False) -> None:
    """Print a line at once, also into a pipe."""
    echo(text, err=err)
    sys.stdout.flush()


def address(app: int | None, group: int | None, everybody: bool, *, by_default: Any = None) -> Any:
    """Return the addressees of an order in the form of its message."""
    named = [
        *([{"app": app}] if app is not None else []),
        *([{"group": group}] if group is not None else []),
        *(["all"] if everybody else []),
    ]
    if not named and by_default is not None:
        return by_default
    if len(named) != 1:
        raise click.UsageError("say who is meant: one of --app N, --group N and --all")
    return named[0]
