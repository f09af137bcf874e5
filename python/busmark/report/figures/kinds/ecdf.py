"""Distribution functions: empirical, and smoothed by a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.report.drawing import look
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure, sets
from busmark.report.figures.sheet import Sheet, place


def kind_of(measure: Measure) -> Kind:
    """Both, side by side, of one quantity."""

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, measure.shape):
            sheet = Sheet(theme.TWO_COLUMNS_MM, 58)
            empirical, smoothed = sheet.axes(1, 2, sharey=True)
            values: list[float] = []
            counts: list[int] = []
            for case in found.members:
                shape = measure.shape(case)
                assert shape  # by the choice of the cases
                style = theme.line(source.label(case))
                x = [v / look.MICRO for v in shape.quantiles.value_ns]
                (drawn,) = empirical.plot(x, shape.quantiles.percent, **style)
                sheet.entry(case.label, drawn)
                values += x
                cdf = shape.smoothed_cdf
                at = [v / look.MICRO for v in cdf.at_ns]
                smoothed.plot(at, [100 * share for share in cdf.share], **style)
                counts.append(shape.count)
            place(empirical, "(a) empirical")
            place(smoothed, "(b) smoothed by a Gaussian kernel, central 99 %")
            if measure.is_jitter:
                ax.signed_x(empirical, measure.unit, values)
            else:
                ax.log_x(empirical, measure.unit, values)
            ax.linear_x(smoothed, measure.unit)
            ax.linear_y(empirical, "share of samples at or below, %")
            empirical.set_ylim(0, 100)
            told = f"{found.told(counts)}, all counted rounds together."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    title = f"{measure.title}: distribution function"
    return Kind(f"{measure.name}-ecdf", title, measure.needs, draw)


KINDS = tuple(map(kind_of, MEASURES))
