"""The document of a comparison: the gate, the answer, what to know before relying on it, both
sides, then the tables of cases and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from busmark.compare.model import (
    CAVEATS,
    ComparedFigure,
    Comparison,
    FigureCounted,
    Pair,
    SideSummary,
)
from busmark.compare.verdict import BETTER, UNDECIDED, WORSE
from busmark.model import naming as dim
from busmark.model import text
from busmark.model.quantities import COMPARED
from busmark.present.blocks.changes import (
    badness,
    case_name,
    every_figure,
    figure_name,
    figure_names,
    further,
    heading,
    headlines,
    judged_cell,
    named,
    theirs,
)
from busmark.present.blocks.gate import case_by_case, facts, gate
from busmark.present.blocks.rows import Field, fact, further_rows, listing, table
from busmark.present.charts.look import swatch
from busmark.present.document import Block, Cell, Document, Metric, Row, Section, Suite, Test, Text
from busmark.present.formats import Views

KIND = "comparison"

MOST_NAMED = 3
"""Candidates in the title."""

MOST_LEFT_OUT = 30
"""Cases that are not compared, where nothing is folded."""


def document(comparison: Comparison, *, every: bool = False) -> Document:
    """Return the document, in the order in which it is read; `every`: with all figures of all
    cases."""
    parts = (
        gate(comparison),
        _answer(comparison),
        _caveats(comparison),
        _sides(comparison),
        *headlines(comparison),
        theirs(comparison),
        case_by_case(comparison, every=every),
        further(comparison),
        every_figure(comparison) if every else None,
        _remarks(comparison),
        _differs(comparison),
        _left_out(comparison, every=every),
        _environments(comparison),
        _findings(comparison),
        _method(comparison),
    )
    sections = [part for part in parts if part is not None]
    swatches = {pair.label: swatch(pair.adapter) for pair in comparison.pairs if pair.adapter}
    return Document(
        versus(comparison), list(_lines(comparison)), sections, kind=KIND, swatches=swatches
    )


def views(comparison: Comparison, *, every: bool) -> Views:
    """Return the documents for all forms; text has all figures only if `every`, others always."""
    return Views(
        partial(document, comparison, every=True),
        {"text": partial(document, comparison, every=every), "ci": partial(_ci, comparison)},
    )


def _ci(comparison: Comparison) -> Document:
    """Return criteria, a suite each, and always every case; and what changed in the headline
    figures: ratios to the baseline, differences of shares."""
    suites: dict[str, list[Test]] = {}
    for judged in comparison.criteria:
        seconds = 0.0 if judged.pair is None else comparison.pairs[judged.pair].measured_s
        suites.setdefault(judged.criterion, []).append(
            Test(
                judged.candidate,
                judged.label,
                seconds,
                judged.fails,
                judged.outcome == "passed",
                judged.outcome.replace(" ", "-"),
                "; ".join(
                    f"{title.lower()}: {fact}"
                    for title, fact in facts(judged, comparison).items()
                    if fact
                ),
            )
        )
    properties = {
        "baseline": comparison.baseline.directory,
        "candidate": text.joined([side.directory for side in comparison.candidates]),
        "busmark": comparison.candidates[0].busmark_version,
    }
    metrics = [
        Metric(
            case_name(pair, comparison),
            f"{figure_name(of.name, of.latency)} {of.kind}",
            "share" if of.kind == "difference" else "times the baseline",
            of.change.value,
            of.change.low,
            of.change.high,
            comparison.confidence,
            of.latency is None and COMPARED[of.name].more == "faster",
            {"rounds": pair.candidate_rounds},
        )
        for pair in comparison.pairs
        for of in pair.changes
        if of.headline and of.change
    ]
    return Document(
        versus(comparison),
        [],
        [],
        kind=KIND,
        properties=properties,
        suites=[Suite(criterion, tests) for criterion, tests in suites.items()],
        metrics=metrics,
        begun_utc=comparison.candidates[-1].created_utc,
    )


def versus(comparison: Comparison) -> str:
    """Return "new vs. old (baseline)"; of many candidates their number."""
    names = [side.name for side in comparison.candidates]
    some = text.joined(names)
    if len(names) > MOST_NAMED:
        some = text.plural(len(names), "candidate")
    name = comparison.baseline.name
    return f"{some} vs. {name}" if name == "baseline" else f"{some} vs. {name} (baseline)"


def _lines(comparison: Comparison) -> Iterator[str]:
    cases = {pair.baseline_case for pair in comparison.pairs}
    kinds = {pair.paired for pair in comparison.pairs}
    rounds = "rounds interleaved" if True in kinds else "campaigns run apart"
    parts = [rounds if len(kinds) == 1 else "rounds interleaved in part"] if kinds else []
    yield " · ".join([text.plural(len(cases), "case"), *parts])
    side = comparison.baseline
    if _is_one_campaign(comparison):
        facts = (f"{_begun(side)} UTC", f"Busmark {side.busmark_version}", f"seed {side.seed}")
        yield " · ".join([f"{side.directory}: {side.campaign}", *facts])


def _answer(comparison: Comparison) -> Section | None:
    """Count verdicts of each figure over all cases, and name its greatest change."""
    found = [
        (of.candidate, figure)
        for of in comparison.summary
        for figure in sorted(of.figures, key=_rank)
    ]
    if not found:
        return None
    greatest = {id(figure): _greatest(comparison, candidate, figure) for candidate, figure in found}
    losing = any(figure.loses_more for _, figure in found)
    fields = (
        Field("Figure", lambda of: heading(of[1].name, of[1].latency)),
        Field("Better", lambda of: of[1].better),
        Field("Worse", lambda of: of[1].worse - of[1].loses_more),
        Field("Loses more", lambda of: of[1].loses_more if losing else None),
        Field("=", lambda of: of[1].equivalent), Field("?", lambda of: of[1].undecided),
        Field("Greatest change", lambda of: (at := greatest[id(of[1])])
              and judged_cell(at[1], named(at[0], "loss")), kind="ratio"),
        Field("Case", lambda of: (at := greatest[id(of[1])])
              and case_name(at[0], comparison, of_candidate=True)),
    )  # fmt: skip
    several = len(comparison.candidates) > 1
    margins: dict[str, object] = {
        "margin": text.set_percent_text(comparison.equivalent),
        "loss": text.set_percent_text(comparison.equivalent_loss),
    }
    absent = {
        (heading(figure.name, figure.latency), change.reason): None
        for candidate, figure in found
        if greatest[id(figure)] is None
        for _, change in _changes(comparison, candidate, figure)
        if change.reason
    }
    notes = [fact(f"{text.ABSENT} in {title}", reason) for title, reason in absent]
    if lost := figure_names(
        change
        for pair in comparison.pairs
        for change in pair.changes
        if change.lost and not pair.is_floor
    ):
        notes.append(fact("No ratio, for the percentile is among the lost samples", lost))
    table = listing(
        found,
        fields,
        note=[*notes, Text("margins", margins)],
        key="answer",
        row=lambda of: Row(group=of[0] if several else ""),
    )
    return Section("Answer", [table])


def _rank(of: FigureCounted) -> int:
    """Rank loss first, for what is lost has no latency; then medians, tails and goodput."""
    if of.name == "loss":
        return 0
    return 3 if of.latency is None else 1 + int(of.name != "median.latency")


def _greatest(
    comparison: Comparison, candidate: str, figure: FigureCounted
) -> tuple[Pair, ComparedFigure] | None:
    """Return the greatest decided change, for the worse if there is one; without any the greatest
    undecided one for the worse, then the greatest equivalent one."""
    known = [
        each for each in _changes(comparison, candidate, figure) if each[1].change or each[1].lost
    ]
    for verdicts, sign in ((WORSE, 1), (BETTER, -1), (("undecided",), 1), (("equivalent",), 1)):
        if own := [each for each in known if each[1].verdict in verdicts]:
            return max(own, key=lambda each: sign * badness(each[1]))
    return None


def _changes(
    comparison: Comparison, candidate: str, figure: FigureCounted
) -> Iterator[tuple[Pair, ComparedFigure]]:
    for pair in comparison.pairs:
        if pair.candidate == candidate and not pair.is_floor:
            for change in pair.changes:
                named = (change.name, change.latency) == (figure.name, figure.latency)
                if named and (figure.name == "loss" or change in pair.headlines):
                    yield pair, change


def _caveats(comparison: Comparison) -> Section | None:
    """Return what is to be known before a verdict is relied on."""
    if not comparison.warnings:
        return None
    rows = [(f"! {one.kind}", one.of, CAVEATS.get(one.kind, "")) for one in comparison.warnings]
    return Section("Caveats", [table(("Caveat", "Of", "Meaning"), rows, key="caveats")])


def _sides(comparison: Comparison) -> Section:
    """Return what was compared, and how many cases of it."""
    sides = [comparison.baseline, *comparison.candidates]
    counted = {of.candidate: of for of in comparison.summary}
    missing = any(of.missing for of in comparison.summary)
    apart = () if _is_one_campaign(comparison) else (
        Field("Campaign", "campaign"), Field("Begun, UTC", _begun),
        Field("Busmark", "busmark_version"),
        Field("Seed", lambda side: Cell(text=str(side.seed)), detail=True, kind="number"),
    )  # fmt: skip
    fields = (
        Field("Side", "name"), *apart,
        Field("Judged", lambda side: getattr(counted.get(side.name), "cases", None)),
        Field("Not measured", lambda side: getattr(counted.get(side.name), "missing", None)
              if missing else None),
    )  # fmt: skip
    return Section("Sides", [listing(sides, fields, key="sides")])


def _is_one_campaign(comparison: Comparison) -> bool:
    return all(side.directory == comparison.baseline.directory for side in comparison.candidates)


def _begun(side: SideSummary) -> str:
    return side.created_utc[:16].replace("T", " ")


def _remarks(comparison: Comparison) -> Section | None:
    """Return why headline figures have no verdict, and rounds that do not count."""
    rows = []
    for pair in comparison.pairs:
        headline, sentence = pair.headline, list(pair.remarks)
        if headline and headline.reason and headline.reason != UNDECIDED:
            sentence.insert(0, f"{headline.verdict}: {headline.reason}")
        rows += [(case_name(pair, comparison), line) for line in sentence]
    return _listed("Remarks", "remark", ("Case", "Remark"), rows)


def _differs(comparison: Comparison) -> Section | None:
    """Name parameters in which compared cases differ besides those that are compared, and why they
    are compared all the same; of sides, which are compared for these, no reason."""
    found: dict[tuple[str, ...], list[Pair]] = {}
    of_sides = "side" in comparison.by
    for pair in comparison.pairs:
        for name, values in pair.differs.items():
            reported = not {None, "unstated"} & {
                v for v in values if v is None or isinstance(v, str)
            }
            mine, other = (dim.value_text(name, value) for value in values)
            why = [] if of_sides else [_why(name, comparison.by, reported=reported)]
            found.setdefault((dim.title(name), mine, other, *why), []).append(pair)
    rows = []
    for (title, mine, other, *why), pairs in found.items():
        of = case_name(pairs[0], comparison) if len(pairs) == 1 else f"{len(pairs)} cases"
        rows.append((title, mine, other, of, *why))
    candidate = comparison.candidates[0].name if len(comparison.candidates) == 1 else "Candidate's"
    heads = ["Parameter", comparison.baseline.name, candidate, "Cases"]
    if of_sides:
        return _listed("What the sides differ in", "parameter", heads, rows)
    return _listed("Compared though they differ", "parameter", [*heads, "Compared because"], rows)


def _why(name: str, by: Sequence[str], *, reported: bool) -> str:
    """Return why cases are compared though a parameter differs."""
    if name == "qos.depth" and "qos.history" in by:
        return "a depth belongs to the history keep-last"
    if {"adapter", "peer"} & set(by):
        return "each adapter has its own default"
    if not reported:
        return "one side does not state it"
    return "these cases were named, or --force was given"


def _left_out(comparison: Comparison, *, every: bool) -> Section | None:
    """List the cases that are not compared; without `every` the first of them."""
    shown = comparison.left_out if every else comparison.left_out[:MOST_LEFT_OUT]
    rows = [(left.case, left.side, left.reason) for left in shown]
    heads, total = ("Case", "Side", "Reason"), len(comparison.left_out)
    return _listed("Not compared", "case", heads, rows, total)


def _environments(comparison: Comparison) -> Section | None:
    """Return the differences of the sides besides what is compared."""
    several = len(comparison.candidates) > 1
    rows = [
        (
            f"! {d.fact}" if d.warning else d.fact,
            d.area,
            *([d.candidate] if several else []),
            d.baseline,
            d.candidate_value,
        )
        for d in comparison.differences
    ]
    heads = (
        "Fact",
        "Area",
        *(["Candidate"] if several else []),
        comparison.baseline.name,
        "Candidate's" if several else comparison.candidates[0].name,
    )
    return _listed("What else differs", "fact", heads, rows)


def _findings(comparison: Comparison) -> Section | None:
    """Return what each campaign has found that may spoil it."""
    sides = (comparison.baseline, *comparison.candidates)
    found = {side.directory: dict.fromkeys(side.findings) for side in sides}
    rows = [(title, directory) for directory, titles in found.items() for title in titles]
    return _listed("Findings of the campaigns", "finding", ("Finding", "Result"), rows)


def _listed(
    title: str, noun: str, heads: Sequence[str], rows: Sequence[Sequence[str]], total: int = 0
) -> Section | None:
    """Return a section of one table of texts, read after a click; `total`: of more rows."""
    if not rows:
        return None
    total = total or len(rows)
    notes = [further_rows(total - len(rows))] if total > len(rows) else []
    return Section(
        title, [table(heads, rows, note=notes)], summary=text.plural(total, noun), folded=True
    )


def _method(comparison: Comparison) -> Section:
    """Return what the figures are, which verdicts stand, and over how many a candidate is
    corrected."""
    interleaved = {pair.paired for pair in comparison.pairs} == {True}
    notes = [
        Text("compared", {"level": text.set_percent_text(comparison.confidence)}, style="quiet")
    ]
    blocks: list[Block] = list(notes)
    if comparison.headline_tests + comparison.loss_tests + comparison.further_tests:
        level, found = 1.0 - comparison.confidence, comparison.summary
        notes.append(Text("holm", style="quiet"))
        if interleaved:
            shares = {
                "one": text.set_percent_text(level),
                "all": text.set_percent_text(level * len(found)),
            }
            notes.append(Text("false", dict(shares), style="quiet"))
        fields = (
            Field("Candidate", "candidate"),
            Field("Headline figures", "headline_tests"),
            Field("Losses", "loss_tests"),
            Field("Other figures", "further_tests"),
        )
        blocks = [listing(found, fields, note=notes)]
    else:
        blocks.append(fact("Verdicts", "none, for no figure has an interval"))
    return Section("How this was compared", blocks, folded=True, key="method")
