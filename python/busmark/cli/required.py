"""`--require`: what commands that measure or show have in common."""

from __future__ import annotations

import click

requires = click.option(
    "--require", "requirements", multiple=True, metavar="LIMIT",
    help="What every case must meet, such as 'p99.9(half_round_trip) <= 2ms', 'loss <= 0.1%' or "
    "'goodput >= 50k where adapter=udp'. Can be repeated. Exit code 1 if missed or undecided.",
)  # fmt: skip
