"""`busmark plan`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.documents import show
from busmark.cli.options import requires
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.plan.counts import SampleLoad
    from busmark.plan.extent import CountRange
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
    from busmark.control.hooks import capture_hook, check_plugins
    from busmark.control.precision import searches
    from busmark.model.text import number, plural
    from busmark.plan import CHOSEN_S, assumed, expected_s, is_chosen
    from busmark.plan.counts import load_of
    from busmark.plan.expand import in_common
    from busmark.plan.extent import time_of
    from busmark.plan.flows import adapters_of
    from busmark.plan.refusals import check_asked
    from busmark.scenario import load
    from busmark.scenario.load import only, required

    asked = [*settings, *only(patterns), *required(requirements, undecided)]
    loaded, _ = load(scenario, asked, list(nodes), misnamed)
    adapters, cases = plan(loaded)
    runs = [case for case in cases if case.status == "planned"]
    used = {name for case in runs for name in adapters_of(case.params)}
    searching = [case for case in runs if searches(case)]
    captures = capture_hook() if loaded.of_plugin("capture") else None
    captured = captures.of_captures(loaded, adapters, runs) if captures else {}

    def round_s(case: Case) -> float:
        further_s = captures.CAPTURE_S if captures and case.id in captured else 0.0
        return expected_s(case) + further_s

    seconds = time_of(loaded, runs, round_s)
    loads = {case.id: load_of(case.params) for case in runs}
    lacking = [error.line for error in missing(loaded, cases, adapters)]
    if as_json:
        document = {
            "scenario": loaded.name,
            "cases": [case.model_dump(mode="json") for case in cases],
            "rounds": {"min": loaded.rounds.min, "max": loaded.rounds.max},
            "expected_s": seconds.least,
            "longest_s": seconds.most,
            "assumed": f"Assumed: {assumed(used)}",
            "load": {name: of._asdict() for name, of in loads.items() if of},
            "captures": captured,
            "missing": lacking,
            "chosen_lengths": any(map(is_chosen, cases)),
            "searches": {"cases": len(searching), "max_trials": loaded.capacity.max_trials}
            if searching
            else None,
        }
        echo(json.dumps(document, indent=2))
        check_runnable(cases)
        check_plugins(loaded, cases)
        check_asked(loaded, cases)
        return
    rows = [*_extent(loaded, len(runs), seconds, len(searching))]
    if common := in_common(runs):
        rows.append(("In every case", common))
    for flows, times in Counter(filter(None, (c.params.background for c in runs))).items():
        of = "every case" if times == len(runs) else plural(times, "case")
        rows.append((f"Background of {of}", flows))
    if captured:
        rows += _captured(captured, loaded.rounds.min)
    if any(map(is_chosen, runs)):
        goal = f"chosen during the run, for ±{loaded.rounds.target:.3g} of the figure"
        rows.append(("Length of a round", f"{goal} in the least time; {CHOSEN_S:g} s is assumed"))
    required_of = dict.fromkeys(section.requirement().key for section in loaded.require)
    for limit, where in required_of:
        rows.append(("Required", f"{limit} where {where}" if where else limit))
    for rate in sorted({case.params.rate_hz or 0.0 for case in runs}):
        if rate >= HIGH_HZ:
            each = f"a sample every {1e9 / rate:.3g} ns; rounds that do not reach it do not count"
            rows.append((f"{number(rate)}/s", f"{each} (`criteria.min_rate`)"))
    rows.append(("Assumed", assumed(used)))
    rows += [("Missing here", text) for text in lacking]
    show(_document(loaded.name, cases, loads, rows))
    check_runnable(cases)
    check_plugins(loaded, cases)
    check_asked(loaded, cases)


def _document(
    name: str,
    cases: Sequence[Case],
    loads: Mapping[str, SampleLoad | None],
    facts: Sequence[tuple[str, str]],
) -> Document:
    """Return the cases that run, with what each writes in a second; those that are unsupported, by
    their reasons; then the facts of all."""
    from busmark.model.naming import by_reason, cases_text
    from busmark.present.document import Cell, Column, Document, Row, Section, Table

    def table(key: str, columns: list[Column]) -> Table:
        return Table(columns, [Row() for _ in columns[0].cells], key=key)

    runs = [case.id for case in cases if case.status == "planned"]
    columns = [Column("Case", [Cell(each) for each in runs], "label")]
    known = [loads[each] for each in runs]
    if any(known):
        columns += [
            Column(
                "Written", [Cell(one.written_per_s if one else None) for one in known], unit="1/s"
            ),
            Column(
                "Bodies", [Cell(one.mbit_per_s if one else None) for one in known], unit="Mbit/s"
            ),
            Column("Read", [Cell(one.read_per_s if one else None) for one in known], unit="1/s"),
        ]
    lacking = [case for case in cases if case.status != "planned"]
    blocks = [table("cases", columns)]
    if reasons := by_reason((case.id, case.reason or "") for case in lacking):
        unsupported = [
            Column("Unsupported", [Cell(cases_text(ids)) for ids in reasons.values()], "label"),
            Column("Reason", [Cell(reason) for reason in reasons]),
        ]
        blocks.append(table("unsupported", unsupported))
    summary = f"{len(runs)} to run, {len(lacking)} unsupported"
    about = [
        Column("Fact", [Cell(what) for what, _ in facts], "label"),
        Column("Value", [Cell(fact) for _, fact in facts]),
    ]
    whole = table("campaign", about)
    return Document(name, [], [Section("Cases", blocks, summary), Section("Campaign", [whole])])


def _extent(
    loaded: Scenario, runs: int, seconds: CountRange, searching: int
) -> Iterator[tuple[str, str]]:
    """Yield how many rounds or trials there are, and how long they take."""
    from busmark.plan.extent import range_text

    rounds = loaded.rounds
    if searching < runs:
        of = f"Rounds of {runs - searching} cases" if searching else "Rounds of each case"
        adds = (rounds.target or loaded.require) and rounds.max > rounds.min
        yield of, f"{rounds.min} to {rounds.max}" if adds else str(rounds.min)
    if searching:
        most = f"at most {loaded.capacity.max_trials} trials each"
        yield f"Searches of a rate in {searching} cases", most
    yield "Time", range_text(*seconds)


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
