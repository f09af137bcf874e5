"""What was run and on what: the campaign, parameters of its cases, machines, software, scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from busmark.compare.campaign import Campaign
from busmark.model.entry import SEARCHES
from busmark.model.naming import flatten, value_text
from busmark.model.text import ABSENT, joined, percent_text
from busmark.present.blocks.environment import machines, software
from busmark.present.blocks.rows import Value, table
from busmark.present.document import Section

MOST_VALUES = 40
"""Values of a parameter that are listed; distributions of sizes may have thousands."""


def configuration(campaign: Campaign) -> Iterator[Section]:
    """Return the configuration of the test and of the benchmark, machines, software, scenario."""
    yield _section(
        "Test configuration",
        "The campaign: when, by which command",
        ("", "Value"),
        list(_campaign(campaign)),
    )
    if parameters := _parameters(campaign):
        yield _section(
            "Benchmark configuration",
            "Parameters of the cases that were run",
            ("Parameter", "Different values", "Values"),
            parameters,
        )
    if campaign.hosts:
        yield machines(campaign)
    if any(case.rounds.ok and case.adapter in campaign.adapters for case in campaign.cases):
        yield software(campaign, measured=True)
    if campaign.scenario_text:
        lines = [(line,) for line in campaign.scenario_text.splitlines()]
        yield _section("Scenario", "The scenario file", ("Line",), lines)


def _section(
    title: str, meaning: str, heads: Sequence[str], rows: Sequence[Sequence[Value]]
) -> Section:
    key = title.lower().replace(" ", "-")
    return Section(title, [table(heads, rows, key=key)], summary=meaning, detail=True, key=key)


def _campaign(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield names and values; of an imported result, whose it is."""
    yield "Campaign", campaign.name
    yield "Question", campaign.question or ABSENT
    if campaign.source is None:
        yield "Begun (UTC)", campaign.created_utc
        yield "Finished (UTC)", campaign.finished_utc or "not finished"
    else:
        yield "Measured by", joined(campaign.source.tools)
        yield "Imported (UTC)", campaign.created_utc
        for file in campaign.source.files:
            yield f"File of {file.tool}", f"{file.name} (SHA-256 {file.sha256})"
    yield "Command", campaign.command
    yield "Busmark", campaign.busmark_version
    for status, number in Counter(case.status for case in campaign.cases).items():
        yield f"Cases: {status.replace('_', ' ')}", str(number)
    yield "Rounds that count", str(sum(case.rounds.ok for case in campaign.cases))
    yield "Seed of order and intervals", str(campaign.seed)
    yield "Intervals", percent_text(campaign.confidence)
    for again in campaign.resumptions:
        yield f"Resumed on another machine, {again.utc}", f"from round {again.first_order} on"
    if any(case.test in SEARCHES for case in campaign.cases):
        for name, value in campaign.criterion.items():
            yield f"Criterion: {name.replace('_', ' ')}", str(value)


def _parameters(campaign: Campaign) -> list[tuple[str, int, str]]:
    """List parameters of cases that were run: those that vary first, none without any value."""
    flats = [flatten(case.params) for case in campaign.cases if case.attempts]
    rows = []
    for name in dict.fromkeys(name for flat in flats for name in flat):
        values = list(dict.fromkeys(value_text(name, flat.get(name)) for flat in flats))
        if values == [ABSENT]:
            continue
        more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
        rows.append((name, len(values), ", ".join(values[:MOST_VALUES]) + more))
    return sorted(rows, key=lambda row: row[1] == 1)
