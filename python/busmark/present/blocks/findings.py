"""What spoils measurements: each kind of finding once, all of them, and those on a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from busmark.compare.campaign import Campaign
from busmark.findings.registry import FindingKind as Found
from busmark.findings.registry import Flags, kinds, worst
from busmark.model import text
from busmark.present.blocks.rows import Field, listing, table
from busmark.present.charts.flagged import examined
from busmark.present.document import Block, Cell, Row, Section, Style, Text

STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}
"""Styles by severity, the worst first."""


def findings(campaign: Campaign) -> Section | None:
    """Return each kind once: in how many cases, where it is worst, and what to do."""
    found = kinds(campaign.findings)
    if not found:
        return None
    letters = {kind.title: kind.letter or kind.title for kind in found}
    of = examined(campaign)
    blocks: list[Block] = []
    for kind in found:
        mark = f"{kind.mark} " if kind.mark else ""
        line = f"{mark}{kind.severity}: {kind.counted(of)}"
        blocks.append(Text("line", {"line": line}, style=STYLES[kind.severity]))
        if kind.severity == "note":
            continue
        blocks.append(_indented(_worst(kind)))
        if kind.explains:
            explained = ", ".join(letters.get(each, each) for each in kind.explains)
            blocks.append(_indented(f"may also explain {explained}"))
        for remedy in kind.remedies[:1]:
            blocks.append(_indented(f"remedy: {remedy}"))
    return Section("Findings", [*blocks, Text("explained", style="quiet")], folded=True)


def all_findings(campaign: Campaign, cases: Sequence[str] = ()) -> list[Section]:
    """Return a section for each kind: causes, remedies, evidence in each case; with `cases`, of
    those that concern these, and there."""
    found = [k for k in kinds(campaign.findings) if not cases or set(cases) & set(k.cases)]
    if not found:
        of_what = "these cases" if cases else "this result"
        words = f"There are no findings on {of_what}."
        return [Section("Findings", [Text("line", {"line": words})])]
    of = examined(campaign)
    return [_everything(kind, of, cases) for kind in found]


def _everything(kind: Found, of: int, cases: Sequence[str]) -> Section:
    facts: list[tuple[str, str]] = []
    for number, part in enumerate(kind.findings):
        before = kind.findings[number - 1] if number else None
        if len(kind.findings) > 1:
            facts.append((part.severity, text.plural(len(part.cases), "case")))
        if not before or part.cause != before.cause:
            facts.append(("cause", part.cause))
        case, evidence = worst(part)
        if not case:
            facts.append(("evidence", evidence))
        if not before or part.remedy != before.remedy:
            facts.append(("remedy", part.remedy))
    if kind.explains:
        facts.append(("may explain", "; ".join(kind.explains)))
    blocks: list[Block] = [table(("What", "Finding"), facts)]
    flags = kind.flags()
    own = [case for case in kind.cases if not cases or case in cases]
    shown = (
        Field("Case", lambda case: Cell(case, case=case)),
        Field("Severity", lambda case: flags[case].severity if len(kind.findings) > 1 else None),
        Field("Evidence", lambda case: flags[case].evidence),
    )
    if own:
        blocks.append(
            listing(own, shown, key=f"{kind.anchor}-cases", row=lambda case: Row(case=case))
        )
    mark = kind.mark if kind.letter else ""
    summary = ", ".join(filter(None, (kind.severity, kind.where(of))))
    return Section(kind.title, blocks, summary, key=kind.anchor, part="Findings", mark=mark)


def on_case(case: str, found: Mapping[str, Flags]) -> Section | None:
    """Return the findings on one case, a row each."""
    if case not in found:
        return None
    fields = (
        Field("Finding", lambda flag: Cell(flag.kind.title, marks=(flag.mark,))),
        Field("Severity", "severity"),
        Field("Evidence", "evidence"),
    )
    return Section("Findings", [listing(found[case].flags, fields)])


def _indented(words: str) -> Text:
    return Text("line", {"line": f"  {words}"})


def _worst(kind: Found) -> str:
    case, evidence = worst(kind.findings[0])
    if not case:
        return evidence
    return f"{'worst in ' if len(kind.cases) > 1 else ''}{case}: {evidence}"
