"""A chart is one file and one line, and every form that draws its shape has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from synthetic_campaign import Builder

import busmark

NEW = {
    "losses": '''"""Lost samples over the size of the body."""

from busmark.model.quantities import LOSS_SHARE as FIGURE
from busmark.report.drawing.charts.sizes import over_size

CHART = over_size(
    "loss-size", "Loss against size", "throughput", FIGURE.pick, "lost, %", 0.01,
    explanation="Share of the samples that never arrived.",
)
''',
    "lost_bars": '''"""Lost samples of each case."""

from busmark.model.quantities import LOSS_SHARE as FIGURE
from busmark.report.drawing.charts.figure_bars import bars_of

CHART = bars_of(
    "loss-bars", "Loss, case by case", "throughput", FIGURE.pick, "lost, %", 0.01,
    explanation="Share of the samples that never arrived.", needs="throughput cases",
)
''',
    "loss_map": '''"""Lost samples of every label at every size."""

from busmark.model.quantities import LOSS_SHARE as FIGURE
from busmark.analysis.words.text import Scale
from busmark.report.drawing.charts.overviews import overview

CHART = overview("loss-map", "throughput", "loss", FIGURE.pick, (Scale("%", 0.01),))
''',
    "packets": '''"""Samples per second over the time of one round."""

from busmark.report.drawing import look, panels
from busmark.report.drawing.picture import Axis, Curve, Point
from busmark.report.drawing.stacks import Row, Stack, StackChart


def _draw(campaign, cases):
    for case in cases:
        rate = case.series.rate
        per_s = [Point(t, mbit * 1e6 / 8 / case.size) for t, mbit in zip(rate.t_s, rate.mbit_per_s)]
        row = Row("all readers", Axis("time, s"), Axis("samples/s", from_zero=True),
                  [Curve(case.label, look.label_of(campaign, case), per_s, marks=False)])
        yield Stack(panels.of_one(case), [case], [row], f"round {rate.round}.")


CHART = StackChart(
    "packets-time", "Samples over time", "throughput", "Of one round.", "throughput cases",
    lambda case: case.series and case.series.rate, _draw,
)
''',
    "half_boxes": '''"""Probes of each round, without the slowest and the quickest."""

from busmark.report.drawing import look
from busmark.report.drawing.boxes import Box, BoxChart, Boxes, Cell
from busmark.report.drawing.picture import Axis


def _of(campaign, keys, members):
    cells = []
    for case in members:
        boxes = [
            Box(str(b.round), (b.p5_ns, b.p95_ns), (b.p25_ns, b.median_ns, b.p75_ns),
                (b.p5_ns, b.p95_ns), [(b.p25_ns, 0.4), (b.p75_ns, 0.4)])
            for b in case.series.boxes
        ]
        cells.append(Cell(look.label_of(campaign, case), boxes, Axis("one-way latency, ns")))
    return Boxes(keys, members, "round", cells, "without the extremes.")


CHART = BoxChart(
    "half-boxes", "The middle of each round", "throughput", "Boxes.", "probes",
    lambda case: case.series and case.series.boxes, _of,
)
''',
}
"""A chart of each shape."""

SHOW = """
import json, sys
from pathlib import Path
import openpyxl
from busmark.analysis import summarise
from busmark.present.sinks import gnuplot
from busmark.present.sinks.print import svg
from busmark.present.blocks.charts import charts as draw_all
from busmark.report.workbook import write_workbook
from busmark.store import Result

folder = Path(sys.argv[1])
result = Result(folder)
campaign = summarise(result)
index, *figures = svg(result, campaign, folder)
scripts = gnuplot.write(result, campaign, folder)
write_workbook(campaign, folder / "report.xlsx")
titles = [sheet["A1"].value for sheet in openpyxl.load_workbook(folder / "report.xlsx")]
page = {c.key: c.shapes[0].caption for charts in draw_all(campaign).values() for c in charts}
print(json.dumps({"page": page, "print": [p.name for p in figures],
                  "index": index.read_text().replace("\\\\", ""),
                  "gnuplot": [p.name for p in scripts], "workbook": titles}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each form shows when a copy of the package has one file and one line more for each."""
    folder = tmp_path_factory.mktemp("new")
    build = Builder(folder / "result")
    for adapter in ("udp", "tcp"):
        for size in (64, 1024, 4096):
            case = build.case(f"{adapter}-{size}", test="throughput", adapter=adapter, size=size)
            for number in range(2):
                build.stream(case, number, 50_000, size)
    result = build.finish()
    package, copy = Path(busmark.__file__).parent, folder / "code" / "busmark"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    place = copy / "report" / "drawing" / "charts"
    registry = place / "__init__.py"
    text = registry.read_text()
    for name, code in NEW.items():
        (place / f"{name}.py").write_text(code)
        for line, more in (("    histogram_log,\n", f"    {name},\n"),
                           ("    *sizes.CHARTS,\n", f"    {name}.CHART,\n")):  # fmt: skip
            assert line in text
            text = text.replace(line, line + more)
    registry.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", SHOW, str(result)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(copy.parent)}, cwd=copy.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("key", "files"),
    [
        ("loss-size", {"same"}),
        ("loss-bars", {"same.64B", "same.1KiB", "same.4KiB"}),
        ("loss-map", {"same"}),
        ("packets-time", {"same.64B.UDP-socket", "same.4KiB.TCP-socket"}),
        ("half-boxes", {"same.64B", "same.1KiB", "same.4KiB"}),
    ],
)
def test_a_new_chart_of_any_shape_is_one_file_and_one_line(
    found: Any, key: str, files: set[str]
) -> None:
    assert {f"{key}.{name}.svg" for name in files} <= set(found["print"])
    assert {f"{key}.{name}.gpi" for name in files} <= set(found["gnuplot"])
    told = found["page"][key].removesuffix(" A double click shows all.").partition(": ")[2]
    assert told in found["index"]


def test_a_new_chart_of_curves_is_in_the_workbook_too(found: Any) -> None:
    assert "Loss against size" in found["workbook"]
