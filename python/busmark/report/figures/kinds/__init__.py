"""The kinds of figures: the charts of `drawing.charts`, drawn by matplotlib, one file for each
shape, and interoperability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from busmark.report.drawing import picture
from busmark.report.drawing.bars import BarChart
from busmark.report.drawing.boxes import BoxChart
from busmark.report.drawing.charts import CHARTS
from busmark.report.drawing.heat import HeatChart
from busmark.report.drawing.stacks import StackChart
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds import bars, boxes, curves, heat, stacks

SHAPES: dict[type, Callable[[Any, Source, Kind], Iterator[Drawing]]] = {
    picture.Chart: curves.drawings,
    BarChart: bars.drawings,
    BoxChart: boxes.drawings,
    StackChart: stacks.drawings,
    HeatChart: heat.drawings,
}
"""What draws a chart of a shape."""

ALL: tuple[Kind, ...] = (
    *(Kind(chart.key, chart.title, chart.needs, partial(SHAPES[type(chart)], chart))
      for chart in CHARTS),
    heat.INTEROP,
)  # fmt: skip
"""In the order in which they are drawn and listed."""
