"""How a campaign begins: its question, when and where it ran, requirements, and what may spoil the
answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from datetime import datetime

from busmark.adapters.compliance import DISCLOSURES
from busmark.compare.campaign import Campaign
from busmark.compare.requirements import Judged
from busmark.findings.kinds import Kind, kinds
from busmark.model import text
from busmark.model.figure import Figure
from busmark.present.blocks.answer import workloads
from busmark.present.document import Cell, Column, Row, Section, Table, Text
from busmark.present.figures import in_words
from busmark.present.requirements import SIGNS, WORST, by_requirement, worst

MOST_CASES = 12
"""Cases named below a requirement; of more, only those that do not meet it."""

MOST_FILES = 6


def lines(campaign: Campaign) -> Iterator[str]:
    """Return what stands below the title: question, time, machine, size."""
    if campaign.question:
        yield campaign.question
    if campaign.source is not None:
        names = [file.name for file in campaign.source.files]
        more = [f"{len(names) - MOST_FILES} more"] if len(names) > MOST_FILES else []
        yield f"imported from {text.joined(campaign.source.tools)}: " + text.joined(
            [*names[:MOST_FILES], *more]
        )
    host = campaign.hosts.get("") or {}
    machine = [
        text.plural(cpus, "CPU") if isinstance(cpus := host.get("cpus_online"), int) else "",
        str(host.get("cpu_model") or ""),
        " ".join(str(host[key]) for key in ("os", "kernel") if host.get(key)),
    ]
    measured = [case for case in campaign.cases if case.status != "unsupported"]
    most = max((case.rounds.ok for case in measured), default=0)
    size = f"{text.plural(len(measured), 'case')}, {text.plural(most, 'round')} each"
    if len({case.rounds.ok for case in measured}) > 1:
        size = f"{text.plural(len(measured), 'case')}, up to {text.plural(most, 'round')} each"
    when = [f"{campaign.created_utc[:16].replace('T', ' ')} UTC" if campaign.created_utc else ""]
    if campaign.source is None and campaign.finished_utc:
        # A damaged manifest may have any text.
        with suppress(ValueError, TypeError):
            begun, ended = map(
                datetime.fromisoformat, (campaign.created_utc, campaign.finished_utc)
            )
            when.append(text.duration((ended - begun).total_seconds()))
    yield " · ".join(part for part in (*when, *machine, size) if part)


def state(campaign: Campaign) -> Section | None:
    """Return that a campaign has not ended, or was measured by others."""
    notes: list[Text | Table] = []
    if campaign.finished_utc is None:
        notes.append(Text("unfinished", style="warning"))
    if campaign.source is not None:
        notes.append(Text("imported", {"tools": text.joined(campaign.source.tools)}))
    return Section("", notes) if notes else None


def requirements(campaign: Campaign) -> Section | None:
    """Return what cases say to each requirement, those that miss it first."""
    judged = campaign.requirements
    if not judged:
        return None
    blocks = []
    counts = dict.fromkeys(("met", "missed", "undecided"), 0)
    for words, own in by_requirement(judged):
        counts[worst(own)] += 1
        blocks.append(_requirement(words, own))
    return Section("Requirements", blocks, summary=in_words(counts))


def _requirement(words: str, own: Sequence[Judged]) -> Table:
    ordered = sorted(own, key=lambda each: WORST.index(each.verdict))
    if len(own) > MOST_CASES:
        ordered = [each for each in ordered if each.verdict != "met"][:MOST_CASES]
    counts = {verdict: sum(each.verdict == verdict for each in own) for verdict in WORST}
    columns = [
        Column("Case", [Cell(f"{SIGNS[each.verdict]} {each.case}") for each in ordered], "label")
    ]
    for title, cells, unit in _measured(words, ordered):
        columns.append(Column(title, cells, "figure", unit))
    deciding = [Cell(_to_decide(each) or None) for each in ordered]
    if any(cell.value for cell in deciding):
        columns.append(Column("To decide", deciding))
    notes = []
    if len(own) > len(ordered):
        notes.append(Text("more_cases", {"number": len(own) - len(ordered)}))
    return Table(
        columns, [Row(case=each.case) for each in ordered],
        title=f"{SIGNS[worst(own)]} {words}: {in_words(counts)}", notes=notes,
    )  # fmt: skip


def _measured(words: str, own: Sequence[Judged]) -> Iterator[tuple[str, list[Cell], str]]:
    """The percentile where the requirement is one on it; what was measured; the limit."""
    if any(each.percentile_ns is not None for each in own):
        yield words.partition("(")[0], [Cell(each.percentile_ns) for each in own], "ns"
    if len({each.unit for each in own}) == 1:
        title = own[0].figure if len({each.figure for each in own}) == 1 else "Measured"
        cells = [Cell(each.value, each.low, each.high, note=each.reason) for each in own]
        yield title, cells, own[0].unit
    else:
        yield "Measured", [Cell(text=_text(each, each.value)) for each in own], ""
    yield "Limit", [Cell(each.limit, text=_limit(each)) for each in own], ""


def _limit(judged: Judged) -> str:
    return f"{'≤' if judged.at_most else '≥'} {_text(judged, judged.limit)}"


def _text(judged: Judged, value: float | None) -> str:
    if value is None:
        return text.ABSENT
    if judged.unit == "1":
        return text.percent_text(value)
    if judged.unit in text.SCALES:
        return text.figure_text(
            Figure(value=value, count=None, rounds=0, unit=judged.unit), text.SCALES[judged.unit]
        )
    return f"{text.number(value)} {judged.unit}".strip()


def _to_decide(judged: Judged) -> str:
    if judged.verdict != "undecided":
        return ""
    if judged.more_rounds is not None:
        return f"about {text.plural(judged.more_rounds, 'more round')}"
    return "out of reach" if judged.low is not None else judged.reason


def caveats(campaign: Campaign) -> Section | None:
    """Return the errors and warnings that touch a case of the answer, and what else to know of the
    middleware."""
    shown = {case.id for members in workloads(campaign).values() for case in members.values()
             if not case.is_floor}  # fmt: skip
    touching = [
        kind
        for kind in kinds(campaign.findings)
        if kind.severity != "note" and (not kind.cases or shown & set(kind.cases))
    ]
    blocks: list[Table | Text] = [_touching(touching, shown)] if touching else []
    if touching and touching[0].remedies:
        blocks.append(Text("line", {"line": f"→ {touching[0].remedies[0]}"}, style="quiet"))
    if handicaps := _handicaps(campaign):
        blocks.append(handicaps)
    if not blocks:
        return None
    return Section(
        "Caveats", blocks, summary=f"touching the answer: {len(touching)}" if touching else ""
    )


def _touching(found: Sequence[Kind], shown: Set[str]) -> Table:
    """Findings, each with how many of the cases of the answer it is of."""
    return Table(
        [
            Column("", [Cell(kind.mark or "!") for kind in found], "label"),
            Column("Finding", [Cell(kind.title) for kind in found]),
            Column("Cases", [_cases(kind, shown) for kind in found], "count"),
        ],
        [Row() for _ in found],
        key="caveats",
    )


def _cases(kind: Kind, shown: Set[str]) -> Cell:
    if not kind.cases:
        return Cell(len(shown), text="all")
    count = len(shown & set(kind.cases))
    return Cell(count, text=f"{count} of {len(shown)}")


def _handicaps(campaign: Campaign) -> Table | None:
    """What each middleware that was measured spends or lacks beside its own work."""
    measured = dict.fromkeys(case.adapter for case in campaign.cases if not case.is_floor)
    rows = []
    for name in measured:
        declared = campaign.adapters.get(name, {})
        found = declared.get("disclosures")
        disclosed = [str(one) for one in found] if isinstance(found, list) else []
        cost = str(declared.get("cost") or "none")
        notes = [words for one in disclosed if (words := DISCLOSURES.get(one, one)) not in cost]
        if cost != "none":
            notes.append(cost)
        if notes:
            title = str(declared.get("title") or name)
            version = str(declared.get("middleware_version") or "").removeprefix(f"{title} ")
            rows.append((title, version or None, "; ".join(notes)))
    if not rows:
        return None
    return Table(
        [
            Column("Middleware", [Cell(row[0]) for row in rows], "label"),
            Column("Version", [Cell(row[1]) for row in rows]),
            Column("Handicap", [Cell(row[2]) for row in rows]),
        ],
        [Row() for _ in rows],
        key="handicaps",
    )
