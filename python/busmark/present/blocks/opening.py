"""How a campaign begins: its question, when and where it ran, requirements, and what may spoil the
answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from datetime import datetime
from itertools import groupby

from busmark.adapters.compliance import handicaps
from busmark.compare.campaign import Campaign
from busmark.compare.requirements import RequirementVerdict
from busmark.facts import known_as
from busmark.findings.registry import FindingKind, kinds
from busmark.model import text
from busmark.model.figure import Figure
from busmark.present.blocks.answer import answering, version
from busmark.present.blocks.cases import goes_by_topics
from busmark.present.blocks.rows import Field, further_rows, listing, table
from busmark.present.document import Cell, Row, Section, Table, Text
from busmark.present.figures import in_words

SIGNS = {"missed": "✗", "undecided": "?", "met": "✓", "not applicable": "–"}
"""Signs by verdict, the worst first."""
WORST = tuple(SIGNS)

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
        yield f"{text.joined(campaign.source.tools)}: {text.joined([*names[:MOST_FILES], *more])}"
    host = campaign.hosts.get("") or {}
    machine = [
        text.plural(cpus, "CPU") if isinstance(cpus := host.get("cpus_online"), int) else "",
        str(host.get("cpu_model") or ""),
        " ".join(str(host[key]) for key in ("os", "kernel") if host.get(key)),
    ]
    measured = [case for case in campaign.cases if case.status != "unsupported"]
    most = max((case.rounds.ok for case in measured), default=0)
    up_to = "up to " if len({case.rounds.ok for case in measured}) > 1 else ""
    each = " each" if len(measured) > 1 else ""
    size = f"{text.plural(len(measured), 'case')}, {up_to}{text.plural(most, 'round')}{each}"
    when = [f"{campaign.created_utc[:16].replace('T', ' ')} UTC" if campaign.created_utc else ""]
    if campaign.source is not None and when[0]:
        when = [f"imported {when[0]}"]
    if campaign.source is None and campaign.finished_utc:
        # A damaged manifest may have any text.
        with suppress(ValueError, TypeError):
            begun, ended = map(
                datetime.fromisoformat, (campaign.created_utc, campaign.finished_utc)
            )
            when.append(text.duration((ended - begun).total_seconds()))
    yield " · ".join(part for part in (*when, *machine, size) if part)


def state(campaign: Campaign) -> Section | None:
    """Return that a campaign has not ended."""
    if campaign.finished_utc is not None:
        return None
    return Section("", [Text("unfinished", style="warning")])


def requirements(campaign: Campaign) -> Section | None:
    """Return what cases say to each requirement, those that miss it first."""
    judged = campaign.requirements
    if not judged:
        return None
    blocks = []
    counts = dict.fromkeys(("met", "missed", "undecided", "not applicable"), 0)
    for words, own in by_requirement(judged):
        counts[worst(own)] += 1
        blocks.append(_requirement(words, own))
    return Section("Requirements", blocks, summary=in_words(counts))


def by_requirement(
    judged: Sequence[RequirementVerdict],
) -> Iterator[tuple[str, list[RequirementVerdict]]]:
    """Return each requirement with its conditions, and what cases say to it."""
    for (words, where), own in groupby(judged, key=lambda each: (each.requirement, each.where)):
        yield f"{words} where {where}" if where else words, list(own)


def worst(judged: Sequence[RequirementVerdict]) -> str:
    """Return the worst verdict of several."""
    return min((each.verdict for each in judged), key=WORST.index)


def _requirement(words: str, own: Sequence[RequirementVerdict]) -> Table:
    ordered = sorted(own, key=lambda each: WORST.index(each.verdict))
    if len(own) > MOST_CASES:
        ordered = [each for each in ordered if each.verdict in WORST[:2]][:MOST_CASES]
    counts = {verdict: sum(each.verdict == verdict for each in own) for verdict in WORST}
    fields = [
        Field("Case", lambda each: f"{SIGNS[each.verdict]} {each.case}"),
        *_measured(words, ordered),
        Field("Undecided", _undecided),
        Field("More rounds", _more_rounds),
    ]
    notes = []
    if any(each.percentile_ns is not None for each in ordered):
        notes.append(Text("share_of_all", {"percentile": words.partition(" ")[0]}))
    if len(own) > len(ordered):
        notes.append(further_rows(len(own) - len(ordered)))
    return listing(
        ordered,
        fields,
        f"{SIGNS[worst(own)]} {words}: {in_words(counts)}",
        note=notes,
        row=lambda each: Row(case=each.case),
    )


def _measured(words: str, own: Sequence[RequirementVerdict]) -> Iterator[Field]:
    """Yield the percentile where the requirement is one on it; what was measured; the limit."""
    yield Field(
        words.partition("(")[0],
        lambda each: Cell(each.percentile_ns, each.percentile_low_ns, each.percentile_high_ns),
        "ns",
        kind="figure",
    )
    if len({each.later_ns for each in own}) > 1:
        yield Field("Later than", "later_ns", "ns", kind="figure")
    figure = own[0].figure
    title = figure if figure.endswith(")") else text.upper_first(figure)
    yield Field(title, _value, own[0].unit, kind="figure")
    yield Field("Limit", lambda each: Cell(each.limit, text=_limit(each)), kind="figure")


def _value(judged: RequirementVerdict) -> Cell:
    if judged.verdict == "not applicable":
        return Cell(text=judged.verdict, note=judged.reason)
    return Cell(judged.value, judged.low, judged.high, note=judged.reason)


def _limit(judged: RequirementVerdict) -> str:
    return f"{'≤' if judged.at_most else '≥'} {_text(judged, judged.limit)}"


def _text(judged: RequirementVerdict, value: float | None) -> str:
    if value is None:
        return text.ABSENT
    if judged.unit == "1":
        return text.percent_text(value)
    if judged.unit in text.SCALES:
        return text.figure_text(
            Figure(value=value, count=None, rounds=0, unit=judged.unit), text.SCALES[judged.unit]
        )
    return f"{text.number(value)} {judged.unit}".strip()


def _undecided(judged: RequirementVerdict) -> Cell | None:
    """Return why the rounds do not decide it, in a word of a few; the reason in full behind it
    where nothing was measured."""
    if judged.verdict != "undecided":
        return None
    if judged.value is None:
        return Cell("not measured", more=f"({judged.reason.removeprefix('not measured: ')})")
    shown = "interval includes the limit" if judged.low is not None else "no interval"
    return Cell(shown, note=judged.reason)


def _more_rounds(judged: RequirementVerdict) -> str:
    if judged.verdict != "undecided" or judged.value is None:
        return ""
    return f"about {text.count(judged.more_rounds)}" if judged.more_rounds else "out of reach"


def caveats(campaign: Campaign) -> Section | None:
    """Return the errors and warnings that touch a case of the answer, and what else to know of the
    middleware."""
    shown = answering(campaign)
    touching = [
        kind
        for kind in kinds(campaign.findings)
        if kind.severity != "note" and (not kind.cases or shown & set(kind.cases))
    ]
    blocks: list[Table | Text] = [_touching(touching, shown)] if touching else []
    if touching and touching[0].remedies:
        mark = f"{touching[0].mark} " if touching[0].mark else ""
        blocks.append(Text("line", {"line": f"{mark}→ {touching[0].remedies[0]}"}, style="quiet"))
    if handicaps := _handicaps(campaign):
        blocks.append(handicaps)
    if not blocks:
        return None
    return Section(
        "Caveats", blocks, summary=f"touching the answer: {len(touching)}" if touching else ""
    )


def _touching(found: Sequence[FindingKind], shown: Set[str]) -> Table:
    """List findings, each with how many of the cases of the answer it is of."""
    fields = (
        Field("", lambda kind: kind.mark or "!"),
        Field("Finding", "title"),
        Field("Cases", lambda kind: _cases(kind, shown), kind="count"),
    )
    return listing(found, fields, key="caveats")


def _cases(kind: FindingKind, shown: Set[str]) -> Cell:
    if not kind.cases:
        return Cell(len(shown), text="all")
    count = len(shown & set(kind.cases))
    return Cell(count, text=f"{count} of {len(shown)}")


def _known(campaign: Campaign, adapter: str) -> str:
    """Return the names by which users know what was measured through an adapter."""
    cases = (c for c in campaign.cases if c.adapter == adapter and c.status != "unsupported")
    declared = campaign.adapters.get(adapter, {})
    name, version = (str(declared.get(key) or "") for key in ("name", "middleware_version"))
    names = dict.fromkeys(known_as(name, version, case.params.settings) for case in cases)
    return text.joined([*filter(None, names)])


def _handicaps(campaign: Campaign) -> Table | None:
    """Return what each middleware that was measured spends or lacks beside its own work."""
    measured = dict.fromkeys(case.adapter for case in campaign.cases if not case.is_floor)
    by_topics = {case.adapter for case in campaign.cases if goes_by_topics(case, campaign)}
    rows = []
    for name in measured:
        declared = campaign.adapters.get(name, {})
        notes = handicaps(declared)
        if name in by_topics:
            notes.append("it has no services of its own: requests and responses go by two topics")
        if notes:
            title = _known(campaign, name) or str(declared.get("title") or name)
            sentence, number = str(declared.get("middleware_version") or ""), version(declared)
            # Its name stands before the number; what a build lacks, behind it.
            known = sentence[sentence.index(number) :] if number else None
            rows.append((title, known, "; ".join(notes)))
    if not rows:
        return None
    heads, title = ("Middleware", "Version", "Handicap"), "What each middleware spends or lacks"
    return table(heads, rows, title, key="handicaps")
