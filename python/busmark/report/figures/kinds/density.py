"""Kernel densities: with a bandwidth that follows from the data, and with the fixed 10 µs."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes

from busmark.analysis.shapes import Density, Shape
from busmark.analysis.text import number, scale_for
from busmark.report.drawing.curves import density_points
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
            own, fixed = sheet.axes(1, 2)
            shapes: list[Shape] = []
            for case in found.members:
                shape = measure.shape(case)
                assert shape  # by the choice of the cases
                style = theme.line(source.label(case))
                sheet.entry(case.label, _curve(own, shape.density, shape, style))
                _curve(fixed, shape.density_10us, shape, style)
                shapes.append(shape)
            place(own, f"(a) bandwidth from the data: {_span(shapes)}")
            place(fixed, "(b) bandwidth 10 µs")
            for axes in (own, fixed):
                ax.linear_x(axes, measure.unit)
                ax.linear_y(axes, "density, 1/µs", from_zero=True)
            told = f"{found.told([shape.count for shape in shapes])}, all counted rounds together. "
            told += "Gaussian kernel, cut off at the smallest and the largest sample; drawn for "
            told += "the central 99 %, made of all."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    return Kind(f"{measure.name}-density", f"{measure.title}: density", measure.needs, draw)


def _curve(axes: Axes, density: Density, shape: Shape, style: dict[str, object]) -> object:
    shown = density_points(density, shape)
    (drawn,) = axes.plot([x for x, _ in shown], [y for _, y in shown], **style)  # type: ignore[arg-type]
    return drawn


def _span(shapes: list[Shape]) -> str:
    widths = [shape.density.bandwidth_ns for shape in shapes]
    low, high = min(widths), max(widths)
    scale = scale_for([low])
    told = [number(value / scale.factor) for value in dict.fromkeys((low, high))]
    return f"{' to '.join(told)} {scale.unit}"


KINDS = tuple(map(kind_of, MEASURES))
