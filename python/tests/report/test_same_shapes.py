"""Boxes, plots over time and heat maps: the page draws what was computed once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_campaigns import everything
from synthetic_campaign import Builder, samples_around

from busmark.analysis import Campaign, summarise
from busmark.present.sinks import gnuplot
from busmark.report.drawing.boxes import BoxChart, Boxes, Cell
from busmark.report.drawing.charts import CHARTS
from busmark.report.drawing.heat import HeatChart
from busmark.report.drawing.picture import AnyChart, Curve
from busmark.report.drawing.stacks import Row, Stack, StackChart
from busmark.report.html.charts import draw_all
from busmark.report.html.charts.chart import ZOOMED, Panel
from busmark.store import Result

BOXES = [chart for chart in CHARTS if isinstance(chart, BoxChart)]
STACKS = [chart for chart in CHARTS if isinstance(chart, StackChart)]
HEATS = [chart for chart in CHARTS if isinstance(chart, HeatChart)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Campaign, Result]:
    """A campaign that has everything."""
    result = Result(everything(tmp_path_factory.mktemp("everything")))
    return summarise(result), result


@pytest.fixture(scope="module")
def campaign(made: tuple[Campaign, Result]) -> Campaign:
    """The same, analysed."""
    return made[0]


def on_the_page(campaign: Campaign, chart: AnyChart) -> list[Panel]:
    """The panels of this chart, whatever else is in its place."""
    name = chart.place.id if chart.place else chart.key
    chosen = chart.place.keys if chart.place else ()
    (shown,) = (drawn for drawn in draw_all(campaign)[chart.test] if drawn.id == name)
    return [panel for panel in shown.panels if set(chosen) <= set(panel.keys)]


def alike(found: Any, wanted: Any) -> bool:
    """As far as the page's digits go."""
    return bool(np.allclose(np.array(found, float), np.array(wanted, float), rtol=2e-4, atol=1e-6))


def title(axis: dict[str, Any]) -> str:
    """Title of an axis of the page."""
    return str(axis["title"]["text"])


def values_of(cell: Cell) -> list[list[float]]:
    """Values of each box: whiskers around quartiles, and the ends."""
    return [
        [box.whiskers[0], *box.quartiles, box.whiskers[1], *box.ends] for box in cell.boxes
    ]  # fmt: skip


@pytest.mark.parametrize("chart", BOXES, ids=attrgetter("key"))
def test_boxes_on_the_page_are_those_that_were_computed(
    campaign: Campaign, chart: BoxChart
) -> None:
    computed = list(chart.apart(campaign, chart.cases(campaign)))
    panels = on_the_page(campaign, chart)
    assert computed
    for panel, boxes in zip(panels, computed, strict=True):
        (cell,) = boxes.cells
        assert panel.caption == boxes.caption + ZOOMED
        assert title(panel.layout["xaxis"]) == boxes.x
        assert panel.layout["xaxis"]["ticktext"] == [box.name for box in cell.boxes]
        assert title(panel.layout["yaxis"]) == cell.y.title
        assert (panel.layout["yaxis"].get("type") == "log") == (cell.y.kind == "log")
        ends = np.array(panel.layout["yaxis"]["range"])
        assert alike(10**ends if cell.y.kind == "log" else ends, cell.y.ends)
        violins, (drawn, points, *lines) = (
            panel.traces[: len(cell.boxes)], panel.traces[len(cell.boxes) :],
        )  # fmt: skip
        parts = ("lowerfence", "q1", "median", "q3", "upperfence")
        extremes = np.array(points["y"]).reshape(-1, 2).T
        assert alike(np.array([*(drawn[part] for part in parts), *extremes]).T, values_of(cell))
        for violin, box in zip(violins, cell.boxes, strict=True):
            assert alike(violin["y"][: len(box.outline)], [value for value, _ in box.outline])
        assert [line["name"] for line in lines] == [line.name for line in cell.references]
        assert all(
            alike(line["y"], [at for _, at in known.ends])
            for line, known in zip(lines, cell.references, strict=True)
        )


def named(rows: Sequence[Row]) -> list[str]:
    """What is explained, in order."""
    names = [c.name for row in rows for c in row.curves if c.name and not c.thin]
    lines = [line.name for row in rows for line in row.references if line.name]
    return list(dict.fromkeys([*names, *lines]))


def points(curve: Curve) -> list[tuple[float, float]]:
    """Points of a curve."""
    return [(point.x, point.y) for point in curve.points]


@pytest.mark.parametrize("chart", STACKS, ids=attrgetter("key"))
def test_plots_over_time_on_the_page_are_those_that_were_computed(
    campaign: Campaign, chart: StackChart
) -> None:
    computed = list(chart.draw(campaign, chart.cases(campaign)))
    assert computed
    for panel, stack in zip(on_the_page(campaign, chart), computed, strict=True):
        assert panel.caption == stack.caption
        headings = [each["text"] for each in panel.layout["annotations"]]
        assert headings == [row.heading for row in stack.rows]
        shown = [t["name"] for t in panel.traces if t["showlegend"]]
        assert sorted(shown) == sorted(named(stack.rows))
        titles = [title(panel.layout[a]) for a in panel.layout if a.startswith("xaxis")]
        assert [told for told in titles if told] == [stack.rows[-1].x.title]
        for number, row in enumerate(stack.rows, 1):
            axis = panel.layout[f"yaxis{number if number > 1 else ''}"]
            assert title(axis) == row.y.title
            assert (axis.get("type") == "log") == (row.y.kind == "log")
            own = [t for t in panel.traces if t["yaxis"] == f"y{number if number > 1 else ''}"]
            wanted = [points(curve) for curve in row.curves]
            wanted += [list(line.ends) for line in row.references]
            for trace, known in zip(own, wanted, strict=True):
                assert alike(list(zip(trace["x"], trace["y"], strict=True)), known)


@pytest.mark.parametrize("chart", HEATS, ids=attrgetter("key"))
def test_heat_maps_on_the_page_are_those_that_were_computed(
    campaign: Campaign, chart: HeatChart
) -> None:
    computed = list(chart.draw(campaign, chart.cases(campaign)))
    assert computed
    for panel, heat in zip(on_the_page(campaign, chart), computed, strict=True):
        assert panel.caption == heat.caption
        trace, written = panel.traces
        names = [name for name, _ in heat.rows]
        assert list(trace["x"]) == heat.columns
        assert trace["y"] == names
        assert title(panel.layout["xaxis"]) == heat.across
        ticks = [name for _, name in heat.scale]
        assert trace["colorbar"]["ticktext"] == ticks
        fields = [field for _, row in heat.rows for field in row]
        assert written["text"] == [field.text for field in fields if field]
        shades = [np.nan if f is None else f.shade for f in fields]
        page = [np.nan if z is None else z for row in trace["z"] for z in row]
        assert np.allclose(page, shades, rtol=1e-4, equal_nan=True)


def test_gnuplots_scripts_have_the_same_axes_and_captions(
    made: tuple[Campaign, Result], tmp_path: Path
) -> None:
    campaign, result = made
    first, *_ = gnuplot.write(result, campaign, tmp_path)
    for chart in (*BOXES, *STACKS, *HEATS):
        scripts = {path.stem: path for path in (first.parent / "scripts").glob(f"{chart.key}.*")}
        shown = set()
        for name, script in scripts.items():
            text = script.read_text(encoding="utf-8")
            titles = [re.findall(rf"^set {axis}label '(.*?)'", text, re.MULTILINE) for axis in "xy"]
            data = (first.parent / "data" / f"{name}.gpd").read_text(encoding="utf-8")
            shown.add((data.splitlines()[0], " ".join(titles[0]), tuple(titles[1])))
        wanted = set()
        for drawn in chart.draw(campaign, chart.cases(campaign)):
            if isinstance(drawn, Boxes):
                x, y = " ".join([drawn.x] * len(drawn.cells)), [c.y.title for c in drawn.cells]
            elif isinstance(drawn, Stack):
                x, y = drawn.rows[-1].x.title, [row.y.title for row in drawn.rows]
            else:
                x, y = drawn.across, [drawn.down] if drawn.down else []
            wanted.add((f"# {chart.title}. {drawn.caption}", x, tuple(y)))
        assert shown == wanted


def test_a_floor_near_the_samples_is_a_line_over_time_and_in_boxes(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(3)
    for adapter, median in (("null", 9_000.0), ("udp", 14_000.0)):
        case = build.case(adapter, adapter=adapter)
        for number in range(2):
            build.pings(case, number, samples_around(median, 8_000, rng), lost=600)
    campaign = summarise(Result(build.finish()))
    floor = campaign.case("null")
    assert floor.rtt_2
    at = floor.rtt_2.median.value / 1e3
    (stack,) = STACKS[0].draw(campaign, STACKS[0].cases(campaign))
    assert len(stack.rows) == 2
    for row in stack.rows:
        assert [line.ends[0][1] for line in row.references] == [pytest.approx(at)]
    assert "600 lost, of which 500 are marked" in stack.caption
    assert sum(len(c.points) for c in stack.rows[0].curves if c.name == "lost") == 500
    names = ["lost", f"{floor.label}, median"]
    (panel,) = on_the_page(campaign, STACKS[0])
    assert [t["name"] for t in panel.traces if t["showlegend"]] == names
    (boxes,) = BOXES[0].draw(campaign, BOXES[0].cases(campaign))
    assert f"Dashed, where the axis reaches it: the median of {floor.label}, " in boxes.caption
