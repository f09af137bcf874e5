"""`busmark spot`."""

from __future__ import annotations

from typing import Any

import click

from busmark.plugins.bus.commands.options import attached
from busmark.plugins.bus.live.conduct import show, shown


@click.command(epilog="Example: busmark spot --adapter cyclonedds")
@shown
@attached
def command(seconds: float | None, plain: bool, as_json: bool, **options: Any) -> None:
    """Watch who is on a bus: participants, their tests, who joins, leaves and is gone.

    Participants, writers and readers of foreign programs are shown where the adapter lists them.

    On a terminal a table; in a pipe, with --plain or --json: a line for each that joins, leaves or
    is gone, and for each test that begins or ends.
    """
    from busmark.plugins.bus.words import is_discovery

    def screen(watching: Any, bus: Any) -> Any:
        from busmark.plugins.bus.live.spot_app import SpotApp

        return SpotApp(watching, bus.words(), seconds=seconds)

    show(options, is_discovery, screen, seconds=seconds, plain=plain, as_json=as_json,
         to_the_ms=True, foreign=True)  # fmt: skip
