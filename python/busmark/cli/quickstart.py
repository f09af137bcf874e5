"""`busmark quickstart`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from busmark.cli.options import opens, wide
from busmark.cli.output import echo
from busmark.cli.places import Target

SCENARIO = Path(__file__).resolve().parent.parent / "scenarios" / "quickstart.toml"


@click.command(epilog="Example: busmark quickstart --out @first")
@click.option("--out", type=Target(), help="Directory for the result, or @NAME.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
@wide
@opens
def command(out: Path | None, settings: tuple[str, ...], open_it: bool) -> None:
    """Measure the middleware of this machine, in a few minutes, and write a report.

    It measures Cyclone DDS, UDP, TCP and Unix-domain sockets: latency with participants on one CPU
    and on different CPUs, throughput on different CPUs, and the null adapter as the floor. Name
    other adapters in `busmark latency`, or in a scenario.
    """
    from busmark.adapters import libraries, misnamed
    from busmark.cli.conduct import Ending, conduct
    from busmark.scenario import load

    scenario, text = load(SCENARIO, list(settings), misnamed=misnamed)
    here = libraries()
    for matrix in [scenario.matrix, *scenario.also]:
        present = [name for name in matrix.adapter if name in here]
        for name in set(matrix.adapter) - set(present):
            echo(f"left out: {name} (not installed; `make build` builds it)", err=True)
        matrix.adapter = present or matrix.adapter
    sys.exit(conduct(scenario, text, out, go_on=False, ending=Ending(open_it=open_it)))
