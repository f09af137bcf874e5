"""All forms of report that users continue with, of a campaign that really ran."""

from __future__ import annotations

from pathlib import Path

import nbformat
import openpyxl
import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, scenario

import busmark
from busmark.present.display import MIME

MATRIX = 'adapter = ["tcp", "null"]\ntest = ["latency", "throughput"]\nsize = [32, 1024]'


@pytest.fixture(scope="module")
def reported(shared_lab: Lab) -> tuple[Path, list[Path]]:
    need_adapters("tcp", "null")
    path = shared_lab.scenario(scenario(MATRIX), "forms.toml")
    out = shared_lab.folder / "forms"
    ran = shared_lab.busmark("run", path, "--out", out)
    assert ran.code == 0, ran.text
    told = shared_lab.busmark("report", out, "--to", "xlsx,notebook,csv,csv-samples")
    assert told.code == 0, told.text
    shared_lab.assert_nothing_left()
    return out, [Path(line) for line in told.out.split()]


def test_every_file_that_is_told_is_there(reported: tuple[Path, list[Path]]) -> None:
    _, files = reported
    assert {"report.xlsx", "report.ipynb", "cases.csv", "rounds.csv"} <= {f.name for f in files}
    assert all(file.stat().st_size > 0 for file in files)


def test_they_tell_the_same(reported: tuple[Path, list[Path]]) -> None:
    out, files = reported
    by_name = {file.name: file for file in files}
    frame = busmark.open(out).cases
    wanted = frame["half_round_trip_median_ns"].to_list()
    assert sum(value is not None for value in wanted) == 4
    read = pl.read_csv(by_name["cases.csv"], infer_schema_length=None)
    # CSV has whole nanoseconds.
    rounded = [None if value is None else pytest.approx(value, abs=0.5) for value in wanted]
    assert read["half_round_trip_median_ns"].to_list() == rounded
    page = openpyxl.load_workbook(by_name["report.xlsx"])["Cases"]
    values = [cell.value for row in page.iter_rows() for cell in row]
    for value in wanted:
        assert value is None or pytest.approx(value / 1e3) in values


def test_the_notebook_ran_on_it(reported: tuple[Path, list[Path]]) -> None:
    _, files = reported
    path = next(file for file in files if file.suffix == ".ipynb")
    made = nbformat.read(path, as_version=4)
    outputs = [o for c in made.cells if c.cell_type == "code" for o in c.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert len([o for o in outputs if MIME in o.get("data", {})]) >= 8


def test_samples_as_text_are_those_that_were_recorded(reported: tuple[Path, list[Path]]) -> None:
    out, files = reported
    r = busmark.open(out)
    for file in files:
        if file.name.startswith("samples-"):
            case = file.stem.removeprefix("samples-")
            assert pl.scan_csv(file).select(pl.len()).collect().item() == (
                r.samples(case).select(pl.len()).collect().item()
            )
