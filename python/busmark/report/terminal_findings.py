"""Findings in the terminal: the marks of a table's rows, a list by kind, and all that is known.

A letter names a kind; rows have the letters of those that concern them, errors after "!!", warnings
after "!".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from busmark.analysis.model import Campaign
from busmark.findings.kinds import SIGNS, Flags, Kind, kinds, worst
from busmark.findings.rule import Severity
from busmark.report.drawing.flagged import examined
from busmark.report.roomy import NARROW, room
from busmark.report.tables import Table
from busmark.report.terminal import heading, item

STYLE: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "cyan"}

ALL = "busmark show [DIRECTORY] --findings"
MARKS = f"{SIGNS['error']}~error, {SIGNS['warning']}~warning, else note".replace(
    "~", "\N{NO-BREAK SPACE}"
)


def legend(table: Table, console: Console) -> None:
    """What the marks of the table mean."""
    shown = [kind for kind in table.flagged if room(console) >= NARROW or kind.severity != "note"]
    if not shown:
        return
    told = "; ".join(f"{kind.mark} {kind.title}" for kind in shown)
    item(console, f"See: {told}. ({MARKS})", lead="")


def listed(campaign: Campaign, console: Console) -> None:
    """Each kind once: in how many cases, where it is worst, and what to do; of notes a line."""
    found = kinds(campaign.findings)
    if not found:
        return
    heading(console, "Findings")
    letters = {kind.title: kind.letter or kind.title for kind in found}
    for kind in found:
        item(console, title(kind, examined(campaign)), style=STYLE[kind.severity])
        if kind.severity == "note":
            continue
        item(console, _worst(kind), lead="  ")
        if kind.explains:
            explained = ", ".join(letters.get(each, each) for each in kind.explains)
            item(console, f"may also explain {explained}", lead="  ")
        for remedy in kind.remedies[:1]:
            item(console, f"remedy: {remedy}", lead="  ")
    item(console, f"Cause, evidence, remedy and cases of each: {ALL}", lead="", style="dim")


def everything(campaign: Campaign, console: Console, cases: Sequence[str] = ()) -> None:
    """All that is known of each kind; with `cases`, of those that concern these, and there."""
    found = [k for k in kinds(campaign.findings) if not cases or set(cases) & set(k.cases)]
    if not found:
        of = "these cases" if cases else "this result"
        item(console, f"There are no findings on {of}.", lead="")
    for number, kind in enumerate(found):
        if number:
            console.print()
        lead = title(kind, examined(campaign))
        console.print(Text(lead, style=STYLE[kind.severity]), soft_wrap=True)
        flags = kind.flags()
        for part in kind.findings:
            which = f"{len(part.cases)}, {part.severity}: " if len(kind.findings) > 1 else ""
            item(console, f"cause: {which}{part.cause}", lead="  ")
            if not part.cases:
                item(console, f"evidence: {part.evidence}", lead="  ")
            item(console, f"remedy: {part.remedy}", lead="  ")
            for case in part.cases:
                if not cases or case in cases:
                    told = flags[case].evidence
                    item(console, f"{case}: {told}" if told else case, lead="    ")
        if kind.explains:
            item(console, f"may also explain: {'; '.join(kind.explains)}", lead="  ")


def on_case(case: str, found: Mapping[str, Flags], console: Console) -> None:
    """The findings on one case, a paragraph each."""
    if case not in found:
        return
    heading(console, "Findings")
    for flag in found[case].flags:
        item(console, flag.told, style=STYLE[flag.severity])


def title(kind: Kind, examined: int) -> str:
    """ "!b warning: The kernel dropped UDP datagrams, in 2 of 37 cases"."""
    told = f"{kind.severity}: {kind.counted(examined)}"
    return f"{kind.mark} {told}" if kind.mark else told


def _worst(kind: Kind) -> str:
    case, told = worst(kind.findings[0])
    if not case:
        return told
    return f"{'worst in ' if len(kind.cases) > 1 else ''}{case}: {told}"
