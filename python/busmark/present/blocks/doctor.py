"""The document of this machine: what was checked, what is wrong with it, and what that means."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.findings.doctor import Fact
from busmark.model.text import joined, plural
from busmark.present.document import Cell, Column, Document, Row, Section, Style, Table, Text
from busmark.store import Finding

STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}
"""By severity, the worst first."""

SIGNS = {True: "✓", False: "!", None: ""}


def document(facts: Sequence[Fact], findings: Sequence[Finding]) -> Document:
    """Return what was checked, then each finding, then whether to measure."""
    columns = [
        Column("Checked", [Cell(fact.name) for fact in facts], "label"),
        Column("OK", [Cell(SIGNS[fact.ok]) for fact in facts]),
        Column("Found", [Cell(fact.value) for fact in facts]),
        Column("Meaning", [Cell(fact.why) for fact in facts]),
    ]
    sections = [Section("", [Table(columns, [Row() for _ in facts], key="checked")])]
    sections += [_finding(finding) for finding in findings]
    return Document("This machine", [], [*sections, Section("Conclusion", [conclusion(findings)])])


def _finding(finding: Finding) -> Section:
    parts = (("cause", finding.cause), ("evidence", finding.evidence), ("remedy", finding.remedy))
    lines = [Text("indented", {"line": f"{name}: {words}"}) for name, words in parts]
    return Section(f"{finding.severity}: {finding.title}", lines)


def conclusion(findings: Sequence[Finding]) -> Text:
    """Return whether this machine is fit to measure on."""
    counts = {kind: sum(f.severity == kind for f in findings) for kind in STYLES}
    found = joined([plural(number, kind) for kind, number in counts.items() if number])
    worst = next((kind for kind, number in counts.items() if number), "note")
    return Text(f"doctor_{worst}", {"found": found or "Nothing found"}, style=STYLES[worst])
