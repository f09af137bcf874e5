"""Goodput as bars with intervals."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.analysis.text import MBIT, figure_text
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet

ROW_MM = 5.5
AROUND_MM = 14.0


def bars(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Mbit/s at the reader, a bar for each case."""
    cases = [c for c in panels.measured(source.campaign, "throughput") if c.goodput]
    paced = [c for c in cases if panels.paced(c)]
    if panels.is_ascent(paced):
        # They are one figure, over their rates.
        cases = [c for c in cases if c not in paced]
    for keys, members in panels.split(cases, panels.where):
        sheet = Sheet(theme.ONE_COLUMN_MM, AROUND_MM + ROW_MM * len(members))
        (axes,) = sheet.axes()
        for row, case in enumerate(members):
            figure = case.goodput
            assert figure  # by the choice of the cases
            low = figure.value if figure.low is None else figure.low
            high = figure.value if figure.high is None else figure.high
            axes.barh(
                row, figure.value, height=0.62, color=look.colour(source.label(case)),
                xerr=[[figure.value - low], [high - figure.value]],
                error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": theme.TEXT},
            )  # fmt: skip
        axes.set_yticks(range(len(members)), [theme.shown(c.label, 34) for c in members])
        axes.set_ylim(len(members) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
        ax.linear_x(axes, "goodput, Mbit/s", from_zero=True)
        figures = [c.goodput for c in members if c.goodput]
        told = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
        told += "; bars: 95 % interval"
        floor = panels.floor_of(source.campaign, members[0])
        if floor and floor.goodput:
            told += f". Not drawn: {floor.label}, {figure_text(floor.goodput, MBIT)}"
        yield source.drawing(kind, keys, members, sheet, f"{told}.")


KINDS = (Kind("goodput", "Goodput", "throughput cases with a counted round", bars),)
