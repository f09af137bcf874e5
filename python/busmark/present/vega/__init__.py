"""Charts as Vega-Lite specifications: dictionaries, which the page and print draw alike.

`specification` makes one of any shape of `present.charts.shapes`; `config` is what a theme adds to
it.
Data are inline, as rows: each `{"data": {"values": [...]}}` of a specification is one table. Rows
of curves and bars, and of marks at the edge of a plot, have the name of their series in `s`, which
is in the domains of scales as well; `usermeta.labels` has the label that a series belongs to, so
that a page can leave out what is not chosen.

- `parts`: paths of marks and dashes, layers, the legend. `axes`: where values are.
- `curves`, `bars`, `boxes`, `heat`: one file for each shape. `theme`: sizes and colours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from busmark.present.charts import look
from busmark.present.charts.shapes import Bars, Boxes, Heat, Picture
from busmark.present.vega import bars, boxes, curves, heat
from busmark.present.vega.parts import ChartFrame, Spec
from busmark.present.vega.theme import config

__all__ = ["config", "specification"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

VIEWS: dict[type, Callable[[Any, ChartFrame], Spec]] = {
    Picture: curves.picture,
    Bars: bars.view,
    Boxes: boxes.view,
    Heat: heat.view,
}
"""Functions that make the views of a shape, by its type."""


def specification(
    shape: Any,
    *,
    width: float,
    height: float | None = None,
    linear: bool | None = False,
    em: float = 12.0,
    pointer: bool = True,
) -> Spec:
    """Return the Vega-Lite specification of a shape of `present.charts.shapes`, without a theme.

    Args:
        width: of the whole chart.
        height: of the plot, or of each where there are several; None: as its rows need.
        linear: on linear axes, whatever its own are; None: on both, if it is shown on linear ones.
        em: size of the text.
        pointer: whether somebody may point at lines to see what they are.
    """
    found = VIEWS[type(shape)](shape, ChartFrame(width, height, linear, em, pointer))
    if "layer" in found:
        found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return {"$schema": SCHEMA, **found, "usermeta": {"labels": _labels(shape)}}


def _labels(shape: Any) -> dict[str, str]:
    """Return the labels of series, without the floor and what is of no adapter: these stay,
    whatever is chosen."""
    if isinstance(shape, Bars):
        labels = [(bars.series(row), row.label) for row in shape.rows]
    elif isinstance(shape, Picture):
        every = [curve for plot in shape.plots for curve in plot.curves]
        labels = [(curves.series(each), each.label) for each in every]
    else:
        return {}
    return {name: of.text for name, of in labels if of.adapter and not look.is_null(of)}
