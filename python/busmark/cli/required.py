"""Options that commands which measure or show have in common: `--require` and `--undecided`;
`--prepare` and `--conclude`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

OPTIONS = (
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
    for option in reversed(OPTIONS):
        command = option(command)
    return command
