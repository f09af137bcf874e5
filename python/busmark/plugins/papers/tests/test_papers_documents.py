"""Documents of papers: tables of imported results, tables and charts of every data set."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from synthetic_campaign import Builder, samples_around

from busmark.cli.main import busmark
from busmark.compare.campaign import summarise
from busmark.plugins.papers.blocks import document as repeated
from busmark.plugins.papers.repetition import repetition
from busmark.present.charts.shapes import Picture
from busmark.present.document import Chart
from busmark.store import Result

IMPORTED = Path(__file__).parents[2] / "imports" / "tests" / "files"
ORACLES = Path(__file__).parents[4] / "tests" / "oracles" / "results"


def test_a_document_of_a_paper_is_shown_of_imported_results(tmp_path: Path) -> None:
    directory = tmp_path / "imported"
    files = [str(IMPORTED / f"perftest_{name}.csv") for name in ("latency", "throughput")]
    CliRunner().invoke(busmark, ["import", *files, "--out", str(directory)], catch_exceptions=False)
    show = ["papers", "show", str(directory), "--paper"]
    ended = CliRunner().invoke(busmark, [*show, "perftest-2023"])
    assert ended.exit_code == 0, ended.output
    for title in (
        "1B: subscriber, throughput mode, Table 1 of the thesis",
        "2A: publisher, latency mode, Table 4 of the thesis",
    ):
        assert title in ended.stdout
    refused = CliRunner().invoke(busmark, [*show, "perftst"])
    assert "Did you mean perftest-2023?" in str(getattr(refused.exception, "remedy", ""))
    none = CliRunner().invoke(busmark, ["show", str(directory), "--document"])
    assert "`busmark papers show DIR --paper NAME`" in str(getattr(none.exception, "remedy", ""))
    out = tmp_path / "out"
    words = [*show, "perftest-2023", "--to", "xlsx,csv"]
    ended = CliRunner().invoke(busmark, [*words, "--folder", str(out)])
    assert ended.exit_code == 0, ended.output
    assert (out / "comparison.xlsx").exists()
    tables = [pl.read_csv(path) for path in (out / "csv").glob("*Table-4*.csv")]
    assert tables and "Ave, µs" in tables[0].columns


@pytest.mark.usefixtures("captures_can_be_read")
def test_a_file_that_is_neither_result_nor_capture_is_refused() -> None:
    words = ["papers", "show", str(IMPORTED / "perftest_latency.csv")]
    refused = CliRunner().invoke(busmark, words)
    assert "Give a capture" in str(getattr(refused.exception, "remedy", ""))


def charts_of(result: Result) -> tuple[str, list[Chart]]:
    """Return the titles of a paper's document's tables, and the charts of its data sets."""
    found = repetition(summarise(result))
    assert found is not None
    made = repeated(found)
    titles = " ".join(table.title for section in made.sections for table in section.tables)
    own = [section for section in made.sections if section.part == "Charts of the data sets"]
    charts = [block for section in own for block in section.blocks if isinstance(block, Chart)]
    return titles, charts


def test_every_data_set_of_the_thesis_has_its_table_and_its_charts(tmp_path: Path) -> None:
    with tarfile.open(ORACLES / "perftest.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    (manifest,) = tmp_path.rglob("manifest.json")
    titles, charts = charts_of(Result(manifest.parent))
    assert not [n for n in range(8) if f"Table {n} of the thesis" not in titles]
    for kind in ("values", "shares"):
        own = [chart for chart in charts if chart.key.startswith(kind)]
        tests = {chart.title.rpartition(": ")[2].partition(" ")[0] for chart in own}
        assert tests == {f"{number}{side}" for number in range(1, 5) for side in "AB"}


def test_charts_of_a_data_set_are_whole_and_zoomed_and_both_distributions(tmp_path: Path) -> None:
    build, rng = Builder(tmp_path), np.random.default_rng(5)
    for size in (32, 64, 128, 256, 1024):
        case = build.case(f"{size}", size=size, adapter="cyclonedds")
        for number in range(4):
            build.pings(case, number, samples_around(20_000.0 + size, 300, rng))
    _, charts = charts_of(Result(build.finish(scenario={"document": "perftest-2023"})))
    assert len(charts) == 6, "pings that arrived have no rate in Mbit/s here"
    for chart in charts:
        if chart.key.startswith("values-"):
            whole, zoomed = chart.shapes
            assert isinstance(whole, Picture) and isinstance(zoomed, Picture)
            assert {len(plot.curves[0].points) for plot in whole.plots} == {5}
            assert {len(plot.curves[0].points) for plot in zoomed.plots} == {2}
        else:
            (shape,) = chart.shapes
            assert isinstance(shape, Picture)
            exact, smooth = shape.plot.curves
            assert exact.points[-1].y == 100 and len(smooth.points) > 20
