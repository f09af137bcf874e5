"""The tables of a comparison as text: the same for terminal, Markdown and page.

Several candidates are in one table. Up to `MOST_BESIDE` of them each have a group of columns beside
each other; of more, and where there is no room, each has a row below the case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from busmark.analysis.across.dimensions import placement_rank, placement_text
from busmark.analysis.across.grouping import TESTS
from busmark.analysis.words import text
from busmark.analysis.words.text import ABSENT
from busmark.compare.model import Change, Comparison, Pair
from busmark.compare.naming import sizes_text
from busmark.present.blocks.cases import TITLES
from busmark.report.comparison import words

MOST_BESIDE = 3
"""Candidates that have columns beside each other."""

TAIL, FAR_TAIL = "p99.latency", "p99.9.latency"

STAYS, ROUNDS, VALUES, FAR = range(4)
"""Where room is short the columns of the highest go first, all of them together: the value of one
side alone says nothing of the change."""


@dataclass(frozen=True, slots=True)
class Head:
    """A column: its title, whether it holds figures, and whether its texts may be broken."""

    title: str
    figure: bool = False
    wraps: bool = False
    goes: int = STAYS
    of: str = ""
    """The candidate that it is about, where several stand beside each other."""

    @property
    def full(self) -> str:
        """With the candidate."""
        return f"{self.of}: {self.title}" if self.of else self.title


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, and the verdict of the figure that it shows, by which it is coloured."""

    text: str
    verdict: str = ""
    drawn: Change | None = None
    """What who draws may draw behind it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One case, or one of its figures."""

    cells: list[Cell]
    style: str = ""
    """Style of the row as a whole: floor, warning."""
    adapter: str = ""
    """Whose colour it has, where the first cell names it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts."""

    title: str
    heads: list[Head]
    rows: list[Row]
    note: str = ""
    """What is the same in all rows."""

    @property
    def texts(self) -> list[list[str]]:
        """Texts of each row."""
        return [[cell.text for cell in row.cells] for row in self.rows]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Candidates beside each other, each with how many columns it has; an empty name has what
        is of none of them. Empty where there is one candidate, or where they stand in rows."""
        found: list[tuple[str, int]] = []
        for head in self.heads:
            if found and found[-1][0] == head.of:
                found[-1] = (head.of, found[-1][1] + 1)
            else:
                found.append((head.of, 1))
        return found if any(name for name, _ in found) else []

    def without(self, goes: int) -> Grid:
        """Without the columns that go as early as this, or earlier."""
        kept = [index for index, head in enumerate(self.heads) if head.goes < goes]
        rows = [replace(row, cells=[row.cells[index] for index in kept]) for row in self.rows]
        return replace(self, heads=[self.heads[index] for index in kept], rows=rows)


Column = tuple[Head, Callable[[Pair | None], Cell]]
"""A column of a candidate, which may have nothing of a case."""

Name = tuple[Head, Callable[[Pair], str]]
"""A column of what the row is."""

NOTHING = Cell(ABSENT)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is laid out."""

    beside: bool = True
    """Candidates beside each other; otherwise in rows of their own."""
    compact: bool = False
    """The mark of the verdict behind the ratio, without its word."""


def layout(comparison: Comparison) -> Layout:
    """Where there is room for everything."""
    return Layout(beside=len(comparison.candidates) <= MOST_BESIDE)


def brief(comparison: Comparison) -> list[Grid]:
    """The tables of headline figures where everything else is near: of several candidates ratios
    and verdicts only."""
    several = len(comparison.candidates) > 1
    found = headlines(comparison, replace(layout(comparison), compact=several))
    return [*(grid.without(VALUES if several else FAR) for grid in found), *theirs(comparison)]


def theirs(comparison: Comparison) -> list[Grid]:
    """Both sides in the columns of performance_test, where one of them was imported from it."""
    if not comparison.theirs:
        return []
    names = list(comparison.theirs[0].columns)
    heads = [Head("Case"), Head("Measured by", wraps=True)]
    rows = [
        Row([Cell(row.label), Cell(row.tool), *(_theirs(row.columns[name]) for name in names)])
        for row in comparison.theirs
    ]
    return [Grid(
        "In the columns of performance_test",
        [*heads, *(Head(name, figure=True) for name in names)], rows,
        "One-way latency; performance_test counts it from the actual sending, Busmark from the "
        "intended. Empty: not known of that side.",
    )]  # fmt: skip


def _theirs(value: float | None) -> Cell:
    return Cell(ABSENT if value is None else text.number(value))


def headlines(comparison: Comparison, chosen: Layout | None = None) -> list[Grid]:
    """One table for each test and placement, with all candidates."""
    chosen = chosen or layout(comparison)
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in comparison.pairs:
        placement = "" if "placement" in comparison.by else pair.placement
        groups.setdefault((pair.test, placement), []).append(pair)

    def place(key: tuple[str, str]) -> tuple[int, tuple[int, str]]:
        rank = TESTS.index(key[0]) if key[0] in TESTS else len(TESTS)
        return rank, placement_rank(key[1])

    found = [_headlines(comparison, groups[k], *k, chosen) for k in sorted(groups, key=place)]
    return [_rounds_once(grid) for grid in found]


def _rounds_once(grid: Grid) -> Grid:
    """Where they are the same in all rows they are no column."""
    every = [index for index, head in enumerate(grid.heads) if head.goes == ROUNDS]
    counts = {row.cells[index].text for row in grid.rows for index in every} - {ABSENT}
    if len(counts) != 1:
        return grid
    baseline, candidate = counts.pop().split(", ")
    note = f"{baseline} rounds on either side."
    if baseline == candidate == "1":
        note = "1 round on either side."
    elif baseline != candidate:
        note = f"Rounds: {baseline} of the baseline, {candidate} of the candidate."
    rows = [
        replace(row, cells=[c for index, c in enumerate(row.cells) if index not in every])
        for row in grid.rows
    ]
    heads = [head for index, head in enumerate(grid.heads) if index not in every]
    return Grid(grid.title, heads, rows, note)


def _headlines(
    comparison: Comparison, pairs: list[Pair], test: str, placement: str, chosen: Layout
) -> Grid:
    names = list(_names(pairs, comparison))
    cases: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        key = (pair.baseline_case, *(cell(pair) for _, cell in names))
        cases.setdefault(key, []).append(pair)
    found = [side.name for side in comparison.candidates]
    present = [name for name in found if any(pair.candidate == name for pair in pairs)]
    where = f" {placement_text(placement)}" if placement else ""
    title = f"{words.versus(present, comparison)}: {TITLES.get(test, test)}{where}"
    if len(found) > 1 and chosen.beside:
        return _beside(title, comparison, list(cases.values()), present, names, chosen)
    if len(found) > 1:
        names.append((Head("Candidate", wraps=True), lambda pair: pair.candidate))
    figures = list(_figures(comparison, pairs, present[0] if len(found) == 1 else "", chosen))
    rows = []
    for own in cases.values():
        for number, pair in enumerate(own):
            lead = [cell(pair) for _, cell in names]
            if number:  # The case is named once.
                lead[:-1] = [""] * (len(lead) - 1)
            cells = [*map(Cell, lead), *(cell(pair) for _, cell in figures)]
            rows.append(_row(cells, pair))
    return Grid(title, [head for head, _ in (*names, *figures)], rows)


def _beside(
    title: str, comparison: Comparison, cases: Sequence[list[Pair]], present: Sequence[str],
    names: Sequence[Name], chosen: Layout,
) -> Grid:  # fmt: skip
    """A group of columns for each candidate."""
    pairs = [pair for own in cases for pair in own]
    columns = [
        (name, column) for name in present for column in _figures(comparison, pairs, name, chosen)
    ]
    rows = []
    for own in cases:
        of = {pair.candidate: pair for pair in own}
        cells = [Cell(cell(own[0])) for _, cell in names]
        cells.append(_value(own[0], "baseline"))
        cells += [cell(of.get(name)) for name, (_, cell) in columns]
        rows.append(_row(cells, own[0]))
    heads = [head for head, _ in names]
    heads += [_value_head(comparison.baseline.name), *(head for _, (head, _) in columns)]
    return Grid(title, heads, rows)


def _row(cells: list[Cell], pair: Pair) -> Row:
    """The floor's verdicts are none."""
    adapter = pair.adapter if pair.label and cells[0].text else ""
    if not pair.is_floor:
        return Row(cells, adapter=adapter)
    return Row([Cell(cell.text, "", cell.drawn) for cell in cells], "floor", adapter)


def _names(pairs: list[Pair], comparison: Comparison) -> Iterator[Name]:
    """What a row is: of the columns only those that say something."""
    if any(pair.label for pair in pairs):
        yield (
            Head(max((p.label_title for p in pairs if p.label), key=len), wraps=True),
            lambda pair: pair.label + (" (floor)" if pair.is_floor else ""),
        )
    if not _sides_are_sizes(pairs, comparison):
        yield Head("Size"), lambda pair: sizes_text(pair) or ABSENT
    if any(pair.workload for pair in pairs):
        yield Head("Workload", wraps=True), lambda pair: pair.workload or ABSENT


def _sides_are_sizes(pairs: list[Pair], comparison: Comparison) -> bool:
    """Whether each candidate has one size, which is in its name."""
    of_side: dict[str, set[str]] = {}
    for pair in pairs:
        of_side.setdefault(pair.candidate, set()).add(sizes_text(pair))
    return "size" in comparison.by and all(len(sizes) == 1 for sizes in of_side.values())


def _figures(
    comparison: Comparison, pairs: list[Pair], candidate: str, chosen: Layout
) -> Iterator[Column]:
    """Columns of one candidate; of any, where each has a row."""
    of = candidate if chosen.beside and len(comparison.candidates) > 1 else ""
    what = next((words.figure_name(h) for pair in pairs if (h := pair.headline)), "")
    shown = words.places([h.change for pair in pairs if (h := pair.headline)])
    margin = comparison.equivalent

    def ratio(pair: Pair | None) -> Cell:
        change = pair.headline if pair else None
        if change is None:
            return NOTHING
        mark = f" {words.mark(change)}" if chosen.compact else ""
        return Cell(words.change_text(change, shown) + mark, change.verdict, change)

    def verdict(pair: Pair | None) -> Cell:
        change = pair.headline if pair else None
        if change is None:
            return NOTHING
        said = f"{words.mark(change)} {words.verdict_text(change, margin)}"
        return Cell(said, change.verdict)

    yield Head(f"Ratio, {what}", figure=True, of=of), ratio
    if not chosen.compact:
        yield Head("Verdict", of=of), verdict
    if of:
        yield _value_head(candidate, of), lambda pair: _value(pair, "candidate")
    else:
        yield _value_head(comparison.baseline.name), lambda pair: _value(pair, "baseline")
        yield _value_head(candidate or "Value"), lambda pair: _value(pair, "candidate")
    for name in (TAIL, FAR_TAIL):
        known = [c for pair in pairs if (c := _named(pair, name)) and _has_column(c)]
        if known:
            title = f"Ratio, {words.figure_name(known[0])}"
            head = Head(title, figure=True, of=of, goes=STAYS if name == TAIL else FAR)
            yield head, _ratio_of(name)
    yield (
        Head("Rounds", figure=True, of=of, goes=ROUNDS),
        lambda pair: Cell(words.rounds_text(pair)) if pair else NOTHING,
    )


def _has_column(change: Change) -> bool:
    return not change.headline and bool(change.change or change.lost)


def _value_head(name: str, of: str = "") -> Head:
    return Head("Value" if of else name, figure=True, of=of, goes=VALUES)


def _value(pair: Pair | None, side: str) -> Cell:
    if pair is None or pair.headline is None:
        return NOTHING
    return Cell(words.value_text(getattr(pair.headline, side)))


def _ratio_of(name: str) -> Callable[[Pair | None], Cell]:
    def cell(pair: Pair | None) -> Cell:
        change = _named(pair, name) if pair else None
        if pair is None or change is None or (change.change is None and not change.lost):
            return NOTHING
        said = _lost_text(pair, change) if change.lost else words.change_text(change)
        return Cell(f"{said} {words.mark(change)}", change.verdict)

    return cell


def _lost_text(pair: Pair, change: Change) -> str:
    """ "lost: 30 %": the percentile falls among these, of the candidate or else of the baseline."""
    loss = _named(pair, "loss")
    role = "candidate" if "candidate" in change.lost else "baseline"
    share = getattr(loss, role) if loss else None
    whose = "" if role == "candidate" else " (baseline)"
    return f"lost: {text.percent_text(share.value if share else None)}{whose}"


def _named(pair: Pair, name: str) -> Change | None:
    return next((change for change in pair.changes if change.name == name), None)


def every_figure(comparison: Comparison, pair: Pair) -> Grid:
    """All figures of a pair, one in a row."""
    heads = [
        Head("Figure", wraps=True), Head("Ratio or difference", figure=True), Head("Verdict"),
        Head(comparison.baseline.name, figure=True, goes=VALUES),
        Head(pair.candidate, figure=True, goes=VALUES), Head("p", figure=True, goes=FAR),
        Head("p, corrected", figure=True, goes=ROUNDS), Head("Samples", figure=True, goes=FAR),
    ]  # fmt: skip
    rows = [_row(_figure_cells(change, comparison), pair) for change in pair.changes]
    return Grid(words.title(pair, comparison), heads, rows)


def _figure_cells(change: Change, comparison: Comparison) -> list[Cell]:
    counts = [f.count for f in (change.baseline, change.candidate) if f]
    counted = ", ".join(map(text.count, counts)) if change.quantity != "discovery" else ABSENT
    said = f"{words.mark(change)} {words.verdict_text(change, comparison.equivalent)}"
    plain = (
        words.value_text(change.baseline), words.value_text(change.candidate),
        words.p_text(change.p_value), words.p_text(change.p_adjusted), counted or ABSENT,
    )  # fmt: skip
    return [
        Cell(words.figure_name(change)), Cell(words.change_text(change), change.verdict),
        Cell(said, change.verdict), *map(Cell, plain),
    ]  # fmt: skip


def environments(comparison: Comparison) -> Grid | None:
    """In what the sides differ besides what is compared."""
    if not comparison.differences:
        return None
    several = len(comparison.candidates) > 1
    heads = [Head("Area"), Head("Fact", wraps=True), Head(comparison.baseline.name, wraps=True)]
    heads += [Head("Candidate", wraps=True)] if several else []
    other = "Its value" if several else comparison.candidates[0].name
    heads += [Head(other, wraps=True), Head("")]
    rows: list[Row] = []
    for d in comparison.differences:
        texts: Sequence[str] = (
            d.area, d.fact, d.baseline, *([d.candidate] if several else []), d.candidate_value,
            "warning" if d.warning else "",
        )  # fmt: skip
        rows.append(Row([Cell(each) for each in texts], "warning" if d.warning else ""))
    return Grid("What else differs", heads, rows)
