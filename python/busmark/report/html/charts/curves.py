"""Charts of curves on the page: what `drawing.charts` has as data, drawn by plotly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing import picture as data
from busmark.report.drawing.look import PERCENT_TICKS, at_percent, is_null
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import ZOOMED, Panel, Trace
from busmark.report.html.embedded import SHORT

LOGARITHMIC, LINEAR = "logarithmic", "linear"

PLACES: dict[str, Callable[[float], float]] = {"percent": at_percent}
"""Place of a value, on an axis of this kind."""

OPENED = f" The axis opens on the middle 99 %.{ZOOMED}"
"""Remark for signed values: the extremes would flatten the rest."""


def panels(kind: data.Chart, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """All of this kind, on their own axes and, where they are shown there too, on linear ones."""
    for picture in kind.draw(campaign, cases):
        if picture.as_bars:
            continue
        for axes in (LOGARITHMIC, LINEAR) if picture.also_linear else ("",):
            chosen = (("Axes", axes),) if axes else ()
            traces, layout = plot(picture, linear=axes == LINEAR)
            opened = OPENED if "signed" in (picture.x.kind, picture.y.kind) else ""
            yield Panel(
                (*chosen, *picture.keys), picture.members, traces, layout, picture.caption + opened
            )


def plot(picture: data.OnAxes, *, linear: bool = False) -> tuple[list[Trace], dict[str, Any]]:
    """Traces, and two axes; `linear`: linear ones, whatever its own are."""
    log_sizes = picture.x.kind == "sizes" and not linear
    values = [v for v in picture.values() if v > 0]
    bottom = min(values, default=1.0) / 2 if picture.y.kind == "log" and not linear else 0.0
    traces: list[Trace] = []
    for curve in picture.curves:
        place = style.at_size if log_sizes else PLACES.get(picture.x.kind, float)
        traces += _curve(picture, curve, bottom, place)
    for line in picture.references:
        (x0, y0), (x1, y1) = line.ends
        drawn = style.reference(line.name, [x0, x1], [y0, y1], line.dash)
        traces.append(drawn | {"showlegend": bool(line.name)})
    layout = {
        "xaxis": _x(picture, linear=linear),
        "yaxis": _axis(picture.y, picture.reach(), linear=linear),
    }
    return traces, layout


def _x(picture: data.OnAxes, *, linear: bool) -> dict[str, Any]:
    if picture.x.kind == "sizes":
        return (style.linear_size_axis if linear else style.size_axis)(picture.sizes())
    if picture.x.kind == "percent":
        return _percents(picture)
    return _axis(picture.x, picture.places(), linear=linear, cut=picture.cut())


def _axis(
    axis: data.Axis, values: Sequence[float], *, linear: bool, cut: bool = False
) -> dict[str, Any]:
    if axis.kind == "log" and not linear:
        return style.log_axis(axis.title, axis.middle or values)
    if axis.from_zero or axis.kind == "log":
        return style.axis(axis.title, rangemode="tozero", separatethousands=True)
    ends = axis.middle or axis.ends or (_around(values) if cut else None)
    return style.axis(axis.title, separatethousands=True, **({"range": list(ends)} if ends else {}))


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Ends of a linear axis on which these are seen, and nothing else that is drawn."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return style.short(low - room), style.short(high + room)


def _percents(picture: data.OnAxes) -> dict[str, Any]:
    end = max(map(at_percent, picture.places()), default=1.0)
    ticks = [p for p in PERCENT_TICKS if at_percent(p) <= end]
    return style.axis(
        picture.x.title,
        tickvals=[at_percent(p) for p in ticks],
        ticktext=[f"{p:.10g}" for p in ticks],
    )


def _curve(
    picture: data.OnAxes, curve: data.Curve, bottom: float, place: Callable[[float], float]
) -> list[Trace]:
    """Band and line; a band that reaches below `bottom` is cut there."""
    points = curve.points
    x = [place(p.x) for p in points]
    y: list[float | None] = [None if isnan(p.y) else p.y for p in points]
    if len(points) <= SHORT:
        x, y = [style.short(v) for v in x], [None if v is None else style.short(v) for v in y]
    trace: Trace = {
        "x": x,
        "y": y,
        "name": curve.name,
        "legendgroup": curve.label.text,
        **style.of(curve.label),
        "mode": "+".join(["lines"] * curve.line + ["markers"] * curve.marks),
        "hovertemplate": _hover(picture, curve),
        "showlegend": bool(curve.name) and not curve.thin,
    }
    if curve.thin:
        trace["line"] = {"color": style.colour(curve.label), "width": 1}
    elif curve.line:
        trace["line"] = style.line(curve.label) | ({"dash": curve.dash} if curve.dash else {})
    if curve.steps:
        trace["line"] |= {"shape": "hv"}
    if curve.fill:
        trace |= {"fill": "tozeroy", "fillcolor": style.pale(curve.label, curve.fill)}
    if curve.stacked:
        del trace["fill"], trace["legendgroup"]
        trace |= {"stackgroup": "one", "line": trace["line"] | {"width": 0}}
    if curve.marks:
        trace["marker"] = style.marker(curve.label)
        if curve.hollow:
            trace["marker"]["symbol"] += "-open"
    if curve.dots:
        trace["marker"] = {"color": style.colour(curve.label), "size": 3, "opacity": 0.6}
    if len({p.note for p in points}) > 1:
        trace["customdata"] = [p.note for p in points]
    bounded = [p for p in points if p.low is not None and p.high is not None]
    if not bounded or is_null(curve.label):
        return [trace]
    low = [max(p.y if p.low is None else p.low, bottom) for p in points]
    high = [p.y if p.high is None else p.high for p in points]
    both = ([style.short(v) for v in values] for values in (low, high))
    return [style.band(curve.label, x, *both), trace]


def _hover(picture: data.OnAxes, curve: data.Curve) -> str:
    notes = list(dict.fromkeys(p.note for p in curve.points))
    if curve.thin and notes != [""]:
        return f"{notes[0] if notes else ''}<extra>{curve.label.text}</extra>"
    note = "" if notes == [""] else f"{notes[0] if len(notes) == 1 else '%{customdata}'}<br>"
    place = "" if picture.x.kind in ("sizes", "percent") else f"{picture.x.title}: %{{x:.4~g}}<br>"
    name = "" if curve.name and not curve.thin else f"<extra>{curve.label.text}</extra>"
    value = "" if curve.only_x else f"{picture.y.title}: %{{y:.4~g}}"
    return f"{note}{place}{value}{name}"
