"""A sheet for each chart of curves, of `present.charts`: its data in cells, and native charts."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from xlsxwriter.utility import xl_range_abs

from busmark.analysis.model import Campaign
from busmark.present.charts import look
from busmark.present.charts.kinds import CURVES, ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, Reference
from busmark.report.workbook import charts
from busmark.report.workbook.book import FIRST_ROW, Book, Sheet

MOST_PICTURES = 30
"""On a sheet; nobody looks through more."""

COLUMNS = ("x", "value", "down to the lower limit", "up to the upper limit")


def sheets(book: Book, campaign: Campaign) -> None:
    """Sheets of the charts for which the campaign has data."""
    for chart in CURVES:
        pictures = list(chart.draw(campaign, chart.cases(campaign)))
        if pictures:
            _sheet(book, chart, pictures)


def _sheet(book: Book, chart: ChartKind, pictures: Sequence[Picture]) -> None:
    sheet = book.sheet(chart.title, chart.title, "a chart of curves, and what it draws",
                       note=chart.explanation)  # fmt: skip
    row = FIRST_ROW
    for picture in pictures[:MOST_PICTURES]:
        row = _picture(sheet, row, chart, picture)
    if len(pictures) > MOST_PICTURES:
        sheet.parts.append(
            f"The sheet {sheet.name} has {MOST_PICTURES} of {len(pictures):,} charts; the others "
            "are on the page."
        )


def _picture(sheet: Sheet, row: int, chart: ChartKind, picture: Picture) -> int:
    """Caption, chart, and below it the cells that it reads; gives the row after them."""
    styles = sheet.book.styles
    sheet.text(row, 0, picture.caption, styles.note)
    head = row + 1 + charts.ROWS_HIGH
    drawn = sheet.book.workbook.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
    longest = 0
    every: list[Curve | Reference] = [*picture.curves, *picture.references]
    for number, one in enumerate(every):
        points = one.points if isinstance(one, Curve) else [Point(x, y) for x, y in one.ends]
        _cells(sheet, head, 4 * number, one.name, points)
        longest = max(longest, len(points))
        if number < charts.MOST_CURVES + len(picture.references):
            drawn.add_series(_series(sheet, head, 4 * number, one, points))
    drawn.set_x_axis(_axis(picture.x, picture.places()))
    values = picture.values()
    drawn.set_y_axis(_axis(picture.y, values) | {"major_gridlines": charts.GRID})
    drawn.set_title({"name": chart.title, "name_font": {"size": 12}, "overlay": False})
    drawn.set_legend({"position": "right", "font": {"size": 9}})
    drawn.set_size(charts.SIZE)
    sheet.page.insert_chart(row + 1, 0, drawn, {"object_position": 3})
    return head + longest + 3


def _cells(sheet: Sheet, head: int, column: int, name: str, points: Sequence[Point]) -> None:
    styles, page = sheet.book.styles, sheet.page
    sheet.text(head, column, name, styles.head)
    for offset, title in enumerate(COLUMNS):
        sheet.text(head + 1, column + offset, title, styles.note)
    for row, point in enumerate(points, head + 2):
        page.write_number(row, column, point.x)
        if not isnan(point.y):
            page.write_number(row, column + 1, point.y)
        if point.low is not None and point.high is not None:
            page.write_number(row, column + 2, point.y - point.low)
            page.write_number(row, column + 3, point.high - point.y)


def _series(
    sheet: Sheet, head: int, column: int, one: Curve | Reference, points: Sequence[Point]
) -> dict[str, Any]:
    first, last = head + 2, head + 1 + len(points)
    series: dict[str, Any] = {
        "name": sheet.cells(column, head, head),
        "categories": sheet.cells(column, first, last),
        "values": sheet.cells(column + 1, first, last),
        "marker": {"type": "none"},
    }
    if isinstance(one, Reference):
        line = {"color": look.GREY, "width": 1.0, "dash_type": charts.DASHES[one.dash]}
        return series | {"line": line}
    colour = look.colour(one.label)
    if one.marks:
        fill = {"none": True} if one.hollow else {"color": colour}
        series["marker"] = {"type": charts.MARKS[look.symbol(one.label)], "size": 6,
                            "border": {"color": colour}, "fill": fill}  # fmt: skip
    dash = charts.DASHES[one.dash or look.dash(one.label)]
    width = 0.75 if one.thin else 1.75
    shown = {"color": colour, "width": width, "dash_type": dash}
    series["line"] = shown if one.line else {"none": True}
    if any(point.low is not None for point in points):
        down, up = (_range(sheet, at, first, last) for at in (column + 2, column + 3))
        series["y_error_bars"] = {"type": "custom", "minus_values": down, "plus_values": up,
                                  "line": {"color": colour, "width": 1.0}}  # fmt: skip
    return series


def _range(sheet: Sheet, column: int, first: int, last: int) -> str:
    return f"='{sheet.name}'!{xl_range_abs(first, column, last, column)}"


def _axis(axis: Axis, values: Sequence[float]) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": axis.title, "num_format": "#,##0.###", "crossing": "min"}
    if axis.kind == "sizes":
        shown |= {"name": f"{axis.title}, B", **charts.sizes_axis(values)}
    elif axis.kind == "log":
        shown |= charts.values_axis(values)
    elif axis.from_zero:
        shown |= {"min": 0}
    return shown | charts.FONT
