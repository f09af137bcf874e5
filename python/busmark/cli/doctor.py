"""`busmark doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import wide
from busmark.cli.output import echo


@click.command(epilog="Example: busmark doctor --json")
@click.option("--json", "as_json", is_flag=True, help="Print facts and findings as JSON.")
@written("machine")
@wide
def command(as_json: bool, **options: Any) -> None:
    """Check this machine for problems and suggest fixes.

    Exit code 1 if a finding is an error or a warning.
    """
    from busmark.adapters import available
    from busmark.findings import diagnose, facts, needed
    from busmark.host.profile import profile
    from busmark.plugin import installed
    from busmark.present.blocks.doctor import document
    from busmark.present.formats import Views

    files = FileOptions.from_options("machine", options)
    host = profile()
    found = available()
    missing = {a.name: a.reason for a in found if a.reason}
    plugins = installed()
    findings = diagnose(host, {a.name: a.stored() for a in found}, missing, plugins)
    checked = [*needed(), *facts(host)]
    serious = any(finding.severity != "note" for finding in findings)
    made = document(checked, findings, plugins)
    if files:
        files.write(Views(lambda: made))
    if as_json:
        listed = [finding.model_dump(mode="json") for finding in findings]
        known = {
            "facts": [asdict(fact) for fact in checked],
            "findings": listed,
            "plugins": [each.summary() for each in plugins],
        }
        echo(json.dumps(known, indent=2))
    else:
        show(made)
    sys.exit(1 if serious else 0)
