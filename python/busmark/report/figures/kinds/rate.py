"""Goodput over the time of one round, with the system counters below it."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.report.drawing import panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.counters import counters
from busmark.report.figures.sheet import Sheet


def over_time(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Mbit/s by interval, up to ten cases in a figure."""
    cases = panels.measured(source.campaign, "throughput")
    drawn_cases = [c for c in cases if c.series and c.series.rate]
    for keys, members in panels.split(drawn_cases, panels.where):
        sheet = Sheet(theme.ONE_COLUMN_MM, 52)
        (axes,) = sheet.axes()
        points = []
        for case in members:
            rate = case.series and case.series.rate
            assert rate  # by the choice of the cases
            (drawn,) = axes.plot(rate.t_s, rate.mbit_per_s, **theme.line(source.label(case)))
            sheet.entry(case.label, drawn)
            points.append(len(rate.t_s))
        ax.linear_x(axes, "time since the begin of the measurement, s")
        ax.linear_y(axes, "goodput, Mbit/s", from_zero=True)
        told = f"one round each, the middle one; {panels.span_text(points)} intervals."
        yield source.drawing(kind, keys, members, sheet, told)


def resources(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Goodput and counters, one case in each figure."""
    for case in panels.measured(source.campaign, "throughput"):
        rate = case.series and case.series.rate
        if not case.series or not rate:
            continue
        for node, system in panels.nodes(case.series.system):
            sheet = Sheet(theme.TWO_COLUMNS_MM, 81)
            axes = sheet.axes(3, 1, height_ratios=[33, 24, 24])
            axes[0].plot(rate.t_s, rate.mbit_per_s, **theme.line(source.label(case)))
            ax.linear_x(axes[0], "")
            ax.linear_y(axes[0], "goodput, Mbit/s", from_zero=True)
            counters(sheet, axes[1:], system)
            for each in axes:
                each.set_xlim(axes[1].get_xlim())
            told = (
                f"round {rate.round}, {len(rate.t_s)} intervals of goodput, "
                f"{len(system.t_s) - 1} of the counters; before 0 is the warm-up."
            )
            keys = (*panels.where(case), ("Middleware", case.label), *node)
            yield source.drawing(kind, keys, [case], sheet, told)


KINDS = (
    Kind(
        "goodput-time", "Goodput over time", "throughput cases with counters by interval", over_time
    ),
    Kind(
        "goodput-counters", "Goodput and what it costs the machine",
        "throughput cases with counters of the system", resources,
    ),
)  # fmt: skip
