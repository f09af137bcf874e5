"""`busmark doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click


@click.command(epilog="Example: busmark doctor --json")
@click.option("--json", "as_json", is_flag=True, help="Print facts and findings as JSON.")
def command(as_json: bool) -> None:
    """Say what is wrong with this machine for measuring, and how to put it right.

    Exit code 1 if a finding is an error or a warning.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from busmark.adapters import available
    from busmark.findings import diagnose, facts
    from busmark.host.profile import profile

    host = profile()
    found = available()
    missing = {a.name: a.reason for a in found if a.reason}
    findings = diagnose(host, {a.name: a.stored() for a in found}, missing)
    checked = facts(host)
    serious = any(finding.severity != "note" for finding in findings)
    if as_json:
        document = {
            "facts": [asdict(fact) for fact in checked],
            "findings": [finding.model_dump(mode="json") for finding in findings],
        }
        click.echo(json.dumps(document, indent=2))
        sys.exit(1 if serious else 0)
    console = Console()
    table = Table(box=None, pad_edge=False, show_header=False)
    marks = {True: "ok", False: "!", None: ""}
    for fact in checked:
        table.add_row(marks[fact.ok], fact.name, escape(fact.value), escape(fact.why))
    console.print(table)
    for finding in findings:
        console.print(f"\n[bold]{finding.severity}: {escape(finding.title)}[/bold]")
        for label, body in (("cause", finding.cause), ("evidence", finding.evidence),
                            ("remedy", finding.remedy)):  # fmt: skip
            console.print(f"  {label}: {body}", highlight=False, markup=False)
    sys.exit(1 if serious else 0)
