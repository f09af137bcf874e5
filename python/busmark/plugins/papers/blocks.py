"""A campaign beside the document whose experiments it repeats: what that states, and what is
measured here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf

from busmark.compare.campaign import Campaign
from busmark.findings.registry import kinds
from busmark.model.figure import CONFIDENCE
from busmark.model.naming import FLOOR_LABEL
from busmark.model.text import ABSENT, count, joined, number, set_percent_text, upper_first
from busmark.plugins.papers import evidence as claims
from busmark.plugins.papers.checks import distinguishing
from busmark.plugins.papers.data_sets import value_by_value
from busmark.plugins.papers.document import GroupedTable
from busmark.plugins.papers.evidence import Check, Evidence
from busmark.plugins.papers.repetition import Repetition, StatementOutcome
from busmark.plugins.papers.repetition import repetition as repeated
from busmark.plugins.papers.select import named
from busmark.present.blocks.opening import lines, state
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Bar, Bars, across, bar
from busmark.present.document import (
    Block,
    Cell,
    Chart,
    Column,
    Document,
    Row,
    Section,
    Table,
    Text,
    Verdict,
)
from busmark.present.figures import in_words, ratio_with_interval
from busmark.stats import Estimate

SIGNS: dict[claims.Verdict, str] = {"agrees": "✓", "disagrees": "✗", "undecided": "?"}

SHOWN: dict[claims.Verdict, Verdict] = {
    "agrees": "better",
    "disagrees": "worse",
    "undecided": "undecided",
}
"""How a verdict looks."""

VERBS: dict[claims.Verdict, str] = {
    "agrees": "agree",
    "disagrees": "disagree",
    "undecided": "undecided",
}

MOST_DRAWN = 12
"""Pairs of a check that are drawn at most."""


def comparison(campaign: Campaign) -> Document | None:
    """Return the document of a campaign that repeats a paper's experiments; None of others."""
    found = repeated(campaign)
    return None if found is None else document(found)


def document(repetition: Repetition) -> Document:
    """Return the verdicts, the statements with their checks, the tables of the document."""
    of, campaign = repetition.document, repetition.campaign
    made = f"campaign {campaign.name} · Busmark {campaign.busmark_version}, seed {campaign.seed}"
    sections = [
        *([begun] if (begun := state(campaign)) else []),
        _answer(repetition),
        _statements(repetition),
        *_checks(repetition),
        *_without_ratio(repetition),
        *_pairs(repetition),
        *tables(repetition.tables),
        *_floor(campaign),
        *(value_by_value(campaign) if of.value_by_value else ()),
        _stand_ins(repetition),
        Section("Differences", [Text("line", {"line": each}) for each in of.deviations]),
        Section(
            "Method",
            [
                Text(
                    "ratios_of_cases",
                    {"level": set_percent_text(campaign.confidence), "alike": f"{claims.ALIKE:g}"},
                    style="quiet",
                )
            ],
        ),
    ]
    head = [of.source, made, *lines(campaign)]
    return Document(f"{of.title}, then and now", head, sections, kind="comparison")


def verdict_text(verdicts: Sequence[claims.Verdict]) -> str:
    """Return "✓ agrees", or "2 agree, 1 undecided" of checks that differ."""
    first, *others = dict.fromkeys(verdicts)
    if not others:
        return _marked(first).text
    counts = {verdict: list(verdicts).count(verdict) for verdict in SIGNS}
    return in_words({VERBS[verdict]: number_of for verdict, number_of in counts.items()})


def _marked(verdict: claims.Verdict) -> Cell:
    words = f"{SIGNS[verdict]}\N{NO-BREAK SPACE}{verdict}"
    return Cell(verdict, text=words, verdict=SHOWN[verdict])


def tables(found: Iterable[GroupedTable]) -> Iterator[Section]:
    """Return the tables in the document's own columns, by what they have in common."""
    groups: dict[str, list[GroupedTable]] = {}
    for each in found:
        groups.setdefault(each.group, []).append(each)
    for place, (group, own) in enumerate(groups.items()):
        notes = filter(None, dict.fromkeys(each.note for each in own))
        below = [Text("line", {"line": note}, style="quiet") for note in notes]
        blocks: list[Block] = [*(each.table for each in own), *below]
        yield Section(group, blocks, folded=place > 0, key=f"tables-{place}")


def _floor(campaign: Campaign) -> Iterator[Section]:
    """Return the null adapter's figures, which is what Busmark itself has in all others."""
    floors = [
        (case, case.headline.figure) for case in campaign.cases if case.is_floor and case.headline
    ]
    if floors:
        differ = distinguishing([case for case, _ in floors])
        differ = tuple(name for name in differ if name != "test")
        columns = [
            Column(FLOOR_LABEL, [
                Cell(", ".join([case.test, *filter(None, [named(case, differ)])]))
                for case, _ in floors
            ], "label"),
            Column("Figure", [Cell(found.value, found.low, found.high, unit=found.unit)
                              for _, found in floors], "figure"),
            Column("Rounds", [Cell(found.rounds) for _, found in floors], "count", detail=True),
        ]  # fmt: skip
        rows = [Row("floor", case=case.id) for case, _ in floors]
        note = Text("harness_alone", style="quiet")
        yield Section("Floor", [Table(columns, rows, key="floor", notes=[note])], folded=True)


def _answer(repetition: Repetition) -> Section:
    """Return how many checks have each verdict, and what may spoil them."""
    found = [line for answer in repetition.answers for line in answer.lines]
    without = sum(_is_without(evidence) for _, evidence in found)
    unchecked = sum(not answer.lines for answer in repetition.answers)
    rows: list[tuple[claims.Verdict, str, int]] = [
        ("agrees", "the interval is wholly within what is expected (for “each pair”: every pair's)",
         repetition.count("agrees")),
        ("disagrees", "the interval is wholly outside (for “each pair”: one pair's)",
         repetition.count("disagrees")),
        ("undecided", "an interval is partly outside",
         repetition.count("undecided") - without - unchecked),
        ("undecided", "there is no interval, for a reason given below", without),
        ("undecided", "a statement without a check", unchecked),
    ]  # fmt: skip
    rows = [row for row in rows if row[2] or row[0] != "undecided"]
    columns = [
        Column("Verdict", [_marked(verdict) for verdict, _, _ in rows], "label"),
        Column("Checks", [Cell(number_of) for *_, number_of in rows], "count"),
        Column("Because", [Cell(why) for _, why, _ in rows]),
    ]
    blocks: list[Block] = [Table(columns, [Row() for _ in rows], key="verdicts")]
    severe = [kind for kind in kinds(repetition.campaign.findings) if kind.severity != "note"]
    if severe:
        named = [
            Column("", [Cell(kind.mark or "!") for kind in severe], "label"),
            Column("Finding on this campaign", [Cell(kind.title) for kind in severe]),
            Column("Cases", [Cell(len(kind.cases), text="" if kind.cases else "all")
                             for kind in severe], "count"),
        ]  # fmt: skip
        blocks.append(Table(named, [Row() for _ in severe], key="caveats"))
    counts = {verb: repetition.count(verdict) for verdict, verb in VERBS.items()}
    return Section("Answer", blocks, summary=in_words(counts))


def _is_without(evidence: Evidence) -> bool:
    """Return whether it is undecided for want of an interval."""
    known = evidence.ratio is not None and evidence.ratio.low is not None
    return evidence.verdict == "undecided" and not known


def _statements(repetition: Repetition) -> Section:
    answers = repetition.answers
    columns = [
        Column("", [Cell(place) for place in range(1, len(answers) + 1)], "count"),
        Column("Verdict", [_together(answer) for answer in answers]),
        Column("Ratios", [_ratios(answer) for answer in answers], "count"),
        Column("The document states", [Cell(one.statement.found, more=f"({one.statement.where})")
                                       for one in answers]),
    ]  # fmt: skip
    notes = []
    if left := repetition.skipped:
        parts = joined(list(dict.fromkeys(str(statement.part) for statement in left)))
        notes.append(Text("other_parts", {"number": len(left), "parts": parts}))
    table = Table(columns, [Row() for _ in answers], notes=notes, key="statements")
    return Section("Statements", [table], summary=count(len(answers)))


def _together(answer: StatementOutcome) -> Cell:
    first, *others = dict.fromkeys(answer.verdicts)
    return Cell(text=verdict_text(answer.verdicts)) if others else _marked(first)


def _ratios(answer: StatementOutcome) -> Cell:
    with_ratio = sum(found.ratio is not None for _, found in answer.lines)
    of = f"{with_ratio} of {len(answer.lines)}" if answer.lines else "no check"
    return Cell(with_ratio, text=of)


def _checks(repetition: Repetition) -> Iterator[Section]:
    """Return a table for each statement with a ratio, and a chart of all of them."""
    blocks: list[Block] = []
    shapes: list[Bars] = []
    for place, answer in enumerate(repetition.answers, 1):
        statement = answer.statement
        title = f"{place}. {verdict_text(answer.verdicts)}: {statement.found}"
        notes = [Text("line", {"line": statement.remark}, "quiet")] if statement.remark else []
        lines_of = [line for line in answer.lines if line[1].ratio]
        if lines_of:
            blocks.append(replace(_table(lines_of), title=title, notes=notes))
        shapes += _bars(f"{place}. {statement.found.removesuffix('.')}", lines_of)
    if shapes:
        blocks.insert(0, Chart("ratios", "Ratios by statement, with their intervals", shapes))
    if blocks:
        yield Section("Checks", blocks)


def _without_ratio(repetition: Repetition) -> Iterator[Section]:
    """Return the checks without a ratio by their reason, and remarks on statements that have
    none."""
    found: dict[str, list[tuple[int, str]]] = {}
    remarks = []
    for place, answer in enumerate(repetition.answers, 1):
        for check, evidence in answer.lines:
            if not evidence.ratio:
                reason = evidence.reason.replace("`", "")
                found.setdefault(reason, []).append((place, check.name))
        if answer.statement.remark and not any(each.ratio for _, each in answer.lines):
            remarks.append((place, answer.statement.remark))
    parts = [(upper_first(reason), "Check", own) for reason, own in found.items()]
    parts += [("Remarks", "Remark", remarks)] if remarks else []
    tables = [
        Table(
            [
                Column("", [Cell(place) for place, _ in own], "count"),
                Column(heading, [Cell(words) for _, words in own]),
            ],
            [Row() for _ in own],
            title=title,
        )
        for title, heading, own in parts
    ]
    if tables:
        total = sum(map(len, found.values()))
        yield Section("Not compared", tables, summary=count(total) if total else "", folded=True)


def _table(lines_of: Sequence[tuple[Check, Evidence]]) -> Table:
    found = [evidence for _, evidence in lines_of]
    rounds = [Cell(each.ratio.rounds if each.ratio else None) for each in found]
    columns = [
        Column("Here", [Cell(check.name) for check, _ in lines_of]),
        Column("Expected", [Cell(check.claim.text) for check, _ in lines_of]),
        Column("Ratio", [_ratio(each.ratio) for each in found], "figure"),
        Column("Verdict", [_marked(each.verdict) for each in found]),
        Column(
            "Pairs",
            [
                Cell(each.pairs[0].name if len(each.pairs) == 1 else f"{len(each.pairs)} pairs")
                for each in found
            ],
            detail=True,
        ),
        Column("Rounds", rounds, "count", detail=True),
    ]
    if any(each.confidence != CONFIDENCE for each in found):
        levels = [Cell(set_percent_text(round(each.confidence, 5))) for each in found]
        columns.append(Column("Confidence", levels, "number", detail=True))
    if any(each.reason for each in found):
        columns.append(Column("Why", [Cell(each.reason or None) for each in found]))
    return Table(columns, [Row() for _ in found])


def _ratio(ratio: Estimate | None) -> Cell:
    """Return it as compared with the expected ratio: below 1 where the first is smaller."""
    if ratio is None:
        return Cell()
    if ratio.low is None or ratio.high is None:
        return Cell(ratio.value, text=f"{number(ratio.value)} [{ABSENT}]")
    return Cell(ratio.value, ratio.low, ratio.high, text=ratio_with_interval(ratio))


def _pairs(repetition: Repetition) -> Iterator[Section]:
    """Return the pairs of cases behind each check that has several."""
    several = [
        (f"{place}. {check.name}", *pair)
        for place, answer in enumerate(repetition.answers, 1)
        for check, found in answer.lines
        if len(found.pairs) > 1
        for pair in found.ratios
    ]
    if several:
        columns = [
            Column("Pair", [Cell(pair.name) for _, pair, _ in several], "label"),
            Column("Ratio", [_ratio(ratio) for *_, ratio in several], "figure"),
            Column("Rounds", [Cell(ratio.rounds) for *_, ratio in several], "count"),
        ]
        table = Table(columns, [Row(group=group) for group, _, _ in several], key="pairs")
        yield Section("Pairs of cases", [table], folded=True, detail=True)


def _bars(title: str, lines_of: Sequence[tuple[Check, Evidence]]) -> Iterator[Bars]:
    """Return the checks with their pairs, those together that expect the same."""
    by_claim: dict[claims.Claim, list[tuple[Check, Evidence]]] = {}
    for check, found in lines_of:
        by_claim.setdefault(check.claim, []).append((check, found))
    for claim, own in by_claim.items():
        rows = []
        for check, found in own:
            pairs = found.ratios if 1 < len(found.pairs) <= MOST_DRAWN else []
            rows += [_bar(check.name, 0, found.ratio)] if found.ratio else []
            rows += [_bar(f"{pair.name}: {check.name}", 1, ratio) for pair, ratio in pairs]
        limits = [end for end in dict.fromkeys((claim.low, claim.high)) if 0 < end < inf]
        references = [across(f"expected: {claim.text}", "dash", end, len(rows)) for end in limits]
        text = "typical ratio of rounds, and its interval"
        keys = (("Statement", f"{title} ({claim.text})" if len(by_claim) > 1 else title),)
        yield Bars(keys, (), Axis("ratio", kind="log"), rows, text, references=references)


def _bar(name: str, place: int, ratio: Estimate) -> Bar:
    return bar(look.series(name, place), ratio, note=_ratio(ratio).text)


def _stand_ins(repetition: Repetition) -> Section:
    """Return what is measured in the place of something that is no longer to be had."""
    known = repetition.document.stand_ins
    columns = [
        Column("There", [Cell(one.there) for one in known], "label"),
        Column("Here", [Cell(one.here) for one in known]),
        Column("Why", [Cell(one.why) for one in known]),
    ]
    return Section("Stand-ins", [Table(columns, [Row() for _ in known], key="stand-ins")])
