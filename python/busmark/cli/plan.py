"""`busmark plan`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from busmark.cli.output import echo, say
from busmark.cli.required import requires

HIGH_HZ = 1e6
"""Samples per second that middleware reaches on few machines."""


@click.command(epilog="Example: busmark plan scenarios/quickstart.toml")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--node", "nodes", multiple=True, metavar="NAME=PREFIX", help="As for `busmark run`.")
@click.option(
    "--only",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only cases whose name contains this word or matches this pattern, such as '*udp*1024B'.",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
@requires
@click.option("--json", "as_json", is_flag=True, help="Print the cases as JSON.")
def command(
    scenario: Path, nodes: tuple[str, ...], patterns: tuple[str, ...], settings: tuple[str, ...],
    requirements: tuple[str, ...], undecided: str, as_json: bool,
) -> None:  # fmt: skip
    """Show the cases of SCENARIO, which are unsupported and why, and the time it will take.

    SCENARIO is a file, - or the name of a shipped scenario, as for `busmark run`. Nodes are not
    contacted, so anything missing there is reported when the campaign begins.
    """
    from busmark.adapters import misnamed
    from busmark.analysis.words.text import duration, number, plural
    from busmark.control.begin import check_runnable, plan
    from busmark.control.capacity import searches
    from busmark.control.documents import check_directory
    from busmark.plan import ASSUMED, CHOSEN_S, expected_s, is_chosen
    from busmark.plan.captured import CAPTURE_S, of_captures
    from busmark.plan.names import alike
    from busmark.plan.required import check_required
    from busmark.scenario import load
    from busmark.scenario.load import only, required

    asked = [*settings, *only(patterns), *required(requirements, undecided)]
    loaded, _ = load(scenario, asked, list(nodes), misnamed)
    adapters, cases = plan(loaded)
    runs = [case for case in cases if case.status == "planned"]
    seconds = sum(expected_s(case) for case in runs if not searches(case)) * loaded.rounds.min
    searching = [case for case in runs if searches(case)]
    trials = loaded.capacity.max_trials
    searching_s = sum(map(expected_s, searching)) * trials
    captured = of_captures(loaded, adapters, runs)
    if captured:
        counted = len([case for case in runs if case.id in captured and not searches(case)])
        seconds += CAPTURE_S * counted * loaded.rounds.min
        searching_s += CAPTURE_S * (len(captured) - counted) * trials
    if as_json:
        document = {
            "scenario": loaded.name,
            "cases": [case.model_dump(mode="json") for case in cases],
            "rounds": {"min": loaded.rounds.min, "max": loaded.rounds.max},
            "expected_s": seconds,
            "assumed": ASSUMED,
            "captures": captured,
            "chosen_lengths": any(map(is_chosen, cases)),
            "searches": {
                "cases": len(searching), "max_trials": trials, "at_most_s": searching_s,
            } if searching else None,
        }  # fmt: skip
        echo(json.dumps(document, indent=2))
        check_runnable(cases)
        check_directory(loaded, cases)
        check_required(loaded, cases)
        return
    for case in cases:
        mark = "" if case.status == "planned" else f"  unsupported: {case.reason}"
        say(f"{case.id}{mark}")
    adds = (loaded.rounds.target or loaded.require) and loaded.rounds.max > loaded.rounds.min
    more = f" to {loaded.rounds.max}" if adds else ""
    told = [f"\n{plural(len(runs), 'case')} to run, {len(cases) - len(runs)} unsupported"]
    if len(searching) < len(runs):
        which = f"{plural(len(runs) - len(searching), 'case')} with " if searching else ""
        least = " at least" if more else ""
        rounds = f"{loaded.rounds.min}{more} rounds" if more else plural(loaded.rounds.min, "round")
        told.append(f"{which}{rounds} each, about {duration(seconds)}{least}")
    if searching:
        which = f"{len(searching)} searching a rate in " if len(searching) < len(runs) else ""
        told.append(f"{which}up to {trials} trials each, {duration(searching_s)} at most")
    say("; ".join(told))
    if runs:
        same = alike([case.params.stated() for case in runs])
        say(f"In every case: {', '.join(f'{name} {value}' for name, value in same.items())}")
    for beside, times in Counter(c.params.beside for c in runs if c.params.beside).items():
        of = "every case" if times == len(runs) else plural(times, "case")
        say(f"Beside {of}: {beside}")
    if captured:
        say(_captured(captured, loaded.rounds.min))
    if any(map(is_chosen, runs)):
        say(
            "The length of each round is chosen during the run, so that "
            f"±{loaded.rounds.target:.3g} of the figure is reached in the least time; "
            f"{CHOSEN_S:g} s is assumed."
        )
    for section in loaded.require:
        meant = section.requirement()
        where = ", ".join(f"{name} = {value}" for name, value in meant.where.items())
        say(f"Required: {meant.text}{f' where {where}' if where else ''}")
    for rate in sorted({case.params.rate_hz or 0.0 for case in runs}):
        if rate >= HIGH_HZ:
            say(
                f"{number(rate)}/s is a sample every {1e9 / rate:.3g} ns: rounds that do not reach "
                "their rate are marked and do not count (`criteria.min_rate`)."
            )
    check_runnable(cases)
    check_directory(loaded, cases)
    check_required(loaded, cases)
    say(ASSUMED)


def _captured(captures: dict[str, float], rounds: int) -> str:
    """That rounds are captured, and how large files will be."""
    from busmark.analysis.words.text import decimals, number, plural

    def megabytes(size: float) -> str:
        # An estimate has two digits at most.
        return number(size / 1e6, decimals(size / 1e6, 2)) + " MB"

    least, most = megabytes(min(captures.values())), megabytes(max(captures.values()))
    each = most if least == most else f"{least} to {most}"
    whole = megabytes(sum(captures.values()) * rounds)
    return (
        f"Rounds of {plural(len(captures), 'case')} are captured: roughly {each} for each round "
        f"and interface, {whole} for {plural(rounds, 'round')} of each."
    )
