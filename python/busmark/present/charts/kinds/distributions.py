"""What charts of a distribution share: of latency and its jitter, by pings and under load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import figure_text, number, scale_for
from busmark.present.charts import look, panels
from busmark.present.charts.kinds import floors
from busmark.present.charts.kinds.kind import ChartKind, Place
from busmark.present.charts.kinds.measures import MEASURES, Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Reference

Draw = Callable[[Campaign, Keys, Sequence[CaseSummary], Measure], Picture]

SHARE = "share of samples sent, at or below, %"

PLACES = {
    "latency": ("latency-distribution", "Distribution"),
    "throughput": ("probe-distribution", "Latency under load: distribution"),
}


def charts(
    kind: str, title: str, choice: str, explanation: str, draw: Draw,
    has: Callable[[Measure, CaseSummary], object] = Measure.shape,
) -> tuple[ChartKind, ...]:  # fmt: skip
    """One for each quantity; `choice` is its name in the selector of the page."""
    return tuple(_chart(measure, kind, title, choice, explanation, draw, has)
                 for measure in MEASURES)  # fmt: skip


def _chart(
    measure: Measure, kind: str, title: str, choice: str, explanation: str, draw: Draw,
    has: Callable[[Measure, CaseSummary], object],
) -> ChartKind:  # fmt: skip
    def pictures(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        for keys, members in panels.split(cases, panels.where):
            yield draw(campaign, keys, members, measure)

    return ChartKind(
        f"{measure.name}-{kind}", f"{measure.title}: {title}", measure.test, explanation,
        measure.needs, lambda case: has(measure, case), pictures, of_series=True,
        place=place(measure, choice), by_case=True,
    )  # fmt: skip


def place(measure: Measure, choice: str) -> Place:
    """Where the page has all that is about a distribution; `choice` is a name in its selector."""
    of = "jitter" if measure.is_jitter else "latency"
    return Place(*PLACES[measure.test], (("Plot", choice), ("Of", of)))


def told(members: Sequence[CaseSummary], counts: Sequence[int | None]) -> str:
    """Rounds and samples, for a caption."""
    rounds = panels.counts_text([case.rounds.ok for case in members], counts)
    return f"{rounds}, all counted rounds together"


def with_floor(
    campaign: Campaign, members: Sequence[CaseSummary], measure: Measure
) -> tuple[list[CaseSummary], str]:
    """The cases, and their floor where it has a distribution that is near; where it is far, a
    sentence that tells its median."""
    floor = panels.floor_of(campaign, members[0])
    own = floor and measure.curve(floor)
    if not floor or not own:
        return list(members), ""
    values = [v for case in members if (of := measure.curve(case)) for v in of.value_ns]
    if floors.near(own.value_ns, values):
        return [*members, floor], panels.floor_note(members[0])
    pairs = zip(own.percent, own.value_ns, strict=True)
    middle = next((v for percent, v in pairs if percent >= 50), own.value_ns[-1])
    what = "median |jitter|" if measure.is_jitter else "median"
    scale = scale_for([middle])
    told = f" Below the axis: {floor.label}, {what} {number(middle / scale.factor)} {scale.unit}."
    return list(members), told + panels.floor_note(members[0])


def floor_median(
    campaign: Campaign, case: CaseSummary, measure: Measure
) -> tuple[CaseSummary, Figure] | None:
    """The floor where only a line stands for it. Jitter lies about 0 anyway."""
    floor = panels.floor_of(campaign, case)
    return (floor, floor.rtt_2.median) if floor and floor.rtt_2 and not measure.is_jitter else None


def beside_floor(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure, title: str,
    curves: Sequence[Curve], explained: str, *, apart: bool = False,
) -> Picture:  # fmt: skip
    """Curves over values, of which `title` says how frequent they are; the floor is a line at its
    median, for its own shape would dwarf all others.

    Args:
        explained: follows rounds and samples in the caption.
    """
    counts = told(members, [shape.count for _, shape in measure.shapes(members)])
    text = f"{counts}. {explained}{panels.back_text(members)}"
    lines = []
    if found := floor_median(campaign, members[0], measure):
        floor, median = found
        top = max((p.y for curve in curves for p in curve.points), default=1.0)
        at, name = median.value / look.MICRO, f"{floor.label}, median"
        lines.append(Reference(name, "dash", ((at, 0.0), (at, top)), fits_axis=False))
        text += floor_told(members[0], floor, median)
    axes = Axis(measure.axis(members)), Axis(title, from_zero=True)
    return Picture(keys, members, *axes, curves, text, lines, apart=apart)


def floor_told(case: CaseSummary, floor: CaseSummary, median: Figure) -> str:
    """A sentence for a caption that follows others."""
    told = (
        f" Dashed, where the axis reaches it: the median of {floor.label}, {figure_text(median)}."
    )
    return told + panels.floor_note(case)
