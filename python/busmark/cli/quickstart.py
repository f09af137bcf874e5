"""`busmark quickstart`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

SCENARIO = Path(__file__).resolve().parent.parent / "scenarios" / "quickstart.toml"


@click.command(epilog="Example: busmark quickstart --out first")
@click.option("--out", type=click.Path(path_type=Path), help="Directory for the result.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
def command(out: Path | None, settings: tuple[str, ...]) -> None:
    """Measure the middleware of this machine, in a few minutes, and write a report.

    Latency and throughput of every adapter here that needs no server, with participants on one CPU
    and on different ones, and the null adapter as the floor.
    """
    from busmark.adapters import libraries
    from busmark.cli.campaign import conduct
    from busmark.scenario import load

    scenario, text = load(SCENARIO, list(settings))
    here = libraries()
    for matrix in [scenario.matrix, *scenario.also]:
        present = [name for name in matrix.adapter if name in here]
        for name in set(matrix.adapter) - set(present):
            click.echo(f"left out: {name} (not installed; `make build` builds it)", err=True)
        matrix.adapter = present or matrix.adapter
    sys.exit(conduct(scenario, text, out, go_on=False))
