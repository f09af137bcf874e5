"""Histograms: 25 bins between the 5th and the 95th percentile, and bins of equal ratio over all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from busmark.analysis.model import CaseSummary
from busmark.analysis.shapes import Histogram
from busmark.report.drawing import look
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure, sets
from busmark.report.figures.sheet import Sheet, place, unused

CELL_MM = 42.0
SIDE_BY_SIDE = 3


def linear(measure: Measure) -> Kind:
    """A plot for each case: their ranges have little in common."""

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, measure.shape):
            columns = min(SIDE_BY_SIDE, len(found.members))
            rows = ceil(len(found.members) / columns)
            width = theme.TWO_COLUMNS_MM if columns > 1 else theme.ONE_COLUMN_MM
            sheet = Sheet(width, rows * CELL_MM)
            cells = sheet.axes(rows, columns)
            counts: list[int] = []
            for axes, case in zip(cells, found.members, strict=False):
                shape = measure.shape(case)
                assert shape  # by the choice of the cases
                _bars(axes, shape.histogram, shape.count, look.colour(source.label(case)))
                place(axes, case.label)
                ax.linear_x(axes, measure.unit)
                axes.xaxis.set_major_locator(MaxNLocator(4))
                ax.linear_y(axes, "samples in bin, %", from_zero=True)
                counts.append(shape.count)
            unused(cells[len(found.members) :])
            told = f"{found.told(counts)}, all counted rounds together. 25 bins between the 5th "
            told += "and the 95th percentile; a tenth of the samples lies beyond."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    return Kind(f"{measure.name}-histogram", f"{measure.title}: histogram", measure.needs, draw)


def logarithmic(measure: Measure) -> Kind:
    """All samples, in steps, up to ten cases in one plot."""

    def of(case: CaseSummary) -> Histogram | None:
        shape = measure.shape(case)
        return shape.log_histogram if shape else None

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, of):
            sheet = Sheet(theme.ONE_COLUMN_MM, 58)
            (axes,) = sheet.axes()
            edges: list[float] = []
            shares: list[float] = []
            counts: list[int] = []
            for case in found.members:
                histogram = of(case)
                assert histogram  # by the choice of the cases
                total = sum(histogram.counts) + histogram.below + histogram.above
                share = [100 * count / total for count in histogram.counts]
                x = [edge / look.MICRO for edge in histogram.edges_ns]
                style = theme.line(source.label(case))
                sheet.entry(case.label, axes.stairs(share, x, baseline=None, **style))
                edges += x
                shares += share
                counts.append(total)
            ax.log_x(axes, measure.magnitude, edges)
            ax.log_y(axes, "samples in bin, %", shares)
            told = f"{found.told(counts)}, all counted rounds together. 25 bins of equal ratio "
            told += "from the smallest sample above 0 to the largest."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    title = f"{measure.title}: histogram of all samples, logarithmic"
    return Kind(f"{measure.name}-histogram-log", title, measure.needs, draw)


def _bars(axes: Axes, histogram: Histogram, count: int, colour: str) -> None:
    edges = [edge / look.MICRO for edge in histogram.edges_ns]
    share = [100 * n / count for n in histogram.counts]
    if edges[0] == edges[-1]:
        # All samples are equal: one line where they are.
        axes.vlines([edges[0]], 0, [sum(share)], color=colour, linewidth=3)
        return
    widths = [b - a for a, b in pairwise(edges)]
    axes.bar(
        edges[:-1], share, width=widths, align="edge", color=colour, alpha=0.85,
        edgecolor="white", linewidth=0.4,
    )  # fmt: skip


KINDS = tuple(kind(measure) for kind in (linear, logarithmic) for measure in MEASURES)
