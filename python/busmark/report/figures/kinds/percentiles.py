"""Percentile plots: how latency grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.analysis.curve import Curve
from busmark.analysis.model import CaseSummary
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure
from busmark.report.figures.sheet import Sheet


def kind_of(measure: Measure) -> Kind:
    """Percentiles of one quantity."""

    def curve(case: CaseSummary) -> Curve | None:
        return measure.curve(case)

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        cases = [c for c in panels.measured(source.campaign, measure.test) if curve(c)]
        for keys, members in panels.split(cases, panels.where):
            sheet = Sheet(theme.ONE_COLUMN_MM, 58)
            (axes,) = sheet.axes()
            floor = panels.floor_of(source.campaign, members[0])
            shown = [*members, floor] if floor and curve(floor) else members
            values: list[float] = []
            end = 1.0
            for case in shown:
                found = curve(case)
                assert found is not None  # by the choice of the cases
                x = [look.at_percent(p) for p in found.percent]
                y = [v / look.MICRO for v in found.value_ns]
                (drawn,) = axes.plot(x, y, **theme.line(source.label(case)))
                sheet.entry(case.label, drawn)
                values += y
                end = max(end, x[-1])
            ax.percentiles_x(axes, end)
            ax.log_y(axes, measure.unit, values)
            counts = [c.count for case in members if (c := curve(case))]
            told = panels.counts_text([c.rounds.ok for c in members], counts)
            told += ", all counted rounds together; the last points rest on one sample each."
            told += panels.floor_note(members[0])
            yield source.drawing(kind, keys, members, sheet, told)

    return Kind(
        f"{measure.name}-percentiles", f"{measure.title}: percentiles, to the tail",
        f"{measure.test} cases with {measure.samples}", draw,
    )  # fmt: skip


KINDS = tuple(map(kind_of, MEASURES))
