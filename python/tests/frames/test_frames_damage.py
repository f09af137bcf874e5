"""What is usable is used; what was left out is reported; the rest is one error."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.errors import UserError


@pytest.fixture
def copy(directory: Path, tmp_path: Path) -> Path:
    kept = shutil.ignore_patterns("estimates.parquet", "series.parquet")
    return Path(shutil.copytree(directory, tmp_path / "copy", ignore=kept))


def test_a_file_that_was_cut_is_left_out_and_reported(copy: Path) -> None:
    cut = copy / "samples" / "udp-64-same.r001.parquet"
    cut.write_bytes(cut.read_bytes()[:500])
    (copy / "intervals" / "udp-1024-flood.r000.parquet").unlink()
    r = busmark.open(copy)
    assert r.samples("udp-64-same").collect()["round"].unique().sort().to_list() == [0, 2]
    assert r.latencies("udp-64-same")["round"].unique().sort().to_list() == [0, 2]
    assert r.intervals("udp-1024-flood").collect()["round"].n_unique() == 2
    row = r.cases.row(by_predicate=pl.col("case") == "udp-64-same", named=True)
    assert (row["status"], row["half_round_trip_rounds"]) == ("partial", 2)
    text = r.problems
    assert len([problem for problem in text if "udp-64-same.r001" in problem]) == 1
    assert any("udp-1024-flood.r000" in problem for problem in text)
    assert len(text) == 2


def test_damage_inside_a_file_is_reported_once_it_was_read(copy: Path) -> None:
    path = copy / "samples" / "udp-64-same.r001.parquet"
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    path.write_bytes(data)
    r = busmark.open(copy)
    assert r.latencies("udp-64-same")["round"].unique().sort().to_list() == [0, 2]
    assert len(r.problems) == 1 and str(path) in r.problems[0]
    assert r.samples("udp-64-same").collect()["round"].unique().sort().to_list() == [0, 2]
    row = r.cases.row(by_predicate=pl.col("case") == "udp-64-same", named=True)
    assert row["half_round_trip_rounds"] == 2


def test_a_whole_result_has_no_problems(directory: Path) -> None:
    assert busmark.open(directory).problems == []


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a result directory"):
        busmark.open(tmp_path)
    with pytest.raises(UserError, match="no such result directory"):
        busmark.open(tmp_path / "absent")


def test_columns_of_another_version_do_not_matter(copy: Path) -> None:
    path = copy / "samples" / "udp-64-same.r001.parquet"
    frame = pl.read_parquet(path)
    frame.drop("answers").with_columns(pl.lit(1).alias("from_the_future")).write_parquet(path)
    found = busmark.open(copy).samples("udp-64-same").collect()
    assert found["round"].n_unique() == 3
    assert "answers" in found.columns and "from_the_future" not in found.columns


def test_a_parameter_with_the_name_of_a_column_keeps_both(tmp_path: Path) -> None:
    import numpy as np

    build = Builder(tmp_path)
    case = build.case("a", sent=7, settings={"nodelay": True, "list": [1, 2]}, odd="x")
    build.case("b", settings={"nodelay": None}, odd=3)
    build.pings(case, 0, samples_around(10_000, 100, np.random.default_rng(1)))
    frame = busmark.open(build.finish()).cases
    assert frame["param_sent"].to_list() == [7, None] and frame["sent"].to_list() == [100, None]
    assert frame["settings_nodelay"].to_list() == [True, None]
    assert frame["settings_list"].to_list() == ["[1, 2]", None]
    assert frame["odd"].to_list() == ["x", "3"]
