"""What the charts draw is what the analysis found, and stays so in the page's data."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_campaign import Builder

from busmark.analysis import Campaign, summarise
from busmark.analysis.words.text import figure_text
from busmark.report.drawing.panels import measured
from busmark.report.html.charts import chart, draw_all
from busmark.report.html.charts.chart import Chart, Panel
from busmark.report.html.embedded import Parts
from busmark.store import Result


def drawn_as(campaign: Campaign, name: str) -> Chart:
    """The chart of this name."""
    every = [chart for charts in draw_all(campaign).values() for chart in charts]
    return next(chart for chart in every if chart.id == name)


def panel(drawn: Chart | None, **keys: str) -> Panel:
    """The panel with these keys."""
    assert drawn is not None
    return next(p for p in drawn.panels if keys.items() <= dict(p.keys).items())


def trace(traces: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """The curve of this name."""
    return next(t for t in traces if t.get("name") == name)


AT = {"Placement": "one CPU", "Size": "64 B"}


def test_histogram_and_distribution_function_are_those_of_the_samples(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-distribution")
    series = campaign.case("udp-64-same").series
    assert series is not None and series.shape is not None
    bins = trace(panel(drawn, Plot="histogram", Of="latency", **AT).traces, "UDP socket")
    assert bins["customdata"][:-1] == [f"{n:,} samples" for n in series.shape.histogram.counts]
    assert sum(bins["y"][:-1]) == pytest.approx(90, abs=0.5)
    assert np.array(bins["x"]) == pytest.approx(np.array(series.shape.histogram.edges_ns) / 1e3)
    shown = panel(drawn, Plot="distribution function", Of="latency", **AT)
    function = trace(shown.traces, "UDP socket")
    middle = np.interp(50, function["y"], function["x"])
    half = campaign.case("udp-64-same").rtt_2
    assert half is not None
    assert middle == pytest.approx(half.median.value / 1e3, rel=0.02)
    density = trace(panel(drawn, Plot="density", Of="latency", **AT).traces, "UDP socket")
    assert np.trapezoid(density["y"], density["x"]) == pytest.approx(1, abs=0.02)


def test_every_plot_has_units_counts_and_the_floor(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-distribution")
    for shown in drawn.panels:
        titles = [str(axis["title"]["text"]) for n, axis in shown.layout.items() if "axis" in n]
        assert any("µs" in title for title in titles), shown.keys
        assert "samples" in shown.caption and "round" in shown.caption
        if dict(shown.keys)["Of"] == "latency":
            names = [str(t.get("name", "")) for t in shown.traces]
            assert any("floor" in told for told in (*names, shown.caption)), shown.keys


def test_the_line_over_sizes_is_the_fit_that_the_analysis_made(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-size")
    fit = next(f for f in campaign.fits if (f.label, f.placement) == ("UDP socket", "same"))
    for axes in ("logarithmic", "linear"):
        shown = panel(drawn, Of="latency", Axes=axes, Placement="one CPU")
        line = trace(shown.traces, "UDP socket, line")
        assert line["y"] == pytest.approx([v / 1e3 for v in fit.value_ns], rel=1e-4)
        assert "Lines, overhead + slope · size: " in shown.caption
    assert panel(drawn, Axes="linear").layout["xaxis"].get("type") != "log"
    jitter = panel(drawn, Of="jitter", Axes="linear", Placement="one CPU")
    known = campaign.case("udp-64-same").latency
    assert known is not None and known.jitter is not None
    shown = trace(jitter.traces, "UDP socket")["y"][0]
    assert shown == pytest.approx(known.jitter.median.value / 1e3, rel=1e-4)


def test_the_heat_map_has_every_label_at_every_size(campaign: Campaign) -> None:
    shown = panel(drawn_as(campaign, "latency-heat"), Placement="one CPU")
    field, texts = shown.traces
    assert len(field["y"]) == 6 and field["x"] == ["64 B", "1 KiB", "16 KiB", "64 KiB"]
    place = list(zip(texts["y"], texts["x"], strict=True)).index(("UDP socket", "64 B"))
    assert texts["text"][place].endswith("µs")
    half = campaign.case("udp-64-same").rtt_2
    assert half is not None
    told = field["customdata"][field["y"].index("UDP socket")][0]
    assert told == f"UDP socket, 64 B: {figure_text(half.median)}"
    shades = [shade for row in field["z"] for shade in row]
    assert (min(shades), max(shades)) == (0, 1)


def test_goodput_is_drawn_beside_what_was_specified_and_what_the_link_can(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for adapter in ("tcp", "udp"):
        for rate in (None, 8000):
            case = build.case(
                f"{adapter}-{rate}", test="throughput", adapter=adapter, size=1000, rate_hz=rate,
                link_rate="100mbit",
            )  # fmt: skip
            for number in range(3):
                build.stream(case, number, (rate or 11_000) + number, 1000)
    drawn = drawn_as(summarise(Result(build.finish())), "goodput")
    for shown in drawn.panels:
        assert trace(shown.traces, "rated capacity of the link")["x"] == [100, 100]
        practical = trace(shown.traces, "practical: a plain TCP transfer")["x"]
        assert practical == pytest.approx([88, 88], abs=0.1)
    marks = trace(panel(drawn, Rate="8\u202f000 /s").traces, "specified")
    assert marks["x"] == [64.0, 64.0]


def test_cases_for_which_there_is_no_room_are_counted(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = len([c for c in measured(campaign, "latency") if c.series])
    monkeypatch.setattr(chart, "MOST_DRAWN", 10)
    drawn = {c.id: c for c in draw_all(campaign)["latency"]}
    for name in ("latency-distribution", "latency-time", "latency-medians"):
        assert drawn[name].left_out == cases - 10
    assert drawn["latency-size"].left_out == 0


def resolved(value: Any, parts: list[Any]) -> Any:
    """As the page's script does it; coordinates as plotly reads them."""
    if isinstance(value, list):
        return [resolved(item, parts) for item in value]
    if not isinstance(value, dict):
        return value
    if "part" in value:
        return resolved(parts[value["part"]], parts)
    if "bdata" in value:
        return np.frombuffer(base64.b64decode(value["bdata"]), "<f4").tolist()
    return {key: resolved(item, parts) for key, item in value.items()}


values = st.recursive(
    st.none() | st.integers(-1000, 1000) | st.text(max_size=80),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.sampled_from("xyab"), inner, max_size=4)
    ),
)


@given(st.lists(values, max_size=5))
def test_shared_parts_give_back_what_went_in(data: list[Any]) -> None:
    parts = Parts()
    assert resolved(parts.shared(data), parts.values) == data


@pytest.mark.parametrize("other", [None, "64 B", []])
@pytest.mark.parametrize("place", [0, 50, 99])
def test_coordinates_of_which_one_is_no_number_stay_as_they_are(other: Any, place: int) -> None:
    parts = Parts()
    values: list[Any] = [float(i) for i in range(100)]
    values[place] = other
    assert resolved(parts.shared({"x": values}), parts.values) == {"x": values}


def test_what_is_said_twice_is_kept_once() -> None:
    parts = Parts()
    curve = {"x": [float(i) for i in range(100)], "y": [0.5] * 100}
    first, second = parts.shared(curve), parts.shared(dict(curve))
    assert first == second
    assert len(parts.values) == 2
