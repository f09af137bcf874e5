"""`busmark errors`."""

from __future__ import annotations

from typing import Any

import click

from busmark.plugins.bus.commands.options import NUMBER, attached
from busmark.plugins.bus.live.conduct import show, shown


@click.command(epilog="Example: busmark errors --adapter cyclonedds --app 3")
@click.option("--app", type=NUMBER, help="Only of this application.")
@shown
@attached
def command(
    app: int | None, seconds: float | None, plain: bool, as_json: bool, **options: Any
) -> None:
    """Watch what goes wrong on a bus: troubles, refused orders, tests that failed.

    On a terminal a table, the latest first; in a pipe, with --plain or --json: a line each.
    """
    from busmark.plugins.bus.words import is_trouble

    def screen(watching: Any, bus: Any) -> Any:
        from busmark.plugins.bus.live.errors_app import ErrorsApp

        return ErrorsApp(watching, bus.words(), app=app, seconds=seconds)

    def wanted(message: dict[str, Any]) -> bool:
        return is_trouble(message) and app in (None, message.get("app"))

    show(options, wanted, screen, seconds=seconds, plain=plain, as_json=as_json)
