"""What the terminal shows of a campaign, a case or its findings."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from rich.console import Console

from busmark.present import figures
from busmark.present.blocks import campaign as of_campaign
from busmark.present.blocks import case as of_case
from busmark.present.blocks.cases import cases
from busmark.present.blocks.findings import all_findings
from busmark.present.document import Table
from busmark.present.sinks import terminal


def tables_of(campaign: Campaign) -> list[Table]:
    """The tables of cases."""
    return [table for section in cases(campaign) for table in section.tables]


def details(case: CaseSummary) -> dict[str, list[Table]]:
    """Tables of a case by the titles of their sections."""
    document = of_case.document(case, {})
    return {section.title: list(section.tables) for section in document.sections}


def rows(table: Table) -> list[list[str]]:
    """Texts of a table, as people read them."""
    columns = [map(str, figures.shown(column, table)) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def notes(table: Table) -> str:
    """What is said below a table."""
    return " ".join(map(str, table.notes))


def show(campaign: Campaign, console: Console) -> None:
    terminal.show(of_campaign.document(campaign), console)


def show_cases(shown: Sequence[CaseSummary], console: Console) -> None:
    for case in shown:
        terminal.show(of_case.document(case, {}), console)


def everything(campaign: Campaign, console: Console, only: Sequence[str] = ()) -> None:
    for section in all_findings(campaign, only):
        terminal.show_section(section, console)
