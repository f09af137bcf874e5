"""The page, print and gnuplot show the same, in the same units, under the same caption."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import openpyxl
import pytest
import specifications as specs
from drawn import draw_all
from drawn_campaigns import everything
from form_files import files

from busmark.compare.campaign import Campaign, summarise
from busmark.present.blocks import charts as blocks
from busmark.present.charts import kinds
from busmark.present.charts.kinds import CURVES, ChartKind
from busmark.present.charts.look import at_percent
from busmark.present.charts.shapes import Bars, Picture
from busmark.present.document import Document
from busmark.present.sinks.workbook import workbook
from busmark.store import Result

Points = list[tuple[float, float]]

CHARTS = [chart for chart in kinds.CHARTS if chart.shape is Picture]
BARS = [chart for chart in kinds.CHARTS if chart.shape is Bars]


class Shown(NamedTuple):
    """What one form shows of a choice of cases."""

    caption: str
    x: str
    y: str
    legend: list[str]
    curves: list[Points]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Campaign, Path]:
    """A campaign that has everything, and its gnuplot files."""
    directory = everything(tmp_path_factory.mktemp("everything"))
    result = Result(directory)
    campaign = summarise(result)
    first, *_ = files("gnuplot", result, campaign, directory)
    return campaign, first.parent


def on_the_page(campaign: Campaign, key: str) -> Iterator[Shown]:
    """On its own axes, whatever else can be chosen."""
    chart = next(c for c in CHARTS if c.key == key)
    place = chart.place.id if chart.place else chart.key
    chosen = dict(chart.place.keys) if chart.place else {}
    shown = next(drawn for drawn in draw_all(campaign)[chart.test] if drawn.id == place)
    for panel in shown.panels:
        keys = dict(panel.keys)
        if keys.get("Axes") == "linear" or not chosen.items() <= keys.items():
            continue
        axes = [specs.title(panel.spec, axis) for axis in ("x", "y")]
        drawn = specs.curves(panel.spec).values()
        curves = [[(row["x"], row["y"]) for row in rows] for rows in drawn]
        yield Shown(panel.caption, *axes, specs.legend(panel.spec), curves)


def in_gnuplot(folder: Path, key: str) -> Iterator[Shown]:
    """What its scripts and data say."""
    (title,) = (chart.title for chart in CHARTS if chart.key == key)
    for path in sorted((folder / "scripts").glob(f"{key}.*.gpi")):
        text = path.read_text(encoding="utf-8")
        data = (folder / "data" / f"{path.stem}.gpd").read_text(encoding="utf-8")
        caption = data.splitlines()[0].removeprefix(f"# {title}. ")
        x, y = (text_of(text, f"set {axis}label") for axis in "xy")
        legend = re.findall(r"keyentry .* title '(.*)'", text)
        legend += re.findall(r"^set title '(.*?)'", text, re.MULTILINE)
        curves: list[Points] = []
        for part in data.split("\n\n\n"):
            lines = [line.split()[:2] for line in part.splitlines()]
            place = at_percent if "rarity($1)" in text else float
            curves.append([(place(float(x)), float(y)) for x, y in lines if x != "#"])
        yield Shown(caption, x, y, legend, curves)


def test_the_workbook_has_the_same_captions_axes_and_values(
    made: tuple[Campaign, Path], tmp_path: Path
) -> None:
    campaign, _ = made
    workbook(Document("", [], [*blocks.charts(campaign, CURVES)]), tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    for chart in CURVES:
        sheet = next(page for page in book if page["A1"].value == chart.title)
        cells = [[cell.value for cell in column] for column in sheet.iter_cols()]
        for shown in on_the_page(campaign, chart.key):
            assert shown.caption in cells[0]
            for name in shown.legend:
                assert any(name in column for column in cells)
        drawn = [picture for picture in chart.draw(campaign, chart.cases(campaign))]
        assert len(sheet._charts) == len(drawn)
        for picture in drawn:
            first = cells[0].index(picture.caption)
            for curve in picture.curves:
                # The nearest below the caption: a further picture may have the same name.
                places = [(c.index(curve.name, first), n) for n, c in enumerate(cells)
                          if curve.name in c[first:]]  # fmt: skip
                row, column = min(places)
                start = row + 2
                found = zip(cells[column][start:], cells[column + 1][start:], strict=True)
                assert [next(found) for _ in curve.points] == [
                    (pytest.approx(p.x), pytest.approx(p.y)) for p in curve.points
                ]


def text_of(text: str, command: str) -> str:
    """The text of a command, its lines joined again."""
    value = re.findall(rf"^{command} (.*)$", text, re.MULTILINE)[0]
    return " ".join(re.findall(r"'([^']*)'", value.partition(" offset")[0]))


def assert_has(drawn: Sequence[Points], wanted: Points) -> None:
    """One of the curves is this one, as far as digits go."""
    places = np.array(wanted, dtype=float)
    alike = [np.array(curve, dtype=float) for curve in drawn if len(curve) == len(wanted)]
    assert any(np.allclose(c, places, rtol=2e-4, atol=1e-9, equal_nan=True) for c in alike), wanted


@pytest.mark.parametrize("key", [chart.key for chart in CHARTS])
def test_series_units_and_captions_are_the_same_everywhere(
    made: tuple[Campaign, Path], key: str
) -> None:
    campaign, folder = made
    page = {shown.caption: shown for shown in on_the_page(campaign, key)}
    others = [{shown.caption: shown for shown in in_gnuplot(folder, key)}]
    assert page
    for other in others:
        assert other.keys() == page.keys()
        for caption, shown in page.items():
            drawn = other[caption]
            assert (drawn.x, drawn.y) == (shown.x, shown.y)
            assert sorted(drawn.legend) == sorted(shown.legend)
            for curve in shown.curves:
                assert_has(drawn.curves, curve)


class Shape(NamedTuple):
    """What one form shows of a choice of cases as bars."""

    caption: str
    axis: str
    names: list[str]
    legend: list[str]
    values: list[tuple[float, float, float]]
    """Values of each row: value, lower and upper limit; the value itself where there is no
    interval."""
    others: list[list[float]]
    """Parts, marks and lines across: the values of each."""


def as_data(bars: Bars) -> Shape:
    """What was computed, in the words of what is shown."""
    values = [
        (row.value, row.value if row.low is None else row.low,
         row.value if row.high is None else row.high) for row in bars.rows
    ]  # fmt: skip
    others = [[part.value for part in row.parts] for row in bars.rows if row.parts]
    if bars.mark:
        others.append([row.mark for row in bars.rows if row.mark is not None])
    others += [[end[0] for end in line.ends] for line in bars.references]
    names = [row.label.text for row in bars.rows]
    return Shape(bars.caption, bars.axis.title, names, bars.legend(), values, others)


def bars_on_the_page(campaign: Campaign, chart: ChartKind) -> Iterator[Shape]:
    """Its panels."""
    shown = next(drawn for drawn in draw_all(campaign)[chart.test] if drawn.id == chart.key)
    for panel in shown.panels:
        labels = specs.channel(panel.spec, "y")["axis"]["labelExpr"].removesuffix("[datum.value]")
        names = [" ".join(lines) for lines in json.loads(labels)]
        (rows,) = specs.styled(panel.spec, "bar", "mark")
        values = [(r["x"], r.get("low", r["x"]), r.get("high", r["x"])) for r in rows["rows"]]
        rest = [(style, row) for style in ("part", "compared", "reference")
                for layer in specs.styled(panel.spec, style) for row in layer["rows"]]  # fmt: skip
        groups = groupby(rest, lambda each: (each[0], each[0] == "part" and each[1]["at"],
                                             each[1].get("n")))  # fmt: skip
        others = [[row["x"] for _, row in group] for _, group in groups]
        yield Shape(panel.caption, specs.title(panel.spec, "x"), names, specs.legend(panel.spec),
                    values, others)  # fmt: skip


def assert_same_bars(shown: Shape, wanted: Shape) -> None:
    """As far as the page's digits go."""
    assert (shown.caption, shown.axis, shown.names) == (wanted.caption, wanted.axis, wanted.names)
    assert shown.legend == wanted.legend
    assert np.array(shown.values) == pytest.approx(np.array(wanted.values), rel=1e-4)
    assert len(shown.others) == len(wanted.others)
    for found, known in zip(shown.others, wanted.others, strict=True):
        assert found == pytest.approx(known, rel=1e-4)


@pytest.mark.parametrize("chart", BARS, ids=attrgetter("key"))
def test_bars_intervals_units_and_captions_are_the_same_everywhere(
    made: tuple[Campaign, Path], chart: ChartKind
) -> None:
    campaign, _ = made
    computed = [as_data(bars) for bars in chart.draw(campaign, chart.cases(campaign))]
    assert computed
    for found, wanted in zip(bars_on_the_page(campaign, chart), computed, strict=True):
        assert_same_bars(found, wanted)


def test_the_bars_of_a_campaign_that_has_everything_have_all_parts(
    made: tuple[Campaign, Path],
) -> None:
    campaign, _ = made
    drawn = {chart.key: list(chart.draw(campaign, chart.cases(campaign))) for chart in BARS}
    medians, goodput = drawn["latency-medians"], drawn["goodput"]
    assert all(len(row.parts) == 3 for bars in medians for row in bars.rows)
    assert all("Not drawn: " in bars.caption for bars in medians)
    assert {bars.mark for bars in goodput} == {"", "specified"}
    assert any(bars.references for bars in goodput)
    assert any(row.low is not None for bars in goodput for row in bars.rows)
