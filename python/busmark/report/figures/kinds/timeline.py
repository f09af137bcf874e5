"""Latency over the time of one round, its last samples one by one, and the system meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes

from busmark.analysis import text
from busmark.analysis.model import CaseSummary
from busmark.analysis.resources import SystemSeries
from busmark.analysis.series import Timeline
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.counters import counters
from busmark.report.figures.sheet import Sheet, place

ROW_MM = 33.0
COUNTERS_MM = 24.0
FEW = 200
"""Samples that are drawn larger."""

FAR = 5.0
"""A floor that is so many times below the fastest sample would flatten the plot: it is told."""

LOST = look.OKABE_ITO[1]


def latency(source: Source, kind: Kind) -> Iterator[Drawing]:
    """RTT/2, one case in each figure, with the system's counters."""
    for case in panels.measured(source.campaign, "latency"):
        shown = case.series.timeline if case.series else None
        if case.series and shown:
            counted = panels.nodes(case.series.system)
            for node, system in counted or (((), None),):
                keys = (*panels.where(case), ("Middleware", case.label), *node)
                sheet = _sheet(source, case, shown, system, "RTT/2, µs")
                told = _told(shown, system) + _floor_beyond(source, case, shown)
                yield source.drawing(kind, keys, [case], sheet, told)


def jitter(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Its change from each sample to the next, one case in each figure."""
    for case in panels.measured(source.campaign, "latency"):
        shown = case.series.jitter_timeline if case.series else None
        if shown:
            keys = (*panels.where(case), ("Middleware", case.label))
            sheet = _sheet(source, case, shown, None, "jitter of RTT/2, µs")
            yield source.drawing(kind, keys, [case], sheet, _told(shown, None))


def _sheet(
    source: Source, case: CaseSummary, shown: Timeline, system: SystemSeries | None, unit: str
) -> Sheet:
    rows = 2 if shown.t_s else 1
    below = 2 if system else 0
    sheet = Sheet(theme.TWO_COLUMNS_MM, rows * ROW_MM + below * COUNTERS_MM)
    heights = [ROW_MM] * rows + [COUNTERS_MM] * below
    axes = sheet.axes(rows + below, 1, height_ratios=heights)
    values = [v / look.MICRO for v in (*shown.value_ns, *shown.detail_value_ns)]
    colour = look.colour(source.label(case))
    if shown.t_s:
        y = [v / look.MICRO for v in shown.value_ns]
        axes[0].plot(shown.t_s, y, color=colour, linewidth=0.5)
        place(axes[0], "the whole round: smallest and largest of every stretch")
    last = axes[rows - 1]
    y = [v / look.MICRO for v in shown.detail_value_ns]
    size = 1.6 if len(y) > FEW else 4.0
    last.plot(
        shown.detail_t_s, y, ".", color=colour, markersize=size, markeredgewidth=0, rasterized=True
    )
    place(
        last, f"its last {text.count(len(y))} samples, every one" if shown.t_s else "every sample"
    )
    _lost(sheet, axes[:rows], shown, max(values))
    is_latency = shown.quantity == "half_round_trip"
    floor = panels.floor_of(source.campaign, case) if is_latency else None
    at = floor.rtt_2.median.value / look.MICRO if floor and floor.rtt_2 else None
    for each in axes[:rows]:
        if floor and at and at * FAR >= min(values):
            drawn = each.axhline(at, **theme.line(source.label(floor)))
            sheet.entry(f"{floor.label}, median", drawn)
            values.append(at)
        if is_latency:
            ax.log_y(each, unit, values)
        else:
            ax.linear_y(each, unit)
        ax.linear_x(each, "time since the first sample, s" if each is last else "")
        each.margins(x=0.01)
    if system:
        counters(sheet, axes[rows:], system)
    return sheet


def _lost(sheet: Sheet, axes: Sequence[Axes], shown: Timeline, top: float) -> None:
    """Crosses where samples were sent that never came back."""
    for number, each in enumerate(axes):
        begin = shown.detail_t_s[0] if number == len(axes) - 1 and shown.t_s else None
        times = [t for t in shown.lost_t_s if begin is None or t >= begin]
        if times:
            (drawn,) = each.plot(times, [top] * len(times), "x", color=LOST, markersize=3.5)
            sheet.entry("lost", drawn)


def _told(shown: Timeline, system: SystemSeries | None) -> str:
    told = f"round {shown.round}, the one whose median is nearest to the middle one; "
    told += text.plural(shown.count, "sample")
    if shown.lost_t_s:
        told += f", {text.count(len(shown.lost_t_s))} lost"
    if system:
        told += f". System counters of the same round, {len(system.t_s) - 1} intervals"
        told += "; before 0 is the warm-up"
    return f"{told}."


def _floor_beyond(source: Source, case: CaseSummary, shown: Timeline) -> str:
    floor = panels.floor_of(source.campaign, case)
    if not floor or not floor.rtt_2:
        return ""
    fastest = min((*shown.value_ns, *shown.detail_value_ns))
    if floor.rtt_2.median.value * FAR >= fastest:
        return ""
    return f" Below the axis: {floor.label}, median {text.figure_text(floor.rtt_2.median)}."


KINDS = (
    Kind(
        "latency-timeline", "Latency over time", "latency cases with samples over time", latency
    ),
    Kind(
        "jitter-timeline", "Jitter over time", "latency cases with two consecutive samples", jitter
    ),
)  # fmt: skip
