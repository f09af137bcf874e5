"""Quantile plots: the value that a share of samples does not exceed."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.report.drawing import look
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure, sets
from busmark.report.figures.sheet import Sheet


def kind_of(measure: Measure) -> Kind:
    """Quantiles of one quantity; jitter has both signs."""

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, measure.shape):
            sheet = Sheet(theme.ONE_COLUMN_MM, 58)
            (axes,) = sheet.axes()
            values: list[float] = []
            counts: list[int] = []
            for case in found.members:
                shape = measure.shape(case)
                assert shape  # by the choice of the cases
                y = [v / look.MICRO for v in shape.quantiles.value_ns]
                style = theme.line(source.label(case))
                (drawn,) = axes.plot(shape.quantiles.percent, y, **style)
                sheet.entry(case.label, drawn)
                values += y
                counts.append(shape.count)
            ax.linear_x(axes, "share of samples at or below, %")
            axes.set_xlim(0, 100)
            if measure.is_jitter:
                ax.signed_y(axes, measure.unit, values)
            else:
                ax.log_y(axes, measure.unit, values)
            told = f"{found.told(counts)}, all counted rounds together."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    return Kind(f"{measure.name}-quantiles", f"{measure.title}: quantiles", measure.needs, draw)


KINDS = tuple(map(kind_of, MEASURES))
