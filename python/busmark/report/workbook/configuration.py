"""What was asked for: the campaign, its parameters, its scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from busmark.analysis.across.dimensions import flatten, value_text
from busmark.analysis.model import Campaign
from busmark.analysis.words.text import ABSENT, joined, number, plural
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book, Sheet
from busmark.report.workbook.table import Column

Fact = tuple[str, str]

FACT_WIDTH = 100

MOST_VALUES = 40
"""Values of a parameter that are listed; size distributions may have thousands."""


def test_configuration(book: Book, campaign: Campaign) -> None:
    """What was run, when, by what command; the scenario file as it was."""
    sheet = book.sheet(
        "Test configuration", "Test configuration", "the campaign: question, times, command, "
        "scenario file",
    )  # fmt: skip
    statuses = Counter(case.status.replace("_", " ") for case in campaign.cases)
    counted = sum(case.rounds.ok for case in campaign.cases)
    facts: list[Fact] = [
        ("Campaign", campaign.name),
        ("Question", campaign.question or ABSENT),
        *_times(campaign),
        ("Busmark", campaign.busmark_version),
        ("Cases", ", ".join(f"{number} {status}" for status, number in statuses.items())),
        ("Rounds that count", f"{counted:,}"),
        ("Seed of order and intervals", str(campaign.seed)),
        ("Intervals", f"{campaign.confidence:.0%}".replace("%", " %")),
        *((f"Went on elsewhere, {r.utc}", f"from place {r.first_order} in the order of rounds")
          for r in campaign.resumptions),
    ]  # fmt: skip
    row = facts_at(sheet, FIRST_ROW, facts)
    sheet.text(row + 1, 0, "Scenario file", book.styles.heading)
    for offset, line in enumerate(campaign.scenario_text.splitlines()):
        sheet.text(row + 2 + offset, 0, line, book.styles.code)


def _times(campaign: Campaign) -> list[Fact]:
    """When, and by what command; of an imported result, whose it is."""
    if campaign.source is None:
        return [
            ("Begun (UTC)", campaign.created_utc),
            ("Finished (UTC)", campaign.finished_utc or "not finished"),
            ("Command that repeats it", campaign.command),
        ]
    return [
        ("Measured by", f"{joined(campaign.source.tools)}, not by Busmark"),
        ("Imported (UTC)", campaign.created_utc),
        ("Command of the import", campaign.command),
        *((f"File of {file.tool}", f"{file.name} (SHA-256 {file.sha256})")
          for file in campaign.source.files),
    ]  # fmt: skip


def facts_at(sheet: Sheet, row: int, facts: Sequence[Fact]) -> int:
    """Names and values, one below the other; gives the row after them."""
    styles = sheet.book.styles
    sheet.page.set_column(0, 0, 34)
    sheet.page.set_column(1, 1, FACT_WIDTH)
    for offset, fact in enumerate(facts):
        sheet.text(row + offset, 0, fact[0], styles.cell("text", colour="#404040"))
        sheet.text(row + offset, 1, fact[1], styles.cell("wrapped"))
        if tall := table.height([(fact[1], FACT_WIDTH)]):
            sheet.page.set_row(row + offset, tall)
    return row + len(facts)


def benchmark_configuration(book: Book, campaign: Campaign) -> None:
    """Parameters of the cases: those that vary, and those that are the same in all."""
    sheet = book.sheet(
        "Benchmark configuration", "Benchmark configuration",
        "parameters of the cases: what varies, what is the same in all, options of adapters",
        note="QoS, workload and effort as "
        + ("the source states them" if campaign.source else "given to the workers")
        + "; units are in names.",
    )  # fmt: skip
    flats = [flatten(case.params) for case in campaign.cases]
    names = dict.fromkeys(name for flat in flats for name in flat)
    rows: list[tuple[str, str, str]] = []
    for name in names:
        values = dict.fromkeys(value_text(name, flat.get(name)) for flat in flats)
        listed = ", ".join([*values][:MOST_VALUES])
        if len(values) > MOST_VALUES:
            listed += f" and {len(values) - MOST_VALUES} more"
        told = "the same in all cases" if len(values) == 1 else plural(len(values), "value")
        rows.append((name, told, listed))
    rows += [("criterion." + name, "the same in all cases", number(value))
             for name, value in campaign.criterion.items()
             if isinstance(value, int | float)]  # fmt: skip
    rows.sort(key=lambda row: row[1] == "the same in all cases")
    columns: list[Column[tuple[str, str, str]]] = [
        Column("Parameter", "text", lambda row: row[0], width=34, keep=True),
        Column("", "text", lambda row: row[1], width=22, keep=True),
        Column("Values", "wrapped", lambda row: row[2], width=80, keep=True),
    ]
    table.write(sheet, FIRST_ROW, columns, rows, frozen=1)
