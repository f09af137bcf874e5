"""`busmark plan`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.documents import show
from busmark.cli.options import requires
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.present.document import Document
    from busmark.scenario import Scenario
    from busmark.store import Case

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
    scenario: Path,
    nodes: tuple[str, ...],
    patterns: tuple[str, ...],
    settings: tuple[str, ...],
    requirements: tuple[str, ...],
    undecided: str,
    as_json: bool,
) -> None:
    """Show the cases of SCENARIO, which are unsupported and why, and the time it will take.

    SCENARIO is a file, - or the name of a shipped scenario, as for `busmark run`. Tools that this
    machine lacks for labs and captures are named, with the command that installs them. Nodes are
    not contacted, so anything missing there is reported when the campaign begins.
    """
    from busmark.adapters import misnamed
    from busmark.control.begin import check_runnable, missing, plan
    from busmark.control.hooks import check_plugins
    from busmark.control.precision import searches
    from busmark.model.text import number, plural
    from busmark.plan import CHOSEN_S, assumed, expected_s, is_chosen
    from busmark.plan.captured import CAPTURE_S, of_captures
    from busmark.plan.duration import check_required
    from busmark.plan.expand import alike
    from busmark.plan.flows import adapters_of
    from busmark.scenario import load
    from busmark.scenario.load import only, required

    asked = [*settings, *only(patterns), *required(requirements, undecided)]
    loaded, _ = load(scenario, asked, list(nodes), misnamed)
    adapters, cases = plan(loaded)
    runs = [case for case in cases if case.status == "planned"]
    seconds = sum(expected_s(case) for case in runs if not searches(case)) * loaded.rounds.min
    used = {name for case in runs for name in adapters_of(case.params)}
    searching = [case for case in runs if searches(case)]
    trials = loaded.capacity.max_trials
    searching_s = sum(map(expected_s, searching)) * trials
    captured = of_captures(loaded, adapters, runs)
    if captured:
        counted = len([case for case in runs if case.id in captured and not searches(case)])
        seconds += CAPTURE_S * counted * loaded.rounds.min
        searching_s += CAPTURE_S * (len(captured) - counted) * trials
    lacking = [error.line for error in missing(loaded, cases, adapters)]
    if as_json:
        document = {
            "scenario": loaded.name,
            "cases": [case.model_dump(mode="json") for case in cases],
            "rounds": {"min": loaded.rounds.min, "max": loaded.rounds.max},
            "expected_s": seconds,
            "assumed": f"Assumed: {assumed(used)}",
            "captures": captured,
            "missing": lacking,
            "chosen_lengths": any(map(is_chosen, cases)),
            "searches": {"cases": len(searching), "max_trials": trials, "at_most_s": searching_s}
            if searching
            else None,
        }
        echo(json.dumps(document, indent=2))
        check_runnable(cases)
        check_plugins(loaded, cases)
        check_required(loaded, cases)
        return
    rows = [*_extent(loaded, len(runs), seconds, len(searching), searching_s)]
    if same := alike([case.params.declared() for case in runs]) if runs else {}:
        rows.append(("In every case", ", ".join(f"{name} {value}" for name, value in same.items())))
    for flows, times in Counter(filter(None, (c.params.background for c in runs))).items():
        of = "every case" if times == len(runs) else plural(times, "case")
        rows.append((f"Background of {of}", flows))
    if captured:
        rows += _captured(captured, loaded.rounds.min)
    if any(map(is_chosen, runs)):
        goal = f"chosen during the run, for ±{loaded.rounds.target:.3g} of the figure"
        rows.append(("Length of a round", f"{goal} in the least time; {CHOSEN_S:g} s is assumed"))
    for section in loaded.require:
        meant = section.requirement()
        where = ", ".join(f"{name} = {value}" for name, value in meant.where.items())
        rows.append(("Required", f"{meant.text}{f' where {where}' if where else ''}"))
    for rate in sorted({case.params.rate_hz or 0.0 for case in runs}):
        if rate >= HIGH_HZ:
            each = f"a sample every {1e9 / rate:.3g} ns; rounds that do not reach it do not count"
            rows.append((f"{number(rate)}/s", f"{each} (`criteria.min_rate`)"))
    rows.append(("Assumed", assumed(used)))
    rows += [("Missing here", text) for text in lacking]
    show(_document(loaded.name, cases, rows))
    check_runnable(cases)
    check_plugins(loaded, cases)
    check_required(loaded, cases)


def _document(name: str, cases: Sequence[Case], facts: Sequence[tuple[str, str]]) -> Document:
    """Return the cases, with the reason where one is unsupported; then the facts of all."""
    from busmark.present.document import Cell, Column, Document, Row, Section, Table

    columns = [Column("Case", [Cell(case.id) for case in cases], "label")]
    unsupported = [case.reason if case.status != "planned" else "" for case in cases]
    if any(unsupported):
        columns.append(Column("Unsupported", [Cell(reason) for reason in unsupported]))
    lacking = sum(map(bool, unsupported))
    summary = f"{len(cases) - lacking} to run, {lacking} unsupported"
    table = Table(columns, [Row() for _ in cases], key="cases")
    about = [
        Column("Fact", [Cell(what) for what, _ in facts], "label"),
        Column("Value", [Cell(fact) for _, fact in facts]),
    ]
    whole = Table(about, [Row() for _ in facts], key="campaign")
    return Document(name, [], [Section("Cases", [table], summary), Section("Campaign", [whole])])


def _extent(
    loaded: Scenario, runs: int, seconds: float, searching: int, searching_s: float
) -> Iterator[tuple[str, str]]:
    """Yield how many rounds or trials there are, and how long they take."""
    from busmark.model.text import duration

    rounds = loaded.rounds
    if searching < runs:
        of = f"Rounds of {runs - searching} cases" if searching else "Rounds of each case"
        adds = (rounds.target or loaded.require) and rounds.max > rounds.min
        yield of, f"{rounds.min} to {rounds.max}" if adds else str(rounds.min)
        yield "Time", f"{'at least' if adds else 'about'} {duration(seconds)}"
    if searching:
        yield (
            f"Searches of a rate in {searching} cases",
            f"{loaded.capacity.max_trials} trials each",
        )
        yield "Time of the searches", f"at most {duration(searching_s)}"


def _captured(captures: dict[str, float], rounds: int) -> list[tuple[str, str]]:
    """Return how many rounds are captured, and how large files will be."""
    from busmark.model.text import decimals, number

    def megabytes(size: float) -> str:
        # An estimate has two digits at most.
        return number(size / 1e6, decimals(size / 1e6, 2)) + " MB"

    least, most = megabytes(min(captures.values())), megabytes(max(captures.values()))
    each = most if least == most else f"{least} to {most}"
    whole = megabytes(sum(captures.values()) * rounds)
    return [
        ("Cases with captures", str(len(captures))),
        ("Captures", f"roughly {each} for each round and interface, {whole} in all"),
    ]
