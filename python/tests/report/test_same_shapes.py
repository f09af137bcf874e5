"""Boxes, plots over time and heat maps: the page draws what was computed once."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import specifications as specs
from drawn import draw_all
from drawn_campaigns import everything
from form_files import files
from synthetic_campaign import Builder, samples_around

from busmark.compare.campaign import Campaign, summarise
from busmark.present.charts.kinds import CHARTS, ChartKind
from busmark.present.charts.shapes import Boxes, Cell, Curve, Heat, Row, Stack
from busmark.present.sinks.panels import Panel
from busmark.store import Result

BOXES = [chart for chart in CHARTS if chart.shape is Boxes]
STACKS = [chart for chart in CHARTS if chart.shape is Stack]
HEATS = [chart for chart in CHARTS if chart.shape is Heat]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Campaign, Result]:
    """A campaign that has everything."""
    result = Result(everything(tmp_path_factory.mktemp("everything")))
    return summarise(result), result


@pytest.fixture(scope="module")
def campaign(made: tuple[Campaign, Result]) -> Campaign:
    """The same, analysed."""
    return made[0]


def on_the_page(campaign: Campaign, chart: ChartKind) -> list[Panel]:
    """The panels of this chart, whatever else is in its place."""
    name = chart.place.id if chart.place else chart.key
    chosen = chart.place.keys if chart.place else ()
    (shown,) = (drawn for drawn in draw_all(campaign)[chart.test] if drawn.id == name)
    return [panel for panel in shown.panels if set(chosen) <= set(panel.keys)]


def alike(found: Any, wanted: Any) -> bool:
    """As far as the page's digits go."""
    return bool(np.allclose(np.array(found, float), np.array(wanted, float), rtol=2e-4, atol=1e-6))


def values_of(cell: Cell) -> list[list[float]]:
    """Values of each box: whiskers around quartiles, and the ends."""
    return [
        [box.whiskers[0], *box.quartiles, box.whiskers[1], *box.ends] for box in cell.boxes
    ]  # fmt: skip


@pytest.mark.parametrize("chart", BOXES, ids=attrgetter("key"))
def test_boxes_on_the_page_are_those_that_were_computed(
    campaign: Campaign, chart: ChartKind
) -> None:
    computed = list(chart.apart(campaign, chart.cases(campaign)))
    panels = on_the_page(campaign, chart)
    assert computed
    for panel, boxes in zip(panels, computed, strict=True):
        (cell,) = boxes.cells
        assert panel.caption == boxes.caption
        y = specs.channel(panel.spec, "y")
        assert (specs.title(panel.spec, "x"), specs.title(panel.spec, "y")) == (
            boxes.x,
            cell.y.title,
        )
        assert y["scale"]["type"] == cell.y.kind and alike(y["scale"]["domain"], cell.y.ends)
        (drawn,) = specs.styled(panel.spec, "box")
        parts = ("low", "q1", "median", "q3", "high", "least", "most")
        shown = [[row[part] for part in parts] for row in drawn["rows"]]
        assert alike(shown, values_of(cell))
        assert [row["name"] for row in drawn["rows"]] == [box.name for box in cell.boxes]
        (violins,) = specs.styled(panel.spec, "violin")
        for number, box in enumerate(cell.boxes):
            low, high = cell.y.ends or (-np.inf, np.inf)
            outline = [value for value, _ in box.outline if low <= value <= high]
            assert alike([row["y"] for row in violins["rows"] if row["n"] == number], outline)
        lines = [row for each in specs.styled(panel.spec, "reference") for row in each["rows"]]
        assert [line["name"] for line in lines[::2]] == [line.name for line in cell.references]
        ends = [end for line in cell.references for end in line.ends]
        assert alike([(line["x"], line["y"]) for line in lines], ends) or not ends


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
    campaign: Campaign, chart: ChartKind
) -> None:
    computed = list(chart.draw(campaign, chart.cases(campaign)))
    assert computed
    for panel, stack in zip(on_the_page(campaign, chart), computed, strict=True):
        assert panel.caption == stack.caption
        views = panel.spec["vconcat"]
        assert [" ".join(view["title"]["text"]) for view in views] == [
            row.heading for row in stack.rows
        ]
        assert specs.legend(views[0]) == named(stack.rows)
        titles = [specs.title(view, "x") for view in views]
        assert [told for told in titles if told] == [stack.rows[-1].x.title]
        for view, row in zip(views, stack.rows, strict=True):
            y = specs.channel(view, "y")
            assert specs.title(view, "y") == row.y.title
            assert (y["scale"]["type"] == "log") == (row.y.kind == "log")
            shown = specs.curves(view)
            for curve in row.curves:
                wanted = points(curve)
                found = [(each["x"], each["y"]) for each in shown[curve.name or curve.label.text]]
                if curve.stacked:
                    found = [(x, each["y"] - each["y0"]) for (x, _), each in zip(
                        found, shown[curve.name], strict=True)]  # fmt: skip
                assert len(found) >= len(wanted) or set(x for x, _ in found) <= {
                    float(f"{x:.6g}") for x, _ in wanted}  # fmt: skip
                if len(found) == len(wanted):
                    assert alike(found, wanted)


@pytest.mark.parametrize("chart", HEATS, ids=attrgetter("key"))
def test_heat_maps_on_the_page_are_those_that_were_computed(
    campaign: Campaign, chart: ChartKind
) -> None:
    computed = list(chart.draw(campaign, chart.cases(campaign)))
    assert computed
    for panel, heat in zip(on_the_page(campaign, chart), computed, strict=True):
        assert panel.caption == heat.caption
        assert panel.rows == [name for name, _ in heat.rows]
        (drawn,) = specs.styled(panel.spec, "field")
        x, y = (drawn["encoding"][axis]["axis"] for axis in ("x", "y"))
        assert json.loads(x["labelExpr"].removesuffix("[datum.value]")) == heat.columns
        assert json.loads(y["labelExpr"].removesuffix("[datum.value]")) == panel.rows
        assert x["title"] == heat.across
        names = drawn["encoding"]["color"]["legend"]["labelExpr"]
        assert all(name in [name for _, name in heat.scale]
                   for name in json.loads(names.partition("[indexof")[0]))  # fmt: skip
        fields = {(row["r"], row["c"]): (row["text"], row["shade"]) for row in drawn["rows"]}
        for at, (_, row) in enumerate(heat.rows):
            for column, field in enumerate(row):
                found = fields.get((at, column), (None, None))
                assert found[0] == (field and field.text)
                if found[1] is None or field is None or field.shade is None:
                    assert found[1] == (field and field.shade)
                else:
                    assert found[1] == pytest.approx(field.shade, rel=1e-4)


def test_gnuplots_scripts_have_the_same_axes_and_captions(
    made: tuple[Campaign, Result], tmp_path: Path
) -> None:
    campaign, result = made
    first, *_ = files("gnuplot", result, campaign, tmp_path)
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
    assert specs.legend(panel.spec["vconcat"][0]) == names
    (boxes,) = BOXES[0].draw(campaign, BOXES[0].cases(campaign))
    assert f"Dashed, where the axis reaches it: the median of {floor.label}, " in boxes.caption
