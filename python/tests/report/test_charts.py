"""What the charts draw is what the analysis found, and stays so in the page's data."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.model.text import figure_text
from drawn import Drawn as Chart
from drawn import draw_all
from hypothesis import given
from hypothesis import strategies as st
from specifications import channel, curves, layers, styled, title
from synthetic_campaign import Builder

from busmark.present.blocks import charts
from busmark.present.charts.panels import measured
from busmark.present.sinks.panels import Panel
from busmark.present.web.embedded import Parts
from busmark.store import Result


def drawn_as(campaign: Campaign, name: str) -> Chart:
    """The chart of this name."""
    every = [chart for charts in draw_all(campaign).values() for chart in charts]
    return next(chart for chart in every if chart.id == name)


def panel(drawn: Chart | None, **keys: str) -> Panel:
    """The panel with these keys."""
    assert drawn is not None
    return next(p for p in drawn.panels if keys.items() <= dict(p.keys).items())


def columns(shown: Panel, name: str) -> dict[str, list[Any]]:
    """The points of the curve of this name."""
    rows = curves(shown.spec)[name]
    return {key: [row[key] for row in rows] for key in rows[0]}


AT = {"Placement": "one CPU", "Size": "64 B"}


def test_histogram_and_distribution_function_are_those_of_the_samples(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-distribution")
    series = campaign.case("udp-64-same").series
    assert series is not None and series.shape is not None
    bins = columns(panel(drawn, Plot="histogram", Of="latency", **AT), "UDP socket")
    assert bins["note"][:-1] == [f"{n:,} samples" for n in series.shape.histogram.counts]
    assert sum(bins["y"][:-1]) == pytest.approx(90, abs=0.5)
    assert np.array(bins["x"]) == pytest.approx(np.array(series.shape.histogram.edges_ns) / 1e3)
    shown = panel(drawn, Plot="distribution function", Of="latency", **AT)
    function = columns(shown, "UDP socket")
    middle = np.interp(50, function["y"], function["x"])
    half = campaign.case("udp-64-same").rtt_2
    assert half is not None
    assert middle == pytest.approx(half.median.value / 1e3, rel=0.02)
    density = columns(panel(drawn, Plot="density", Of="latency", **AT), "UDP socket")
    assert np.trapezoid(density["y"], density["x"]) == pytest.approx(1, abs=0.02)


def test_every_plot_has_units_counts_and_the_floor(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-distribution")
    for shown in drawn.panels:
        titles = [title(shown.spec, axis) for axis in ("x", "y")]
        assert any("µs" in title for title in titles), shown.keys
        assert "samples" in shown.caption and "round" in shown.caption
        if dict(shown.keys)["Of"] == "latency":
            names = curves(shown.spec)
            assert any("floor" in told for told in (*names, shown.caption)), shown.keys


def test_the_line_over_sizes_is_the_fit_that_the_analysis_made(campaign: Campaign) -> None:
    drawn = drawn_as(campaign, "latency-size")
    fit = next(f for f in campaign.fits if (f.label, f.placement) == ("UDP socket", "same"))
    for axes in ("logarithmic", "linear"):
        shown = panel(drawn, Of="latency", Axes=axes, Placement="one CPU")
        line = columns(shown, "UDP socket, line")
        assert line["y"] == pytest.approx([v / 1e3 for v in fit.value_ns], rel=1e-4)
        assert "Lines, overhead + slope · size: " in shown.caption
    assert channel(panel(drawn, Axes="linear").spec, "x")["scale"]["type"] == "linear"
    jitter = panel(drawn, Of="jitter", Axes="linear", Placement="one CPU")
    known = campaign.case("udp-64-same").latency
    assert known is not None and known.jitter is not None
    assert columns(jitter, "UDP socket")["y"][0] == pytest.approx(
        known.jitter.median.value / 1e3, rel=1e-4
    )


def test_the_heat_map_has_every_label_at_every_size(campaign: Campaign) -> None:
    shown = panel(drawn_as(campaign, "latency-heat"), Placement="one CPU")
    fields = next(layers(shown.spec))["rows"]
    assert len(shown.rows) == 6 and len(fields) == 6 * 4
    x = channel(shown.spec, "x")["axis"]["labelExpr"]
    assert x.startswith('["64 B", "1 KiB", "16 KiB", "64 KiB"]')
    row = shown.rows.index("UDP socket")
    (field,) = (field for field in fields if (field["r"], field["c"]) == (row, 0))
    assert field["text"].endswith("µs")
    half = campaign.case("udp-64-same").rtt_2
    assert half is not None
    assert field["note"] == f"UDP socket, 64 B: {figure_text(half.median)}"
    shades = [field["shade"] for field in fields]
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
        assert columns(shown, "rated capacity of the link")["x"] == [100, 100]
        practical = columns(shown, "practical: a plain TCP transfer")["x"]
        assert practical == pytest.approx([88, 88], abs=0.1)
    (marks,) = styled(panel(drawn, Rate="8\u202f000 /s").spec, "compared")
    assert [row["x"] for row in marks["rows"]] == [64.0, 64.0]


def test_cases_for_which_there_is_no_room_are_counted(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = len([c for c in measured(campaign, "latency") if c.series])
    monkeypatch.setattr(charts, "MOST_DRAWN", 10)
    drawn = {c.id: c for c in draw_all(campaign)["latency"]}
    for name in ("latency-distribution", "latency-time", "latency-medians"):
        assert drawn[name].left_out == cases - 10
    assert drawn["latency-size"].left_out == 0


def resolved(value: Any, parts: list[Any]) -> Any:
    """As the page's script does it."""
    if isinstance(value, list):
        return [resolved(item, parts) for item in value]
    if not isinstance(value, dict):
        return value
    if "part" in value:
        return resolved(parts[value["part"]], parts)
    found = {key: resolved(item, parts) for key, item in value.items()}
    if "columns" in found:
        whole = map(unfolded, found["columns"].values())
        return {"values": [dict(zip(found["columns"], row, strict=True)) for row in zip(*whole)]}  # noqa: B905
    return found


def unfolded(column: Any) -> list[Any]:
    """The values of a column."""
    if isinstance(column, list):
        return column
    if "runs" in column:
        return [value for value, count in column["runs"] for _ in range(count)]
    planes = base64.b64decode(column.get("floats") or column["differences"])
    low, middle, high = np.frombuffer(planes, "u1").reshape(3, -1).astype("<u4")
    bits = low | middle << 8 | high << 16
    if "differences" in column:
        bits = np.cumsum(bits, dtype="<u4")
    values = (bits << 8).astype("<u4").view("<f4")
    return [None if np.isnan(value) else float(value) for value in values]


@given(st.recursive(
    st.none() | st.integers(-1000, 1000) | st.text(max_size=80),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.sampled_from("xyab"), inner, max_size=4)
    ),
))  # fmt: skip
def test_shared_parts_give_back_what_went_in(data: Any) -> None:
    parts = Parts()
    assert resolved(parts.shared(data), parts.values) == data


cells = st.none() | st.floats(-(2.0**90), 2.0**90, width=32) | st.integers(0, 60_000)


@given(st.lists(st.tuples(st.text(max_size=3), cells, st.booleans()), min_size=1, max_size=60),
       st.booleans())  # fmt: skip
def test_rows_of_a_table_come_back_with_four_digits(rows: list[Any], rising: bool) -> None:
    if rising:
        rows = sorted(rows, key=lambda row: -1e31 if row[1] is None else row[1])
    table = [{"s": name, "x": value, "known": known} for name, value, known in rows]
    parts = Parts()
    found = resolved(parts.shared({"data": {"values": table}}), parts.values)["data"]["values"]
    assert [(row["s"], row["known"]) for row in found] == [(name, known) for name, _, known in rows]
    for row, (_, value, _) in zip(found, rows, strict=True):
        assert row["x"] == (None if value is None else pytest.approx(value, rel=1e-4, abs=1e-37))


def test_what_is_said_twice_is_kept_once() -> None:
    parts = Parts()
    table = {"values": [{"x": float(i), "y": 0.5} for i in range(100)]}
    first, second = parts.shared(table), parts.shared(dict(table))
    assert first == second
    assert len(parts.values) == 1
