"""Native charts of Excel: they read cells of the sheet they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import Any

from xlsxwriter.chart import Chart

from busmark.analysis.model import Campaign, Label
from busmark.present.charts import look
from busmark.report.workbook.book import Book, Sheet

MOST_CURVES = 10
"""In one chart; more cannot be told apart."""

SIZE = {"width": 760, "height": 400}
ROWS_HIGH = 22
"""Rows of a sheet that a chart covers, with a gap."""

BESIDE = 780
"""Pixels from one chart to the one beside it."""

FEW_SIZES = 2.0
"""Ratio of largest to smallest size up to which a linear axis will do."""

MOST_TICKS = 12
"""Powers of two that find room below a chart."""

SPREAD = 20.0
"""Ratio of largest to smallest value above which the axis of values is logarithmic."""

DASHES = {"solid": "solid", "dash": "dash", "dot": "round_dot", "dashdot": "dash_dot",
          "longdash": "long_dash", "longdashdot": "long_dash_dot"}  # fmt: skip
MARKS = {"circle": "circle", "square": "square", "diamond": "diamond", "triangle-up": "triangle",
         "cross": "plus", "x": "x", "triangle-down": "long_dash", "star": "star",
         "line-ew-open": "short_dash"}  # fmt: skip
"""Names of `look`, and what Excel calls the nearest."""


@dataclass(slots=True)
class Curve:
    """One series: cells of its name, its places and its values."""

    label: Label
    name: list[object]
    x: list[object]
    y: list[object]
    low: str | None = None
    """Cells of the lengths of error bars, below and above."""
    high: str | None = None


def label_of(campaign: Campaign, text: str) -> Label:
    """How the curve of this label looks."""
    return next(label for label in campaign.labels if label.text == text)


def over_size(
    book: Book, title: str, unit: str, curves: Sequence[Curve], sizes: Sequence[float],
    values: Sequence[float],
) -> Chart:  # fmt: skip
    """Values over size, with error bars where there are intervals."""
    chart = book.workbook.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
    for curve in curves[:MOST_CURVES]:
        chart.add_series(_series(curve) | _bars(curve))
    chart.set_x_axis(
        {"name": "size of the body, B", "num_format": "#,##0", **sizes_axis(sizes), **FONT}
    )
    return _finish(chart, title, unit, values)


def bars(
    book: Book, title: str, unit: str, curves: Sequence[Curve], sizes: Sequence[float],
    values: Sequence[float],
) -> Chart:  # fmt: skip
    """Values of one size, a bar for each label."""
    chart = book.workbook.add_chart({"type": "bar"})
    for curve in curves[:MOST_CURVES]:
        fill = {"fill": {"color": look.colour(curve.label)}}
        chart.add_series({"name": curve.name, "categories": curve.x, "values": curve.y, **fill})
    chart.set_y_axis({"visible": False, "reverse": True})
    chart.set_x_axis({"name": unit, "num_format": "General", "major_gridlines": GRID, **FONT})
    chart.set_title({"name": title, "name_font": {"size": 12}, "overlay": False})
    chart.set_legend({"position": "bottom", "font": {"size": 9}})
    chart.set_size(SIZE)
    chart.show_na_as_empty_cell()
    return chart


def ladder(
    book: Book, title: str, unit: str, curves: Sequence[Curve], values: Sequence[float]
) -> Chart:
    """Values at percentiles; the places are names of percentiles, evenly spaced."""
    chart = book.workbook.add_chart({"type": "line"})
    for curve in curves[:MOST_CURVES]:
        chart.add_series(_series(curve))
    chart.set_x_axis({"name": "percentile", **FONT})
    return _finish(chart, title, unit, values)


FONT = {"num_font": {"size": 9}, "name_font": {"size": 10, "bold": False}}
GRID = {"visible": True, "line": {"color": "#D9D9D9", "width": 0.5}}


def _series(curve: Curve) -> dict[str, Any]:
    colour = look.colour(curve.label)
    mark = {"type": MARKS[look.symbol(curve.label)], "size": 6, "border": {"color": colour},
            "fill": {"color": colour}}  # fmt: skip
    line = {"color": colour, "width": 1.75, "dash_type": DASHES[look.dash(curve.label)]}
    return {"name": curve.name, "categories": curve.x, "values": curve.y, "marker": mark,
            "line": line}  # fmt: skip


def _bars(curve: Curve) -> dict[str, Any]:
    if curve.low is None or curve.high is None:
        return {}
    line = {"color": look.colour(curve.label), "width": 1.0}
    return {
        "y_error_bars": {"type": "custom", "minus_values": curve.low, "plus_values": curve.high,
                         "line": line},
    }  # fmt: skip


def sizes_axis(sizes: Sequence[float]) -> dict[str, Any]:
    """Ends of an axis of sizes, and a tick at each power of two or four: where the unit is not
    stated, some programs count in tens from the lower end. Excel cannot write them in KiB."""
    positive = [size for size in sizes if size > 0]
    if not positive or min(sizes) <= 0 or max(positive) / min(positive) <= FEW_SIZES:
        return {"min": 0}
    # A point on the edge would lose half of its mark.
    low, high = ceil(log2(min(positive))) - 1, floor(log2(max(positive))) + 1
    # A power of four needs half as many ticks, where there are many.
    if high - low <= MOST_TICKS:
        return {"log_base": 2, "major_unit": 2, "min": 2.0**low, "max": 2.0**high}
    ends = {"min": 2.0 ** (low - low % 2), "max": 2.0 ** (high + high % 2)}
    return {"log_base": 4, "major_unit": 4, **ends}


def values_axis(values: Sequence[float]) -> dict[str, Any]:
    """Ends of an axis of values, logarithmic where they differ much."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) / min(positive) <= SPREAD:
        return {"min": 0}
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    return {"log_base": 10, "min": 10.0**low, "max": 10.0 ** max(high, low + 1)}


def _finish(chart: Chart, title: str, unit: str, values: Sequence[float]) -> Chart:
    axis: dict[str, Any] = {"name": unit, "num_format": "#,##0.###", "crossing": "min"}
    axis |= values_axis(values)
    chart.set_y_axis({**axis, "major_gridlines": GRID, **FONT})
    chart.set_title({"name": title, "name_font": {"size": 12}, "overlay": False})
    chart.set_legend({"position": "right", "font": {"size": 9}})
    chart.set_size(SIZE)
    chart.show_na_as_empty_cell()
    return chart


def place(sheet: Sheet, row: int, number: int, chart: Chart) -> None:
    """Puts a chart below `row`, two beside each other; filtering rows does not squeeze it."""
    place = {"object_position": 3, "x_offset": number % 2 * BESIDE}
    sheet.page.insert_chart(row + number // 2 * ROWS_HIGH, 0, chart, place)


def stack(sheet: Sheet, row: int, column: int, number: int, chart: Chart) -> None:
    """Puts a chart at the right of a table, one below the other."""
    sheet.page.insert_chart(row + number * ROWS_HIGH, column, chart, {"object_position": 3})
