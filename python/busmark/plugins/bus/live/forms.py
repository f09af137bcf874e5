"""Forms whose fields are options of commands: what is filled in is read as the command reads it,
so that a key does what the command does, and is refused in its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from busmark.cli.live.dialogs import FormField
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.commands import bus
from busmark.plugins.bus.commands import samples as bus_samples
from busmark.plugins.bus.commands.orders import Order, set_order, start_order, stop_order
from busmark.plugins.bus.words import KINDS

PAUSES = ("unchanged", "pause", "resume")
NO_YES = ("no", "yes")
UNSAID = "default"
"""A choice by which nothing is said."""


@dataclass(frozen=True)
class ChosenTest:
    """A test of one of our participants."""

    app: int
    number: int
    kind: str | None
    rate_hz: float | None = None
    """Rate as it is ordered; None: not known, or as fast as possible."""

    def words(self) -> str:
        """Return the test in words, such as `transceiver 7 of app 3`."""
        return f"{self.kind or 'test'} {self.number} of app {self.app}"

    def arguments(self) -> list[str]:
        """Return the options by which commands know it."""
        kind = [f"--kind={self.kind}"] if self.kind else []
        return [f"--app={self.app}", f"--test={self.number}", *kind]


def change_fields(test: ChosenTest) -> list[FormField]:
    """Return the options of `busmark bus set` as fields."""
    rate = f"now {test.rate_hz:g}" if test.rate_hz else "unchanged"
    return [
        _field(bus.set_, "rate_hz", example=rate),
        FormField("paused", "pause", "Stop sending; continue.", choices=PAUSES),
        _field(bus.set_, "qos", example="unchanged"),
    ]


TYPED = {
    "group": "instead of an application",
    "test": "",
    "sources": "such as 4,5",
    "rate_hz": "",
    "size": "",
    "duration_s": "",
    "qos": "such as reliable,keep_last:8",
    "count": "",
    "readers": "",
    "from_each": "",
    "payload": "",
    "warmup_s": "",
    "timeout_s": "",
    "every_s": "",
}
"""Options of `busmark bus start` in the order of the form, with examples; empty: the default."""


def start_fields(app: int | None) -> list[FormField]:
    """Return the options of `busmark bus start` as fields, for this application."""
    kinds = (
        "What the application does: measure round trips, answer them, send a stream, receive it."
    )
    wait = _option(bus.start, "wait")
    assert isinstance(wait.type, click.Choice)
    return [
        FormField("kind", "kind", kinds, choices=KINDS),
        _field(bus.start, "app", value="" if app is None else str(app)),
        *(_field(bus.start, name, example=example) for name, example in TYPED.items()),
        FormField("wait", "wait", wait.help or "", choices=(UNSAID, *wait.type.choices)),
        _field(bus.start, "fifo", example="none"),
        FormField("everybody", "all", _option(bus.start, "everybody").help or "", choices=NO_YES),
    ]


def change(at: Attachment, test: ChosenTest, values: Mapping[str, str]) -> Order:
    """Return what the form orders.

    Raises:
        click.UsageError: no such order can be given.
    """
    pause = [f"--{values['paused']}"] if values["paused"] != PAUSES[0] else []
    options = _options(bus.set_, values, "rate_hz", "qos")
    return set_order(**_read(bus.set_, at, [*test.arguments(), *options, *pause]))


def start(at: Attachment, values: Mapping[str, str]) -> Order:
    """Return what the form orders.

    Raises:
        click.UsageError: no such order can be given.
    """
    values = {**values, "wait": values["wait"].replace(UNSAID, "")}
    names = [name for name in values if name not in ("kind", "everybody")]
    everybody = ["--all"] if values["everybody"] == NO_YES[1] else []
    arguments = [values["kind"], *_options(bus.start, values, *names), *everybody]
    found = _read(bus.start, at, arguments)
    del found["follow"]
    return start_order(**found, bus=at)


def stop(at: Attachment, test: ChosenTest) -> Order:
    """Return an order to end this test."""
    return stop_order(**_read(bus.stop, at, test.arguments()))


def inject(at: Attachment, topic: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Return what is injected: topic, size, count, wait_s.

    Raises:
        click.UsageError: it cannot be.
    """
    arguments = [*_options(bus_samples.inject, values, *values), "--", topic]
    found = _read(bus_samples.inject, at, arguments)
    # Only topics of Busmark's types are injected into here, and those have no members.
    del found["members"], found["file"]
    if found["size"] is None:
        found["size"] = bus_samples.BODY_BYTES
    return found


def _option(command: click.Command, name: str) -> click.Option:
    found = next(each for each in command.params if each.name == name)
    assert isinstance(found, click.Option)
    return found


def _flag(option: click.Option) -> str:
    return option.opts[0].removeprefix("--")


def _field(command: click.Command, name: str, *, value: str = "", example: str = "") -> FormField:
    option = _option(command, name)
    if not example and isinstance(option.default, int | float | str):
        example = (
            f"{option.default:g}" if isinstance(option.default, float) else str(option.default)
        )
    return FormField(name, _flag(option), option.help or "", value, example)


def _options(command: click.Command, values: Mapping[str, str], *names: str) -> list[str]:
    """Return those that are filled in, as they are typed."""
    return [f"--{_flag(_option(command, name))}={values[name]}" for name in names if values[name]]


def _read(command: click.Command, at: Attachment, arguments: Sequence[str]) -> dict[str, Any]:
    """Return what the command reads in these arguments, without how it attaches and prints."""
    from busmark.cli.main import SETTINGS
    from busmark.plugins.bus.commands.options import attachment

    words = [f"--adapter={at.adapter}", *arguments]
    with command.make_context(command.name, words, **SETTINGS) as context:
        found = dict(context.params)
    attachment(found)
    del found["as_json"]
    return found


INJECT_FIELDS = [
    _field(bus_samples.inject, name, value=value)
    for name, value in (("size", str(bus_samples.BODY_BYTES)), ("count", "1"))
]
"""Options of `busmark bus inject`."""
