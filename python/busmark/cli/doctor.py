"""`busmark doctor`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.cli.console import Console
    from busmark.findings.doctor import Fact
    from busmark.store import Finding

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
"""By severity, the worst first."""


@click.command(epilog="Example: busmark doctor --json")
@click.option("--json", "as_json", is_flag=True, help="Print facts and findings as JSON.")
def command(as_json: bool) -> None:
    """Check this machine for problems and suggest fixes.

    Exit code 1 if a finding is an error or a warning.
    """
    from busmark.adapters import available
    from busmark.cli.console import Console
    from busmark.findings import diagnose, facts, needed
    from busmark.host.profile import profile

    host = profile()
    found = available()
    missing = {a.name: a.reason for a in found if a.reason}
    findings = diagnose(host, {a.name: a.stored() for a in found}, missing)
    checked = [*needed(), *facts(host)]
    serious = any(finding.severity != "note" for finding in findings)
    if as_json:
        document = {
            "facts": [asdict(fact) for fact in checked],
            "findings": [finding.model_dump(mode="json") for finding in findings],
        }
        echo(json.dumps(document, indent=2))
        sys.exit(1 if serious else 0)
    _draw(checked, findings, Console())
    sys.exit(1 if serious else 0)


def _draw(checked: Sequence[Fact], findings: Sequence[Finding], console: Console) -> None:
    """What was checked, what is wrong with it, and what that means in a line."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    marks: dict[bool | None, Text | str] = {
        True: Text("ok", style="green"),
        False: Text("!", style="bold yellow"),
        None: "",
    }
    for fact in checked:
        table.add_row(marks[fact.ok], Text(fact.name), Text(fact.value), Text(fact.why))
    console.print(table, highlight=False)
    for finding in findings:
        style = STYLES[finding.severity]
        console.print(Text(f"\n{finding.severity}: {finding.title}", style=style))
        for label, body in (("cause", finding.cause), ("evidence", finding.evidence),
                            ("remedy", finding.remedy)):  # fmt: skip
            console.print(Padding(Text(f"{label}: {body}"), (0, 0, 0, 2), expand=False))
    worst = min((f.severity for f in findings), key=list(STYLES).index, default="note")
    console.print(Text(f"\n{conclusion(findings)}", style=STYLES[worst] if findings else "green"))


def conclusion(findings: Sequence[Finding]) -> str:
    """Whether this machine is fit to measure on."""
    from busmark.analysis.words.text import joined, plural

    counts = {kind: sum(f.severity == kind for f in findings) for kind in STYLES}
    told = joined([plural(n, kind) for kind, n in counts.items() if n]) or "Nothing found"
    if counts["error"]:
        return f"{told}: fix the errors before you measure; figures would be wrong."
    if counts["warning"]:
        return f"{told}: fix what you can, then measure; every report lists the rest."
    return f"{told}: go ahead and measure."
