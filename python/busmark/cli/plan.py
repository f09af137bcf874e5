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
    from busmark.analysis.text import duration, plural
    from busmark.control.begin import plan
    from busmark.control.capacity import searches
    from busmark.plan import expected_s
    from busmark.scenario import load

    loaded, _ = load(scenario, list(settings), list(nodes))
    _, cases = plan(loaded)
    runs = [case for case in cases if case.status == "planned"]
    seconds = sum(expected_s(case) for case in runs if not searches(case)) * loaded.rounds.min
    searching = [case for case in runs if searches(case)]
    trials = loaded.capacity.max_trials
    searching_s = sum(map(expected_s, searching)) * trials
    if as_json:
        document = {
            "scenario": loaded.name,
            "cases": [case.model_dump(mode="json") for case in cases],
            "rounds": {"min": loaded.rounds.min, "max": loaded.rounds.max},
            "expected_s": seconds,
            "searches": {
                "cases": len(searching), "max_trials": trials, "at_most_s": searching_s,
            } if searching else None,
        }  # fmt: skip
        click.echo(json.dumps(document, indent=2))
        return
    for case in cases:
        mark = "" if case.status == "planned" else f"  unsupported: {case.reason}"
        click.echo(f"{case.id}{mark}")
    adds = loaded.rounds.target and loaded.rounds.max > loaded.rounds.min
    more = f" to {loaded.rounds.max}" if adds else ""
    told = [f"\n{plural(len(runs), 'case')} to run, {len(cases) - len(runs)} unsupported"]
    if len(searching) < len(runs):
        which = f"{plural(len(runs) - len(searching), 'case')} with " if searching else ""
        least = " at least" if more else ""
        told.append(
            f"{which}{loaded.rounds.min}{more} rounds each, about {duration(seconds)}{least}"
        )
    if searching:
        which = f"{len(searching)} searching a rate in " if len(searching) < len(runs) else ""
        told.append(f"{which}up to {trials} trials each, {duration(searching_s)} at most")
    click.echo("; ".join(told))
