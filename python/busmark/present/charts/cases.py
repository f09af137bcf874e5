"""Figures case by case: intervals, and heat maps of labels by sizes and of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log10

from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.figure import Figure
from busmark.model.naming import Label
from busmark.model.quantities import GOODPUT
from busmark.present.charts import look, panels, ticks
from busmark.present.charts.panels import Choice, Draw
from busmark.present.charts.shapes import (
    AveragedValue,
    Axis,
    Bar,
    Bars,
    Heat,
    HeatField,
    across,
    bar,
    points,
    shade,
)
from busmark.present.figures import quantity_name

Pick = Callable[[CaseSummary], Figure | None]

MOST_ABOVE = 2.5
"""Largest height of a line or of the floor, as a multiple of the longest bar: any higher would
squeeze the bars. The caption gives the value of a line beyond."""

FEWEST_ROWS, FEWEST_COLUMNS = 2, 3
"""Labels and sizes of a heat map: a table shows less than that better."""

RATED, PRACTICAL = "rated capacity of the link", "practical: a plain TCP transfer"

CAPACITIES: tuple[tuple[str, str, look.Dash], ...] = (
    (RATED, "rated_mbit_per_s", "dash"),
    (PRACTICAL, "practical_mbit_per_s", "dashdot"),
)
"""Lines across, the fields they are of, and their dash."""

BOUNDED = ", with 95 % intervals."


def counted(figures: Sequence[Figure]) -> str:
    """Return rounds and samples, and whether there are intervals, for a caption."""
    counts = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
    return counts + (BOUNDED if any(f.low is not None for f in figures) else ".")


def intervals(
    pick: Pick,
    unit: str,
    factor: float = 1.0,
    *,
    capacities: bool = False,
    mark: str = "",
    mark_of: Callable[[CaseSummary], float | None] = lambda case: None,
) -> Draw:
    """Return what draws one figure as bars with their intervals, `factor` of which are one of the
    `unit` of the axis; the floor is among them where it was measured at their size.

    Args:
        unit: title of the axis, with the unit behind its last comma.
        capacities: whether capacities of links are lines across all bars.
        mark: the legend's word for what each bar is to be compared with; `mark_of` gives it.
    """
    scales = (text.UnitScale(unit_of(unit), factor),)

    def row(label: Label, case: CaseSummary, figure: Figure) -> Bar:
        note = text.figure_text(figure, scales)
        return bar(label, figure, factor, note=note, mark=mark_of(case))

    def draw(choice: Choice) -> Iterator[Bars]:
        known = [(case, figure) for case in choice.members if (figure := pick(case))]
        figures = [figure for _, figure in known]
        best = max(figure.value for figure in figures)
        rows = [row(choice.label(case), case, figure) for case, figure in known]
        lines, beyond = [], ""
        for name, dash, at in _shared_capacities(choice.members) if capacities else ():
            if at <= MOST_ABOVE * best / factor:
                lines.append((name, dash, at))
            else:
                beyond += f" Beyond the axis: {name}, {text.number(at)} {unit_of(unit)}."
        floor = choice.floor_of_size
        limit = pick(floor) if floor else None
        if floor and limit and limit.value <= MOST_ABOVE * best:
            rows.append(row(choice.label(floor), floor, limit))
        yield Bars(
            choice.keys,
            choice.members,
            Axis(unit, from_zero=True),
            rows,
            counted(figures) + beyond,
            mark=mark if any(each.mark is not None for each in rows) else "",
            references=[across(*line, len(rows)) for line in lines],
        )

    return draw


def unit_of(title: str) -> str:
    """Return the unit in the title of an axis."""
    return title.rpartition(", ")[2]


def _shared_capacities(members: Sequence[CaseSummary]) -> Iterator[tuple[str, look.Dash, float]]:
    """Yield the capacities of the links that all cases share."""
    for name, attribute, dash in CAPACITIES:
        values = {getattr(c, attribute) for c in members if c.has_stream}
        limit = values.pop() if len(values) == 1 else None
        if limit is not None:
            yield name, dash, limit


def specified(case: CaseSummary) -> float | None:
    """Return the goodput that was specified; nothing at full speed. In both directions at once the
    bar counts both, the specification one: not to be compared."""
    paced = panels.paced(case)
    goodput = GOODPUT.figure(case)
    comparable = paced and goodput and goodput.value == paced.carried.value
    return paced.specified_mbit_per_s if paced and comparable else None


def medians(choice: Choice) -> Iterator[Bars]:
    """Draw the median of each case with its interval, and below it the median of each round."""
    rows, halves = [], [case.exchange for case in choice.members if case.exchange]
    for case, half in zip(choice.members, halves, strict=True):
        (rounds,) = case.curves("rounds")  # by the choice of the cases
        parts = [AveragedValue(p.y, f"round {p.x:.0f}") for p in points(rounds, look.MICRO)]
        median, label = half.median, choice.label(case)
        note = f"{text.figure_text(median)}, estimate"
        rows.append(bar(label, median, look.MICRO, note=note, parts=parts))
    sentence = panels.counts_text([h.median.rounds for h in halves], [h.count for h in halves])
    bounded = any(row.low is not None for row in rows)
    yield Bars(
        choice.keys,
        choice.members,
        Axis(f"median {quantity_name(halves[0].quantity)}, µs", "log"),
        rows,
        f"{sentence}.",
        value="estimate and 95 % interval" if bounded else "estimate",
        part="median of one round",
    )


def overview(
    what: str, pick: Pick, scales: Sequence[text.UnitScale], *, more_is_better: bool = False
) -> Draw:
    """Return what draws the map of one figure, which the caption calls `what`: a row for each
    label, a column for each size."""

    def draw(choice: Choice) -> Iterator[Heat]:
        sizes = sorted({case.size for case in choice.members if case.size is not None})
        labels = sorted({case.label for case in choice.members})
        if len(labels) < FEWEST_ROWS or len(sizes) < FEWEST_COLUMNS:
            return
        known: Mapping[tuple[str, int | None], tuple[str, Figure]] = {
            (case.label, case.size): (case.id, f) for case in choice.members if (f := pick(case))
        }
        figures = [figure for _, figure in known.values()]
        positive = [figure.value for figure in figures if figure.value > 0]

        def field(label: str, size: int) -> HeatField | None:
            if (label, size) not in known:
                return None
            case, figure = known[label, size]
            place = shade(figure.value, positive, more_is_better=more_is_better)
            note = f"{label}, {text.size_text(size)}: {text.figure_text(figure, scales)}"
            scale = text.scale_for([figure.value], scales)
            unit = f" {scale.unit}" if len(scales) > 1 else ""
            return HeatField(f"{text.value_text(figure, scale)}{unit}", place, note, case=case)

        rows = [(label, [field(label, size) for size in sizes]) for label in labels]
        counts = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
        sentence = f"{what} of {text.plural(len(known), 'case')}; {counts}."
        marks = [
            (shade(mark, positive, more_is_better=more_is_better), name)
            for mark, name in _marks(positive, scales)
        ]
        yield Heat(
            choice.keys,
            choice.members,
            "size of the body",
            [text.size_text(size) for size in sizes],
            "",
            rows,
            f"{sentence} Light: the best.",
            marks,
        )

    return draw


def _marks(values: Sequence[float], scales: Sequence[text.UnitScale]) -> list[tuple[float, str]]:
    """Return 1, 2 and 5 of every decade, or where these are too few both ends; as values and not as
    logarithms."""
    if not values:
        return []
    low, high = min(values), max(values)
    steps = (1, 2, 5) if high / low < 300 else (1,)
    decades = range(int(log10(low)) - 1, int(log10(high)) + 2)
    marks = [step * 10.0**decade for decade in decades for step in steps]
    within = [mark for mark in marks if low <= mark <= high]
    found = []
    for mark in within if len(within) > 1 else (low, high):
        scale = text.scale_for([mark], scales)
        found.append((mark, f"{ticks.plain(float(f'{mark / scale.factor:.3g}'))} {scale.unit}"))
    return found
