"""A chart is one row of the table of kinds, and every form that draws its shape has it."""

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

NEW = """
    _over_size("loss-size", "Loss against size", "throughput", LOSS_SHARE.pick, "lost, %", 0.01,
               explanation="Share of the samples that never arrived."),
    ChartKind(
        "loss-bars", "Loss, case by case", "throughput", "Share of the samples that never arrived.",
        "throughput cases", LOSS_SHARE.pick, cases.intervals(LOSS_SHARE.pick, "lost, %", 0.01),
        shape=Bars,
    ),
    _heat("loss-map", "throughput", "loss", LOSS_SHARE.pick, (text.Scale("%", 0.01),)),
"""
"""Rows for three of the shapes."""

SHOW = """
import json, sys
from pathlib import Path
import openpyxl
from busmark.compare.campaign import summarise
from busmark.present import formats
from busmark.present.blocks.campaign import views
from busmark.present.blocks.charts import by_test as draw_all
from busmark.store import Result

folder = Path(sys.argv[1])
result = Result(folder)
campaign = summarise(result)

def files(name, result, campaign, folder):
    shown = views(result, campaign, Path(folder))
    return formats.write(shown, formats.chosen(name), Path(folder))[name]

index, *figures = files("svg", result, campaign, folder)
scripts = files("gnuplot", result, campaign, folder)
(path,) = files("xlsx", result, campaign, folder)
titles = [sheet["A1"].value for sheet in openpyxl.load_workbook(path)]
page = {c.key: c.shapes[0].caption for charts in draw_all(campaign).values() for c in charts}
print(json.dumps({"page": page, "print": [p.name for p in figures],
                  "index": index.read_text().replace("\\\\", ""),
                  "gnuplot": [p.name for p in scripts], "workbook": titles}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each form shows when a copy of the package has one row more for each."""
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
    table = copy / "present" / "charts" / "kinds.py"
    text = table.read_text()
    for line, more in (("    *map(_boxes, MEASURES),\n", NEW),
                       ("from busmark.model.quantities import GOODPUT, JITTER_SHARE\n",
                        "from busmark.model.quantities import LOSS_SHARE\n")):  # fmt: skip
        assert line in text
        text = text.replace(line, line + more)
    table.write_text(text)
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
    ],
)
def test_a_new_chart_is_one_row(found: Any, key: str, files: set[str]) -> None:
    assert {f"{key}.{name}.svg" for name in files} <= set(found["print"])
    assert {f"{key}.{name}.gpi" for name in files} <= set(found["gnuplot"])
    caption = found["page"][key].removesuffix(" A double click shows all.").partition(": ")[2]
    assert caption in found["index"]


def test_new_charts_of_curves_and_bars_are_in_the_workbook_too(found: Any) -> None:
    assert {"Loss against size", "Loss, case by case"} <= set(found["workbook"])
