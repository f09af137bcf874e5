"""What the terminal shows of a campaign, a case or its findings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from busmark.analysis import Campaign, CaseSummary
from busmark.present.blocks import campaign as of_campaign
from busmark.present.blocks import case as of_case
from busmark.present.blocks.further import all_findings
from busmark.present.sinks import terminal


def show(campaign: Campaign, console: Console) -> None:
    terminal.show(of_campaign.document(campaign), console)


def show_cases(cases: Sequence[CaseSummary], console: Console) -> None:
    for case in cases:
        terminal.show(of_case.document(case, {}), console)


def everything(campaign: Campaign, console: Console, cases: Sequence[str] = ()) -> None:
    for section in all_findings(campaign, cases):
        terminal.show_section(section, console)
