"""Trials of a search for capacity: what was offered, and what arrived."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.analysis.text import MBIT, figure_text
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.limits import draw_limits
from busmark.report.figures.sheet import Sheet


def trials(source: Source, kind: Kind) -> Iterator[Drawing]:
    """A point for each trial, filled where it met the criterion."""
    cases = [c for c in panels.measured(source.campaign, "capacity") if c.capacity]
    for keys, members in panels.split(cases, panels.where):
        sheet = Sheet(theme.ONE_COLUMN_MM, 62)
        (axes,) = sheet.axes()
        offered: list[float] = []
        carried: list[float] = []
        told = []
        for case in members:
            found = case.capacity
            assert found  # by the choice of the cases
            style = theme.points(source.label(case)) | {"linestyle": "none"}
            for passed in (True, False):
                shown = [
                    (t.offered_mbit_per_s, t.mbit_per_s) for t in found.trials
                    if t.rate_hz and t.mbit_per_s and (t.shortfall is None) == passed
                ]  # fmt: skip
                x, y = [o for o, _ in shown], [c for _, c in shown]
                face = {} if passed else {"markerfacecolor": "white"}
                (drawn,) = axes.plot(x, y, **(style | face))
                sheet.entry(case.label if passed else f"{case.label}, not met", drawn)
                offered += x
                carried += y
            if found.sustained:
                at = found.sustained.value
                axes.axvline(at, color=look.colour(source.label(case)), linewidth=0.7)
            result = figure_text(found.sustained, MBIT) if found.sustained else "not found"
            told.append(
                f"{case.label} {result}, {found.confirmed} of {found.confirm} trials confirm it"
            )
        if not offered:
            continue
        limits = draw_limits(
            sheet, axes, offered,
            (c.capacity.rated_mbit_per_s for c in members if c.capacity),
            (c.capacity.practical_mbit_per_s for c in members if c.capacity),
        )  # fmt: skip
        ax.log_x(axes, "offered, Mbit/s", offered)
        ax.log_y(axes, "goodput, Mbit/s", [*carried, *limits])
        sustained = f"{'; '.join(told)}. Vertical: the greatest rate that was sustained."
        yield source.drawing(kind, keys, members, sheet, sustained)


KINDS = (
    Kind(
        "capacity-trials", "Trials of the search for capacity",
        "cases of the test capacity with a finished trial", trials,
    ),
)  # fmt: skip
