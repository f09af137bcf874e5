"""Charts of one figure as bars, with its interval, beside the floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Bar, Bars, Reference, across, bar

MOST_ABOVE = 2.5
"""What lies this many times above the longest bar would squeeze the bars; the caption gives it."""

Pick = Callable[[CaseSummary], Figure | None]
Limits = Callable[[Sequence[CaseSummary]], Sequence[Reference]]


def no_limits(members: Sequence[CaseSummary]) -> Sequence[Reference]:
    """Nothing that values are bounded by."""
    return ()


def bars_of(
    key: str, title: str, test: str, pick: Pick, unit: str, factor: float = 1.0, *,
    explanation: str, needs: str, limits: Limits = no_limits, mark: str = "",
    mark_of: Callable[[CaseSummary], float | None] = lambda case: None,
) -> ChartKind:  # fmt: skip
    """The chart of one figure, `factor` of which are one of the `unit` of its axis.

    Args:
        unit: title of the axis, with the unit behind its last comma.
        limits: lines across all bars, in the unit of the axis.
        mark: the legend's word for what each bar is to be compared with; `mark_of` gives it.
    """

    scales = (text.Scale(_unit(unit), factor),)

    def row(campaign: Campaign, case: CaseSummary, figure: Figure) -> Bar:
        label, note = look.label_of(campaign, case), text.figure_text(figure, scales)
        return bar(label, figure, factor, note=note, mark=mark_of(case))

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Bars]:
        for keys, members in panels.split(cases, panels.where):
            known = [(case, figure) for case in members if (figure := pick(case))]
            figures = [figure for _, figure in known]
            best = max(figure.value for figure in figures)
            told = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
            told += ", with 95 % intervals." if any(f.low is not None for f in figures) else "."
            rows = [row(campaign, case, figure) for case, figure in known]
            lines, beyond = _within(limits(members), best / factor, unit)
            floor = panels.floor_of(campaign, members[0])
            limit = pick(floor) if floor else None
            if floor and limit and limit.value <= MOST_ABOVE * best:
                rows.append(row(campaign, floor, limit))
            elif floor and limit:
                beyond += f" Beyond the axis: {floor.label}, {text.figure_text(limit, scales)}."
            marked = mark if any(each.mark is not None for each in rows) else ""
            yield Bars(
                keys, members, Axis(unit, from_zero=True), rows, told + beyond, mark=marked,
                references=[across(line, len(rows)) for line in lines],
            )  # fmt: skip

    return ChartKind(key, title, test, explanation, needs, pick, draw, shape=Bars)


def _within(limits: Sequence[Reference], best: float, unit: str) -> tuple[list[Reference], str]:
    """Limits to draw, and, beyond the axis, to tell."""
    drawn, told = [], ""
    for line in limits:
        at = line.ends[0][0]
        if at <= MOST_ABOVE * best:
            drawn.append(line)
        else:
            told += f" Beyond the axis: {line.name}, {text.number(at)} {_unit(unit)}."
    return drawn, told


def _unit(title: str) -> str:
    return title.rpartition(", ")[2]
