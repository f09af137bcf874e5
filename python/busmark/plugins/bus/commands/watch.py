"""`busmark watch`."""

from __future__ import annotations

from typing import Any

import click

from busmark.plugins.bus.commands.options import attached
from busmark.plugins.bus.live.conduct import show, shown


@click.command(epilog="Example: busmark watch --adapter cyclonedds")
@shown
@attached
def command(seconds: float | None, plain: bool, as_json: bool, **options: Any) -> None:
    """Watch the tests of participants on a bus: latency, throughput, loss.

    On a terminal a table with a line for each end of a test, and details of the chosen one; keys
    make, change and stop tests, and show what else is on the bus: `?` lists them. In a
    pipe, with --plain or --json: everything that participants report, a line each. If the
    middleware keeps samples for late joiners, the last messages come first.
    """

    def screen(watching: Any, bus: Any) -> Any:
        from busmark.plugins.bus.live.watch_app import WatchApp

        return WatchApp(watching, bus.words(), bus, seconds=seconds)

    show(options, lambda _: True, screen, seconds=seconds, plain=plain, as_json=as_json)
