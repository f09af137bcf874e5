"""`busmark plan`."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(epilog="Example: busmark plan scenarios/quickstart.toml")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--node", "nodes", multiple=True, metavar="NAME=PREFIX", help="As of `busmark run`.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
@click.option("--json", "as_json", is_flag=True, help="Print the cases as JSON.")
def command(
    scenario: Path, nodes: tuple[str, ...], settings: tuple[str, ...], as_json: bool
) -> None:
    """Show the cases of SCENARIO, what is unsupported and why, and the time it will take.

    SCENARIO is a file, or the name of a scenario that ships, as for `busmark run`. Nodes are not
    reached: what they lack is seen when the campaign begins.
    """
    from busmark.analysis.text import duration
    from busmark.control.begin import plan
    from busmark.plan import expected_s
    from busmark.scenario import load

    loaded, _ = load(scenario, list(settings), list(nodes))
    _, cases = plan(loaded)
    runs = [case for case in cases if case.status == "planned"]
    seconds = sum(expected_s(case) for case in runs) * loaded.rounds.min
    if as_json:
        document = {
            "scenario": loaded.name,
            "cases": [case.model_dump(mode="json") for case in cases],
            "rounds": {"min": loaded.rounds.min, "max": loaded.rounds.max},
            "expected_s": seconds,
        }
        click.echo(json.dumps(document, indent=2))
        return
    for case in cases:
        mark = "" if case.status == "planned" else f"  unsupported: {case.reason}"
        click.echo(f"{case.id}{mark}")
    adds = loaded.rounds.target and loaded.rounds.max > loaded.rounds.min
    more = f" to {loaded.rounds.max}" if adds else ""
    click.echo(
        f"\n{len(runs)} cases to run, {len(cases) - len(runs)} unsupported; "
        f"{loaded.rounds.min}{more} rounds each, about {duration(seconds)}"
        + (" at least" if more else "")
    )
