"""The tables of a comparison: a row for each case with what changed, the ratios as a chart, and all
figures of each case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf, log

from busmark.compare import naming
from busmark.compare.model import ComparedFigure, Comparison, Pair
from busmark.compare.verdict import BETTER, UNDECIDED, WORSE, direction
from busmark.model import text
from busmark.model.entry import TESTS
from busmark.model.figure import Figure, Quantity
from busmark.model.naming import Label, placement_rank, placement_text
from busmark.model.quantities import COMPARED
from busmark.present.blocks.answer import verdict_of
from busmark.present.blocks.cases import TITLES
from busmark.present.blocks.rows import Field, fact, item, listing
from busmark.present.charts.look import Dash
from busmark.present.charts.shapes import Axis, Bars, across, bar
from busmark.present.document import ABSENT, Cell, Chart, Column, Row, Section, Table, Text
from busmark.present.figures import p_text, quantity_name

TAILS = ("p99.latency", "p99.9.latency")
"""Figures that have columns beside the headline's."""


def figure_name(name: str, latency: Quantity | None) -> str:
    """Return "median RTT/2" or "goodput" for a figure as `--fail-if` names it."""
    if latency is None:
        return COMPARED[name].word
    return f"{name.rpartition('.')[0]} {quantity_name(latency)}"


def figure_names(changes: Iterable[ComparedFigure]) -> str:
    """Return "p99 and p99.9 RTT/2; goodput" for the figures of changes, each once."""
    found: dict[str, dict[str, None]] = {}
    for change in changes:
        of = quantity_name(change.latency) if change.latency else ""
        word = change.statistic if of and change.statistic else figure_name(change.name, None)
        found.setdefault(of, {})[word] = None
    return "; ".join(f"{text.joined(list(own))} {of}".strip() for of, own in found.items())


def heading(name: str, latency: Quantity | None) -> str:
    """Return the same as the heading of a column."""
    words = figure_name(name, latency)
    return words if words[1:2].isdigit() else text.upper_first(words)


def case_name(pair: Pair, comparison: Comparison, *, of_candidate: bool = False) -> str:
    """Return what a case is called where no table says the rest; with the candidate where there are
    several, unless all are `of_candidate`."""
    several = [pair.candidate] if len(comparison.candidates) > 1 and not of_candidate else []
    where = naming.where(pair, comparison.by)
    return ", ".join(filter(None, (*several, pair.label, where, pair.workload)))


def verdict_cell(change: ComparedFigure | None) -> Cell:
    """Return "slower", "equivalent" or "undecided"; why, for who points at it."""
    if change is None:
        return ABSENT
    return Cell(change.verdict, note=change.reason or "", verdict=verdict_of(change.verdict))


def judged_cell(change: ComparedFigure | None, loss: ComparedFigure | None = None) -> Cell:
    """Return the ratio or difference with its verdict behind it: "=", "?" or "slower"."""
    if change is None:
        return ABSENT
    cell, sign = change_cell(change, loss), {"equivalent": "=", "undecided": "?"}
    if change.lost:  # The verdict is the loss's.
        return cell
    return replace(cell, more=sign.get(change.verdict, change.verdict), note=change.reason or "")


def change_cell(change: ComparedFigure | None, loss: ComparedFigure | None = None) -> Cell:
    """Return the ratio, or the difference in per cent of the samples; where a percentile falls
    among what was lost, which side lost it, and its share where the sides do not differ in it."""
    if change is None:
        return ABSENT
    if change.lost:
        of = "both" if len(change.lost) > 1 else f"the {change.lost[0]}"
        share = loss.candidate if loss and loss.verdict == "equivalent" else None
        shown = f": {text.percent_text(share.value)}" if share else ""
        return Cell(
            inf if "candidate" in change.lost else -inf,
            text=f"lost by {of}{shown}",
            note=change.reason or "",
        )
    found = change.change
    if found is None:
        return ABSENT
    if change.kind == "difference":
        return Cell(found.value, found.low, found.high, text=difference_text(found))
    return Cell(found.value, found.low, found.high)


def _signed(value: float) -> str:
    shown = text.percent_text(abs(value)).removesuffix(" %")
    return shown if value == 0 else f"{'+' if value > 0 else text.MINUS}{shown}"


def difference_text(found: Figure) -> str:
    ends = (found.low, found.high)
    limits = [_signed(end) for end in ends if end is not None]
    value = _signed(found.value)
    return f"{value} [{', '.join(limits)}] %" if len(limits) == 2 else f"{value} %"


def value_cell(figure: Figure | None, unit: str = "") -> Cell:
    """Return a side's own figure; as text where the column has another unit."""
    if figure is None:
        return ABSENT
    if figure.unit == unit:
        return Cell(figure.value, figure.low, figure.high)
    if figure.unit != "1":
        shown = text.figure_text(figure, text.SCALES[figure.unit])
    else:
        limits = [figure.low, figure.high]
        shown = text.percent_text(figure.value)
        shown += f" [{', '.join(map(text.percent_text, limits))}]" if None not in limits else ""
    return Cell(figure.value, figure.low, figure.high, text=shown, unit=figure.unit)


def badness(change: ComparedFigure) -> float:
    """Return how far it went for the worse, on a scale that goes both ways."""
    if change.lost:
        return inf if "candidate" in change.lost else -inf
    if change.change is None:
        return -inf
    value = change.change.value
    if change.kind == "ratio":
        value = log(value) if value > 0 else -inf
    return value if direction(change.name, more=True) in WORSE else -value


def named(pair: Pair | None, name: str) -> ComparedFigure | None:
    """Return the change of a figure."""
    known = pair.changes if pair else ()
    return next((change for change in known if change.name == name), None)


def headlines(comparison: Comparison) -> Iterator[Section]:
    """Return a section for each test and placement: its table, and its ratios as a chart."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in comparison.pairs:
        placement = "" if "placement" in comparison.by else pair.placement
        groups.setdefault((pair.test, placement), []).append(pair)

    def place(key: tuple[str, str]) -> tuple[int, tuple[int, str]]:
        rank = TESTS.index(key[0]) if key[0] in TESTS else len(TESTS)
        return rank, placement_rank(key[1])

    for test, placement in sorted(groups, key=place):
        pairs = groups[test, placement]
        key = "-".join(filter(None, (test, placement.replace(",", "-"))))
        where = f" {placement_text(placement)}" if placement else ""
        chart = _chart(comparison, pairs, key)
        yield Section(
            f"{TITLES.get(test, test)}{where}",
            [_table(comparison, pairs, key), *([chart] if chart else [])],
            key=key,
        )


def _table(comparison: Comparison, pairs: Sequence[Pair], key: str) -> Table:
    present = [c.name for c in comparison.candidates if any(p.candidate == c.name for p in pairs)]
    title, names = _names(pairs, comparison)
    shown = [pair.headline for pair in pairs if pair.headline]
    what = heading(shown[0].name, shown[0].latency) if shown else ""
    alike = {(p.baseline_rounds, p.candidate_rounds) for p in pairs}
    note, rounds = [], None
    if len(alike) == 1:
        own, other = alike.pop()
        apart = f"{own} of the baseline, {other} of the candidate"
        note = [fact("Rounds", f"{own} on either side" if own == other else apart)]
    else:
        rounds = [Cell(text=f"{p.baseline_rounds}, {p.candidate_rounds}") for p in pairs]
    rows = [Row("floor" if pair.is_floor else "", case=pair.baseline_case) for pair in pairs]
    first = Column(title, names, "label")
    if len(present) > 1:
        first = Column("Candidate", [Cell(pair.candidate) for pair in pairs], "label")
        rows = [replace(row, group=str(n.value)) for row, n in zip(rows, names, strict=True)]
        if len({row.group for row in rows}) == 1:  # One group has no heading.
            note.append(fact(title, rows[0].group))
    base, candidate = comparison.baseline.name, present[0] if len(present) == 1 else "Candidate's"
    losses = [pair.loss for pair in pairs]
    sides = [[getattr(loss, side, None) for loss in losses] for side in ("baseline", "candidate")]
    lost = [
        Column(base, list(map(value_cell, sides[0])), group="Loss"),
        Column(candidate, list(map(value_cell, sides[1])), group="Loss"),
        Column("Difference", list(map(judged_cell, losses)), "ratio", group="Loss"),
    ]
    columns = [
        first,
        *(lost if any(losses) and what != "Loss" else []),
        _values(pairs, "baseline", base, what),
        replace(_values(pairs, "candidate", candidate, what), scale=base),
        *_ratios(pairs, what),
    ]
    if rounds:
        columns.append(Column("Rounds", rounds, "number", detail=True))
    return Table(columns, rows, notes=note, key=key)


def _names(pairs: Sequence[Pair], comparison: Comparison) -> tuple[str, list[Cell]]:
    """Return what a row is, by what sets it apart from others."""
    of_side: dict[str, set[str]] = {}
    for pair in pairs:
        of_side.setdefault(pair.candidate, set()).add(naming.sizes_text(pair))
    # Where each side has one size, it is in their names.
    sized = "size" not in comparison.by or any(len(sizes) > 1 for sizes in of_side.values())
    sized = sized and any(naming.sizes_text(pair) for pair in pairs)
    title = max((pair.label_title for pair in pairs if pair.label), key=len, default="")
    workload = "workload" if any(pair.workload for pair in pairs) else ""
    titles = [part for part in (title, "size" if sized else "", workload) if part]
    whole = ", ".join(titles) or "Case"
    cells = []
    for pair in pairs:
        parts = (pair.label, naming.sizes_text(pair) if sized else "", pair.workload)
        name = ", ".join(filter(None, parts)) or pair.baseline_case
        floor = " (floor)" if pair.is_floor else ""
        cells.append(Cell(name + floor, label=pair.label))
    return text.upper_first(whole), cells


def _values(pairs: Sequence[Pair], side: str, title: str, group: str) -> Column:
    figures = [getattr(pair.headline, side) if pair.headline else None for pair in pairs]
    unit = next((figure.unit for figure in figures if figure), "")
    cells = [value_cell(figure, unit) for figure in figures]
    return Column(title, cells, "figure", unit, group=group, detail=True)


def _ratios(pairs: Sequence[Pair], what: str) -> Iterator[Column]:
    """Yield ratio and verdict of the headline figure, then percentiles of latencies, each below its
    name."""
    losses = [named(pair, "loss") for pair in pairs]
    first = [pair.headline for pair in pairs]
    yield Column("×", list(map(change_cell, first, losses)), "ratio", group=what)
    verdicts = [verdict_cell(change) for change in first]
    for place, pair in enumerate(pairs):
        if pair.is_floor:  # It is in no verdict: the machine changed.
            verdicts[place] = replace(verdicts[place], verdict="")
    yield Column("Verdict", verdicts, group=what)
    for name in TAILS:
        found = [named(pair, name) for pair in pairs]
        found = [c if c and not c.headline and (c.change or c.lost) else None for c in found]
        known = next((change for change in found if change), None)
        if known:
            title = heading(known.name, known.latency)
            cells = list(map(judged_cell, found, losses))
            yield Column("×", cells, "ratio", group=title, detail=name == TAILS[1])


def _chart(comparison: Comparison, pairs: Sequence[Pair], key: str) -> Chart | None:
    """Draw headline ratios with whole intervals, and what counts as equivalent; else None."""
    shown = [pair.headline for pair in pairs if pair.headline]
    if not shown:
        return None
    what, margin = figure_name(shown[0].name, shown[0].latency), comparison.equivalent
    level, several = text.set_percent_text(comparison.confidence), len(comparison.candidates) > 1
    lines: tuple[tuple[str, Dash, float], ...] = (
        ("no change", "solid", 1.0),
        (f"margin, {text.set_percent_text(margin)}", "dot", 1 + margin),
        ("", "dot", 1 / (1 + margin)),
    )
    _, names = _names(pairs, comparison)
    shapes = []
    for side in comparison.candidates:
        rows = []
        for pair, name in zip(pairs, names, strict=True):
            found = pair.headline.change if pair.headline else None
            if pair.candidate == side.name and found and 0 < found.value < inf:
                label = Label(text=str(name.value), adapter=pair.adapter)
                note = pair.headline.verdict if pair.headline else ""
                rows.append(bar(label, found, note=note))
        if not rows:
            continue
        references = [across(*line, len(rows)) for line in lines]
        sentence = f"Below 1: {direction(shown[0].name, more=False)}. With {level} intervals."
        axis = Axis(f"Ratio of {what}, {side.name} over {comparison.baseline.name}", "log")
        keys = (("candidate", side.name),) if several else ()
        shapes.append(Bars(keys, (), axis, rows, sentence, references=references))
    title = f"Ratio of {what} to {comparison.baseline.name}"
    return Chart(f"ratios-{key}", title, shapes) if shapes else None


def further(comparison: Comparison) -> Section | None:
    """Return the changes besides those that the tables of cases have, the worst case first; without
    percentiles that are lost, of which the answer has the names."""
    found = []
    for pair in comparison.pairs:
        own = [
            change
            for change in pair.changes
            if change.verdict in (*BETTER, *WORSE)
            and change not in pair.headlines
            and not change.lost
        ]
        if own and not pair.is_floor:
            found.append((pair, sorted(own, key=badness, reverse=True)))
    if not found:
        return None
    found.sort(key=lambda each: badness(each[1][0]), reverse=True)
    of_each = [(pair, change) for pair, own in found for change in own]
    table = listing(
        of_each,
        _of_changes(of_each, comparison),
        key="further",
        row=lambda of: Row(group=case_name(of[0], comparison), case=of[0].baseline_case),
    )
    return Section("Further figures that changed", [table], folded=True, key="further")


def _of_changes(
    changes: Sequence[tuple[Pair, ComparedFigure]], comparison: Comparison
) -> tuple[Field, ...]:
    of = {pair.candidate for pair, _ in changes}
    name = of.pop() if len(of) == 1 else "Candidate's"
    return (
        Field("Figure", lambda of: figure_name(of[1].name, of[1].latency)),
        Field(comparison.baseline.name, lambda of: value_cell(of[1].baseline), kind="number",
              group="Value", detail=True),
        Field(name, lambda of: value_cell(of[1].candidate), kind="number", group="Value",
              detail=True),
        Field("×", lambda of: judged_cell(of[1], named(of[0], "loss")), kind="ratio"),
    )  # fmt: skip


def every_figure(comparison: Comparison) -> Section:
    """Return all figures, a table for each case; those that neither side has are in a note, with
    the reason."""
    tables = []
    for pair in comparison.pairs:
        changes = [(pair, c) for c in pair.changes if c.baseline or c.candidate or c.lost]
        fields = (
            *_of_changes(changes, comparison),
            Field("p", lambda of: _p(of[1].p_value), kind="number", detail=True),
            Field("p, corrected", lambda of: _p(of[1].p_adjusted), kind="number", detail=True),
            Field("Samples", lambda of: _counts(of[1]), kind="number", detail=True),
        )
        reasons: dict[str, list[ComparedFigure]] = {}
        for change in pair.changes:
            if change.reason and change.reason != UNDECIDED:
                reasons.setdefault(change.reason, []).append(change)
        notes = [fact(figure_names(own), reason) for reason, own in reasons.items()]
        tables.append(listing(changes, fields, case_name(pair, comparison), note=notes))
    return Section("All figures", tables, folded=True, key="figures")


def _counts(change: ComparedFigure) -> str:
    if change.quantity == "discovery":
        return ""
    sides = (change.baseline, change.candidate)
    return ", ".join(text.count(side.count) for side in sides if side and side.count)


def _p(value: float | None) -> Cell:
    return ABSENT if value is None else Cell(value, text=p_text(value))


def theirs(comparison: Comparison) -> Section | None:
    """Return both sides in the columns of performance_test, where one was imported from it."""
    rows = comparison.theirs
    if not rows:
        return None
    known = [{"Case": row.label, "Measured by": row.tool, **row.columns} for row in rows]
    fields = [
        Field(name, item(name), kind="number" if name in rows[0].columns else "")
        for name in known[0]
    ]
    table = listing(known, fields, note=[Text("theirs")], key="theirs")
    return Section("In the columns of performance_test", [table], key="theirs")
