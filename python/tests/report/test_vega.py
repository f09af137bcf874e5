"""Specifications of charts: what was computed, compiled without a warning, in the same looks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert
from busmark.compare.campaign import Campaign, summarise
from busmark.model.naming import Label
from drawn_campaigns import HOSTILE, everything, odd
from specifications import rows, scales

from busmark.present.charts import look
from busmark.present.charts.kinds import CHARTS, ChartKind
from busmark.present.charts.shapes import (
    Axis,
    Bar,
    Bars,
    Boxes,
    Curve,
    Heat,
    Picture,
    Point,
    Reference,
    Stack,
)
from busmark.present.vega import config, specification
from busmark.store import Result

LABEL = Label(text="UDP", adapter="udp")


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> list[Campaign]:
    """A campaign that has everything, and one of odd cases."""
    return [summarise(Result(make(tmp_path_factory.mktemp("drawn")))) for make in (everything, odd)]


def shapes(campaign: Campaign, chart: ChartKind) -> Iterator[Any]:
    """All that there is of a chart."""
    yield from chart.draw(campaign, chart.cases(campaign))  # type: ignore[attr-defined]


def compiled(spec: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Its Vega specification."""
    made: dict[str, Any] = vl_convert.vegalite_to_vega(spec, show_warnings=True)
    told = capfd.readouterr()
    assert not told.out + told.err
    return made


def test_a_warning_of_the_compiler_would_be_noticed(capfd: pytest.CaptureFixture[str]) -> None:
    spec = {"data": {"values": []}, "mark": "bar", "encoding": {"shape": {"field": "a"}}}
    with pytest.raises(AssertionError):
        compiled(spec, capfd)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.key)
def test_every_chart_compiles_without_a_warning(
    campaigns: list[Campaign], chart: ChartKind, capfd: pytest.CaptureFixture[str]
) -> None:
    drawn = 0
    for campaign in campaigns:
        for shape in list(shapes(campaign, chart))[:2]:
            for linear in (False, True, None):
                spec = specification(shape, width=700, linear=linear)
                compiled(spec | {"config": config("dark")}, capfd)
                drawn += 1
    assert drawn


def finite(values: list[Any]) -> list[float]:
    return sorted(v for v in values if isinstance(v, float | int) and math.isfinite(v))


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.key)
def test_a_specification_has_the_values_that_were_computed(
    campaigns: list[Campaign], chart: ChartKind
) -> None:
    shape = next(shapes(campaigns[0], chart))
    spec = specification(shape, width=700)
    text = json.dumps(spec, ensure_ascii=False)
    if isinstance(shape, Picture | Stack):
        for plot in shape.rows if isinstance(shape, Stack) else [shape]:
            for curve in plot.curves:
                if curve.stacked or len(curve.points) > 600 or plot.x.kind in ("sizes", "percent"):
                    continue
                log = plot.y.kind == "log"
                wanted = finite([p.y for p in curve.points if p.y > 0 or not log])
                own = [r["y"] for r in rows(spec, "s", "x", "y") if "side" not in r
                       and r["s"] in (curve.name, curve.label.text)]  # fmt: skip
                assert all(any(math.isclose(v, y, rel_tol=1e-5, abs_tol=1e-9) for y in finite(own))
                           for v in wanted[:: max(1, len(wanted) // 20)])  # fmt: skip
    elif isinstance(shape, Bars):
        own = rows(spec, "s", "x", "note")
        assert finite([r["x"] for r in own])[0] > 0
        for row in shape.rows:
            assert any(math.isclose(r["x"], row.value, rel_tol=1e-5) for r in own)
    elif isinstance(shape, Boxes):
        medians = finite([r["median"] for r in rows(spec, "median")])
        wanted = finite([box.quartiles[1] for cell in shape.cells for box in cell.boxes])
        assert medians == pytest.approx(wanted, rel=1e-5)
    else:
        assert isinstance(shape, Heat)
        found = [r["text"] for r in rows(spec, "r", "c", "text")]
        assert found == [field.text for _, row in shape.rows for field in row if field]
    titles = [shape.axis] if isinstance(shape, Bars) else []
    if isinstance(shape, Picture):
        titles = [shape.x, shape.y]
    for axis in titles:
        assert axis.title in re.sub(r'",\s*"', " ", text), axis.title


def test_a_middleware_has_the_same_look_on_every_chart(campaigns: list[Campaign]) -> None:
    found: dict[tuple[str, str], set[str]] = {}
    known = {label.text for label in campaigns[0].labels}
    for chart in CHARTS:
        for shape in shapes(campaigns[0], chart):
            spec = specification(shape, width=700)
            for channel in ("color", "strokeDash"):
                for name, value in scales(spec, channel):
                    if name in known:
                        found.setdefault((channel, name), set()).add(str(value))
    assert {name for channel, name in found if channel == "color"} > {"UDP socket", "Cyclone DDS"}
    assert all(len(values) == 1 for (channel, _), values in found.items() if channel == "color")
    for label in campaigns[0].labels:
        if ("color", label.text) in found:
            assert found["color", label.text] == {look.colour(label)}


def picture(*points: Point, y: str = "log", **more: Any) -> Picture:
    """A curve with its marks, on a linear axis of x."""
    axis = Axis("latency, µs", y)  # type: ignore[arg-type]
    return Picture((), (), Axis("time, s"), axis, [Curve("UDP", LABEL, points, **more)], "")


def test_an_interval_is_whole_or_has_a_mark_at_the_edge() -> None:
    wide = Point(1.0, 10.0, 0.1, 5000.0), Point(2.0, 11.0, 10.0, 12.0)
    spec = specification(picture(*wide), width=700)
    assert not rows(spec, "side")
    assert (rows(spec, "low")[0]["low"], rows(spec, "low")[0]["high"]) == (0.1, 5000.0)
    cut = specification(picture(Point(1.0, 10.0, -5.0, 20.0), wide[1]), width=700)
    assert [row["side"] for row in rows(cut, "side")] == ["down"], "no logarithm"
    linear = specification(picture(*wide), width=700, linear=True)
    assert [row["side"] for row in rows(linear, "side")] == ["up"]


def test_what_an_axis_does_not_reach_has_a_mark_at_its_edge() -> None:
    points = [Point(float(at), 10.0 if at != 3 else 900.0) for at in range(6)]
    axis = Axis("latency, µs", "log", middle=(9.0, 11.0))
    curve = Curve("UDP", LABEL, points, marks=False)
    line = Reference("floor", "dash", ((0.0, 0.1), (5.0, 0.1)), fits_axis=False)
    shape = Picture((), (), Axis("time, s"), axis, [curve], "", [line])
    marks = rows(specification(shape, width=700), "side")
    assert {(row["x"], row["side"]) for row in marks} == {(3.0, "up"), (0.0, "down")}
    bar = Bars((), (), Axis("latency, µs"), [Bar(LABEL, 10.0, -3.0, 12.0)], "")
    assert [row["side"] for row in rows(specification(bar, width=700), "side")] == ["left"]


def test_curves_of_many_points_are_thinned_and_keep_their_tail() -> None:
    points = [Point(100 * (1 - 0.999**at), 1.0 + at / 5000) for at in range(20_000)]
    curve = Curve("UDP", LABEL, points, marks=False)
    shape = Picture((), (), Axis("%", "percent"), Axis("µs", "log"), [curve], "")
    own = rows(specification(shape, width=700), "s", "x", "y")
    assert 100 < len(own) <= 1000
    last = own[-1]
    assert (last["y"], last["x"]) == pytest.approx(
        (points[-1].y, look.at_percent(points[-1].x)), rel=1e-5
    )
    noise = [Point(float(at), 1.0 + at * 7 % 11) for at in range(3000)]
    whole = specification(picture(*noise, marks=False), width=700)
    assert len(rows(whole, "s", "x", "y")) == 3000, "its extremes are not to be lost"


def test_names_are_text_whatever_they_hold(capfd: pytest.CaptureFixture[str]) -> None:
    name = HOSTILE + "\x00\u202e"
    label = Label(text=name, adapter="udp")
    bars = Bars((), (), Axis("µs", from_zero=True), [Bar(label, 1.0)], "")
    curve = Curve(name, label, [Point(1.0, 1.0), Point(2.0, 2.0)])
    for shape in (bars, Picture((), (), Axis("s"), Axis("µs"), [curve], "")):
        spec = specification(shape, width=700)
        compiled(spec, capfd)
        svg = vl_convert.vegalite_to_svg(spec)
        assert "<&>" not in svg and "&lt;&amp;&gt;" in svg
        assert vl_convert.svg_to_png(svg)


def test_a_chart_without_data_is_an_empty_plot(capfd: pytest.CaptureFixture[str]) -> None:
    for kind in ("linear", "log", "signed", "percent", "sizes"):
        axis = Axis("µs", kind)  # type: ignore[arg-type]
        shape = Picture((), (), axis, Axis("µs", "log"), [Curve("UDP", LABEL, [])], "")
        compiled(specification(shape, width=700), capfd)
    compiled(specification(Bars((), (), Axis("µs"), [], ""), width=700), capfd)
