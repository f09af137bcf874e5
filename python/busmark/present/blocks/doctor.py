"""The document of this machine: what was checked, what is wrong with it, and what that means."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.findings.doctor import Fact
from busmark.model.text import joined, plural
from busmark.plugin import InstalledPlugin
from busmark.present.blocks.findings import STYLES
from busmark.present.blocks.rows import Field, fact, listing
from busmark.present.document import Document, Section, Table, Text
from busmark.store import Finding

ADVICE = {
    "error": "fix the errors first: what needs what is missing cannot be measured",
    "warning": "fix what you can, then measure; every report lists the rest",
    "note": "go ahead and measure",
}
"""Advice by the worst severity."""

SIGNS = {True: "✓", False: "!", None: ""}


def document(
    facts: Sequence[Fact], findings: Sequence[Finding], installed: Sequence[InstalledPlugin] = ()
) -> Document:
    """Return what was checked, the plug-ins, then each finding, then whether to measure."""
    checked = (
        Field("Checked", "name"),
        Field("OK", lambda fact: SIGNS[fact.ok]),
        Field("Found", "value"),
        Field("Meaning", "why"),
    )
    sections = [Section("", [listing(facts, checked, key="checked")])]
    if installed:
        sections.append(Section("Plug-ins", [plugins(installed)]))
    sections += [_finding(finding) for finding in findings]
    return Document(
        "This machine",
        [],
        [*sections, Section("Conclusion", [conclusion(findings)])],
        kind="machine",
    )


def plugins(installed: Sequence[InstalledPlugin]) -> Table:
    """Return a row for each plug-in."""
    fields = (
        Field("Plug-in", "name"),
        Field("State", "state"),
        Field("From", lambda each: f"{each.where} {each.version}"),
        Field("Adds", lambda each: each.fault or (each.declaration and each.declaration.summary)),
    )
    return listing(installed, fields, key="plugins")


def _finding(finding: Finding) -> Section:
    parts = (("cause", finding.cause), ("evidence", finding.evidence), ("remedy", finding.remedy))
    lines = [Text("line", {"line": f"  {name}: {words}"}) for name, words in parts]
    return Section(f"{finding.severity}: {finding.title}", lines)


def conclusion(findings: Sequence[Finding]) -> Text:
    """Return whether this machine is fit to measure on."""
    counts = {kind: sum(f.severity == kind for f in findings) for kind in STYLES}
    found = joined([plural(number, kind) for kind, number in counts.items() if number])
    worst = next((kind for kind, number in counts.items() if number), "note")
    return fact(found or "Nothing found", ADVICE[worst], STYLES[worst])
