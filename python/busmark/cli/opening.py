"""`--open`: the page in the browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from busmark.cli.output import echo

SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
"""Variables without which there is no browser but one that would take over the terminal."""


def opens(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the option; its parameter is `open_it`."""
    option: Callable[[Any], Any] = click.option(
        "--open", "open_it", is_flag=True, help="Open the page in the browser at the end."
    )
    changed: Callable[..., None] = option(command)
    return changed


def open_page(page: Path) -> None:
    """Shows the page; where no browser is here, says so: the page is written all the same."""
    import webbrowser

    if not any(map(os.environ.get, SCREENS)):
        echo(f"not opened: no browser here ({', '.join(SCREENS)} are not set)", err=True)
        return
    address = page.absolute().as_uri()
    try:
        shown = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        shown = False
    if not shown:
        echo(f"not opened: no browser could be started; the page is {address}", err=True)
