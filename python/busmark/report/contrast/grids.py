"""The tables of a comparison as text: the same for terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from busmark.analysis import text
from busmark.analysis.dimensions import placement_rank, placement_text
from busmark.analysis.grouping import TESTS
from busmark.analysis.text import ABSENT, size_text
from busmark.compare.model import Change, Contrast, Pair
from busmark.report.contrast import words
from busmark.report.tables import TITLES


@dataclass(frozen=True, slots=True)
class Head:
    """A column: its title, whether it holds figures, whether it may go where room
    is short, and whether its texts may be broken."""

    title: str
    figure: bool = False
    detail: bool = False
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts; `styles` has a word for each row, such as slower or floor."""

    title: str
    heads: list[Head]
    rows: list[list[str]]
    styles: list[str]
    changes: list[Change | None]
    """What each row's verdict is about, for who draws it."""

    @property
    def ratio_column(self) -> int | None:
        """Where the ratio is that a bar may follow."""
        return next((i for i, head in enumerate(self.heads) if head.figure), None)


Cell = Callable[[Pair], str]

TAILS = ("p99.latency", "p99.9.latency")


def headlines(contrast: Contrast) -> list[Grid]:
    """One table for each candidate, test and placement: a case in a row."""
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in contrast.pairs:
        groups.setdefault((pair.candidate, pair.test, pair.placement), []).append(pair)
    order = [side.name for side in contrast.candidates]

    def place(key: tuple[str, str, str]) -> tuple[int, int, tuple[int, str]]:
        candidate, test, placement = key
        rank = TESTS.index(test) if test in TESTS else len(TESTS)
        return order.index(candidate), rank, placement_rank(placement)

    return [_headlines(contrast, groups[key], *key) for key in sorted(groups, key=place)]


def _headlines(
    contrast: Contrast, pairs: list[Pair], candidate: str, test: str, placement: str
) -> Grid:
    title = TITLES.get(test, test)
    what = next((words.figure_name(h) for p in pairs if (h := p.headline)), "")
    columns = [*_names(pairs), *_figures(contrast, pairs, candidate, what)]
    return Grid(
        title=f"{candidate} against {contrast.baseline.name}: {title} {placement_text(placement)}",
        heads=[head for head, _ in columns],
        rows=[[cell(pair) for _, cell in columns] for pair in pairs],
        styles=[_style(pair) for pair in pairs],
        changes=[pair.headline for pair in pairs],
    )


def _style(pair: Pair) -> str:
    return "floor" if pair.is_floor else pair.verdict


def _names(pairs: list[Pair]) -> Iterator[tuple[Head, Cell]]:
    """What a row is: of the columns only those that say something."""
    if any(pair.label for pair in pairs):
        yield (
            Head("Middleware", wraps=True),
            lambda pair: pair.label + (" (floor)" if pair.is_floor else ""),
        )
    yield Head("Size"), lambda pair: size_text(pair.size)
    if any(pair.workload for pair in pairs):
        yield Head("Workload", wraps=True), lambda pair: pair.workload or ABSENT


def _figures(
    contrast: Contrast, pairs: list[Pair], candidate: str, what: str
) -> Iterator[tuple[Head, Cell]]:
    shown = words.places([h.change for p in pairs if (h := p.headline)])
    margin = contrast.equivalent

    def ratio(pair: Pair) -> str:
        return words.change_text(pair.headline, shown) if pair.headline else ABSENT

    def verdict(pair: Pair) -> str:
        if pair.headline is None:
            return ABSENT
        told = words.verdict_text(pair.headline, margin)
        return f"{words.mark(pair.headline)} {told}"

    def side(name: str) -> Cell:
        def value(pair: Pair) -> str:
            return words.value_text(getattr(pair.headline, name)) if pair.headline else ABSENT

        return value

    yield Head(f"Ratio, {what}", figure=True), ratio
    yield Head("Verdict"), verdict
    yield Head(contrast.baseline.name, figure=True, detail=True), side("baseline")
    yield Head(candidate, figure=True, detail=True), side("candidate")
    for name in TAILS:
        known = [c for pair in pairs if (c := _named(pair, name)) and c.change and not c.headline]
        if known:
            title = f"Ratio, {words.figure_name(known[0])}"
            yield Head(title, figure=True, detail=True), _ratio_of(name)
    yield Head("Rounds", figure=True), words.rounds_text


def _ratio_of(name: str) -> Cell:
    def cell(pair: Pair) -> str:
        change = _named(pair, name)
        if change is None or change.change is None:
            return ABSENT
        told = "" if change.verdict in ("equivalent", "cannot tell") else f" {words.mark(change)}"
        return words.change_text(change) + told

    return cell


def _named(pair: Pair, name: str) -> Change | None:
    return next((change for change in pair.changes if change.name == name), None)


def every_figure(contrast: Contrast, pair: Pair) -> Grid:
    """All figures of a pair, one in a row."""
    heads = [Head("Figure", wraps=True), Head("Ratio or difference", figure=True), Head("Verdict")]
    details = (contrast.baseline.name, pair.candidate, "p", "p, Holm", "Samples")
    heads += [Head(title, figure=True, detail=True) for title in details]
    return Grid(
        title=words.title(pair, contrast),
        heads=heads,
        rows=[_figure_row(change, contrast) for change in pair.changes],
        styles=["floor" if pair.is_floor else change.verdict for change in pair.changes],
        changes=list(pair.changes),
    )


def _figure_row(change: Change, contrast: Contrast) -> list[str]:
    counts = [f.count for f in (change.baseline, change.candidate) if f]
    counted = ", ".join(map(text.count, counts)) if change.quantity != "discovery" else ABSENT
    return [
        words.figure_name(change), words.change_text(change),
        f"{words.mark(change)} {words.verdict_text(change, contrast.equivalent)}",
        words.value_text(change.baseline), words.value_text(change.candidate),
        words.p_text(change.p_value), words.p_text(change.p_adjusted), counted or ABSENT,
    ]  # fmt: skip


def environments(contrast: Contrast) -> Grid | None:
    """In what the sides differ besides what is compared."""
    if not contrast.differences:
        return None
    several = len(contrast.candidates) > 1
    heads = [Head("Area"), Head("Fact", wraps=True), Head(contrast.baseline.name, wraps=True)]
    other = "other" if several else contrast.candidates[0].name
    heads += [Head(other, wraps=True), *([Head("of")] if several else []), Head("")]
    rows = [
        [d.area, d.fact, d.baseline, d.candidate_value, *([d.candidate] if several else []),
         "warning" if d.warning else ""]
        for d in contrast.differences
    ]  # fmt: skip
    styles = ["warning" if d.warning else "" for d in contrast.differences]
    return Grid("What else differs", heads, rows, styles, [None] * len(rows))
