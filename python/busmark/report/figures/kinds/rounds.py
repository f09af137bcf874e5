"""Medians round by round beside the estimate: how much of a difference is luck of the round."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.lines import Line2D

from busmark.analysis.text import figure_text
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet

ROW_MM = 7.0
AROUND_MM = 16.0


def medians(source: Source, kind: Kind) -> Iterator[Drawing]:
    """A row for each case: the estimate with its interval, below it the rounds."""
    cases = [
        c for c in panels.measured(source.campaign, "latency")
        if c.rtt_2 and c.series and c.series.medians
    ]  # fmt: skip
    for keys, members in panels.split(cases, panels.where):
        sheet = Sheet(theme.ONE_COLUMN_MM, AROUND_MM + ROW_MM * len(members))
        (axes,) = sheet.axes()
        values: list[float] = []
        for row, case in enumerate(members):
            found = case.series.medians if case.series else None
            assert case.rtt_2 and found  # by the choice of the cases
            median = case.rtt_2.median
            low = median.value if median.low is None else median.low
            high = median.value if median.high is None else median.high
            spread = [[(median.value - low) / look.MICRO], [(high - median.value) / look.MICRO]]
            style = theme.points(source.label(case)) | {"linestyle": "none"}
            axes.errorbar(
                [median.value / look.MICRO], [row - 0.16], xerr=spread, capsize=2.5, **style
            )
            rounds = [v / look.MICRO for v in found.values]
            axes.plot(
                rounds, [row + 0.2] * len(rounds), "o", markersize=3, markerfacecolor="none",
                color=look.colour(source.label(case)),
            )  # fmt: skip
            values += [*rounds, low / look.MICRO, high / look.MICRO]
        mark, empty = [
            theme.REFERENCE | {"marker": "o", "linestyle": style} for style in ("-", "none")
        ]
        sheet.entry("estimate and 95 % interval", Line2D([], [], **mark))
        sheet.entry("median of one round", Line2D([], [], markerfacecolor="none", **empty))
        axes.set_yticks(range(len(members)), [theme.shown(c.label, 34) for c in members])
        axes.set_ylim(len(members) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
        ax.log_x(axes, "median RTT/2, µs", values)
        halves = [c.rtt_2 for c in members if c.rtt_2]
        told = panels.counts_text([h.median.rounds for h in halves], [h.count for h in halves])
        floor = panels.floor_of(source.campaign, members[0])
        if floor and floor.rtt_2:
            told += f". Not drawn: {floor.label}, {figure_text(floor.rtt_2.median)}"
        yield source.drawing(kind, keys, members, sheet, f"{told}.")


KINDS = (
    Kind(
        "latency-medians", "Medians, round by round", "latency cases with a counted round", medians
    ),
)
