"""Options that several commands have: requirements, commands around rounds, `--open`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from busmark.cli.output import echo

REQUIRING = (
    click.option(
        "--require", "requirements", multiple=True, metavar="LIMIT",
        help="What every case must meet, such as 'p99.9(half_round_trip) <= 2ms', 'loss <= 0.1%' "
        "or 'goodput >= 50k where adapter=udp'. Can be repeated. Exit code 1 unless it is met.",
    ),
    click.option(
        "--undecided", type=click.Choice(["fail", "pass"]), default="fail",
        help="Exit code where the rounds cannot decide what --require asks: 1, the default, or 0.",
    ),
)  # fmt: skip


AROUND = (
    click.option(
        "--prepare", multiple=True, metavar="CMD",
        help="Run a command before every round; NODE:CMD on a node. A round whose command fails "
        "has failed. Can be repeated.",
    ),
    click.option(
        "--conclude", multiple=True, metavar="CMD",
        help="Run a command after every round, also after one that has failed.",
    ),
)  # fmt: skip


def around(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both options, as `prepare` and `conclude`."""
    for option in reversed(AROUND):
        command = option(command)
    return command


def requires(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both options, as `requirements` and `undecided`."""
    for option in reversed(REQUIRING):
        command = option(command)
    return command


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
