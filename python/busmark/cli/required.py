"""`--require` and `--undecided`: what commands that measure or show have in common."""

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


def requires(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both options, as `requirements` and `undecided`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
