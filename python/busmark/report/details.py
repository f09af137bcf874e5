"""Single cases in the terminal, with everything that the page tells when their entry is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from busmark.analysis.model import CaseSummary
from busmark.findings.kinds import Flags
from busmark.report.html.details import case_details, summary
from busmark.report.html.details import heading as title
from busmark.report.terminal import heading, item, print_block
from busmark.report.terminal_findings import on_case


def show_cases(
    cases: Sequence[CaseSummary], console: Console, found: Mapping[str, Flags] | None = None
) -> None:
    """Print them, with what was `found`; plain text where the console is not a terminal."""
    for case in cases:
        details = case_details(case)
        console.print(Text(title(case), style="bold"))
        item(console, f"{case.id}: {summary(case)}", lead="")
        if case.reason:
            item(console, case.reason)
        told = "; ".join(f"{name} {value}" for name, value in details.params)
        item(console, f"Parameters: {told}.", lead="", style="dim")
        on_case(case.id, found or {}, console)
        for block in details.blocks:
            heading(console, block.title)
            print_block(block, console)
        console.print()
