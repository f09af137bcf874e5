"""Native charts of Excel: curves and bars, which read cells below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, isnan, log2, log10
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.chart import Chart
from xlsxwriter.utility import xl_range_abs

from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Bars, DrawnCurve, Picture, Point, Reference

MOST_CURVES = 10
"""Curves in one chart at most; more cannot be distinguished."""

SIZE = {"width": 760, "height": 400}
ROWS_HIGH = 22
"""Rows of a sheet that a chart covers, with a gap."""

FEW_SIZES = 2.0
"""Ratio of largest to smallest size up to which a linear axis will do."""

MOST_TICKS = 12
"""Powers of two that find room below a chart."""

DASHES = {
    "solid": "solid",
    "dash": "dash",
    "dot": "round_dot",
    "dashdot": "dash_dot",
    "longdash": "long_dash",
    "longdashdot": "long_dash_dot",
    "dashdotdot": "long_dash_dot_dot",
    "sparsedot": "square_dot",
    "longshort": "long_dash",
    "sparsedash": "dash",
}
MARKS = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "triangle-up": "triangle",
    "cross": "plus",
    "x": "x",
    "triangle-down": "long_dash",
    "star": "star",
    "line-ew-open": "short_dash",
}
"""Names of `look`, and what Excel calls the nearest."""

FONT = {"num_font": {"size": 9}, "name_font": {"size": 10, "bold": False}}
GRID = {"visible": True, "line": {"color": "#D9D9D9", "width": 0.5}}

COLUMNS = ("x", "value", "down to the lower limit", "up to the upper limit")
"""Columns for a curve; Excel draws the lengths of intervals."""

Row = list[float | str | None]


def rows(shape: Picture | Bars) -> list[Row]:
    """Return the cells that a chart reads: two rows of headings, then values."""
    if isinstance(shape, Bars):
        heads: list[Row] = [["Bar", shape.axis.title, *COLUMNS[2:]]]
        return heads + [
            [bar.label.text, bar.value, *_lengths(bar.value, bar.low, bar.high)]
            for bar in shape.rows
        ]
    every = list(_curves(shape))
    longest = max(len(points) for _, points in every)
    made: list[Row] = [[], []]
    made += [[] for _ in range(longest)]
    for one, points in every:
        made[0] += [one.name, None, None, None]
        made[1] += COLUMNS
        for number in range(longest):
            at = points[number] if number < len(points) else None
            own: Row = [None] * 4
            if at:
                value = None if isnan(at.y) else at.y
                own = [at.x, value, *_lengths(at.y, at.low, at.high)]
            made[2 + number] += own
    return made


def _lengths(value: float, low: float | None, high: float | None) -> Row:
    if low is None or high is None:
        return [None, None]
    return [value - low, high - value]


def _curves(shape: Picture) -> Iterator[tuple[DrawnCurve | Reference, Sequence[Point]]]:
    for curve in shape.plot.curves:
        yield curve, curve.points
    for line in shape.plot.references:
        yield line, [Point(x, y) for x, y in line.ends]


def native(book: Workbook, sheet: str, title: str, shape: Picture | Bars, first: int) -> Chart:
    """Return the chart, whose cells begin at row `first` of the sheet."""
    if isinstance(shape, Bars):
        chart = book.add_chart({"type": "bar"})
        chart.add_series(_bars(sheet, shape, first))
        chart.set_y_axis({"reverse": True, **FONT})
        values = _axis(shape.axis, shape.values())
        chart.set_x_axis(values | {"major_gridlines": GRID, "crossing": "min"})
        legend: dict[str, Any] = {"none": True}
    else:
        chart = book.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
        drawn = 0
        for number, (one, points) in enumerate(_curves(shape)):
            if isinstance(one, Reference) or drawn < MOST_CURVES:
                chart.add_series(_curve(sheet, first, 4 * number, one, points))
            drawn += isinstance(one, DrawnCurve)
        chart.set_x_axis(_axis(shape.plot.x, shape.plot.places()) | {"crossing": "min"})
        values = _axis(shape.plot.y, shape.plot.values())
        chart.set_y_axis(values | {"major_gridlines": GRID, "crossing": "min"})
        legend = {"position": "right", "font": {"size": 9}}
    chart.set_title({"name": title, "name_font": {"size": 12}, "overlay": False})
    chart.set_legend(legend)
    chart.set_size(SIZE)
    chart.show_na_as_empty_cell()
    return chart


def _bars(sheet: str, shape: Bars, first: int) -> dict[str, Any]:
    last = first + len(shape.rows)
    series: dict[str, Any] = {
        "name": [sheet, first, 1],
        "categories": [sheet, first + 1, 0, last, 0],
        "values": [sheet, first + 1, 1, last, 1],
        "points": [{"fill": {"color": look.colour(bar.label)}} for bar in shape.rows],
        "gap": 60,
    }
    if any(bar.low is not None for bar in shape.rows):
        series["x_error_bars"] = _limits(sheet, first + 1, last, 2, "#404040")
    return series


def _curve(
    sheet: str, first: int, column: int, one: DrawnCurve | Reference, points: Sequence[Point]
) -> dict[str, Any]:
    begin, end = first + 2, first + 1 + len(points)
    series: dict[str, Any] = {
        "name": [sheet, first, column],
        "categories": [sheet, begin, column, end, column],
        "values": [sheet, begin, column + 1, end, column + 1],
        "marker": {"type": "none"},
    }
    if isinstance(one, Reference):
        line = {"color": look.GREY, "width": 1.0, "dash_type": DASHES[one.dash]}
        return series | {"line": line}
    colour = look.colour(one.label)
    if one.marks:
        fill = {"none": True} if one.hollow else {"color": colour}
        series["marker"] = {
            "type": MARKS[look.symbol(one.label)],
            "size": 6,
            "border": {"color": colour},
            "fill": fill,
        }
    line = {
        "color": colour,
        "width": 0.75 if one.thin else 1.75,
        "dash_type": DASHES[one.dash or look.dash(one.label)],
    }
    series["line"] = line if one.line else {"none": True}
    if any(point.low is not None for point in points):
        series["y_error_bars"] = _limits(sheet, begin, end, column + 2, colour)
    return series


def _limits(sheet: str, first: int, last: int, column: int, colour: str) -> dict[str, Any]:
    down, up = (f"='{sheet}'!{xl_range_abs(first, at, last, at)}" for at in (column, column + 1))
    return {
        "type": "custom",
        "minus_values": down,
        "plus_values": up,
        "line": {"color": colour, "width": 1.0},
    }


def _axis(axis: Axis, values: Sequence[float]) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": axis.title, "num_format": "#,##0.###", **FONT}
    if axis.kind == "sizes":
        return shown | {"name": f"{axis.title}, B", **_sizes(values)}
    if axis.kind == "log":
        return shown | _logarithmic(values)
    return shown | {"min": 0} if axis.from_zero else shown


def _sizes(sizes: Sequence[float]) -> dict[str, Any]:
    """Return ends of an axis of sizes, and a tick at each power of two or four: without a unit,
    some programs count in tens from the lower end. Excel cannot write them in KiB."""
    positive = [size for size in sizes if size > 0]
    if not positive or min(sizes) <= 0 or max(positive) / min(positive) <= FEW_SIZES:
        return {"min": 0}
    # A point on the edge would lose half of its mark.
    low, high = ceil(log2(min(positive))) - 1, floor(log2(max(positive))) + 1
    if high - low <= MOST_TICKS:
        return {"log_base": 2, "major_unit": 2, "min": 2.0**low, "max": 2.0**high}
    # A power of four needs half as many ticks.
    ends = {"min": 2.0 ** (low - low % 2), "max": 2.0 ** (high + high % 2)}
    return {"log_base": 4, "major_unit": 4, **ends}


def _logarithmic(values: Sequence[float]) -> dict[str, Any]:
    """Return ends of an axis of values, in decades; linear where they differ little."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) / min(positive) <= 20:
        return {"min": 0}
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    return {"log_base": 10, "min": 10.0**low, "max": 10.0 ** max(high, low + 1)}
