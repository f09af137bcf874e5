"""Whatever became of a file of the result: it is read, or one message says what is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seams import shown
from store_results import written

from busmark.errors import UserError
from busmark.store import Result, ResultWriter, load_table

quick = settings(
    deadline=None, derandomize=True, max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("store") / "r")


@quick
@given(share=st.floats(0, 0.999))
def test_a_table_that_was_cut_is_reported(result: Path, tmp_path: Path, share: float) -> None:
    data = (result / "samples" / "000-x.r000.parquet").read_bytes()
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UserError, match=r"cut\.parquet: not a readable Parquet file") as caught:
        load_table(cut, "samples")
    assert "--resume" in caught.value.remedy and "\n" not in caught.value.message


@quick
@given(data=st.binary(max_size=200))
def test_a_file_of_anything_else_is_reported(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    # The second where it has the name of a checksum, and the end of a Parquet file.
    with pytest.raises(UserError, match=r"not a readable Parquet file|damaged: other bytes"):
        load_table(path, "cases")


@quick
@given(st.data())
def test_a_manifest_that_was_changed_is_read_or_reported(result: Path, data: st.DataObject) -> None:
    path = result / "manifest.json"
    text = path.read_text()
    document: dict[str, Any] = json.loads(text)
    key = data.draw(st.sampled_from(sorted(document)))
    value = data.draw(st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers()))
    try:
        path.write_text(json.dumps(document | {key: value}))
        Result(result)
    except UserError as error:
        assert str(path) in str(error) and error.remedy
    finally:
        path.write_text(text)


@quick
@given(share=st.floats(0, 0.999))
def test_a_manifest_that_was_cut_is_reported(result: Path, share: float) -> None:
    path = result / "manifest.json"
    text = path.read_text()
    try:
        path.write_text(text[: int((len(text) - 2) * share)])
        with pytest.raises(UserError, match="damaged manifest: not JSON"):
            Result(result)
    finally:
        path.write_text(text)


@pytest.mark.parametrize("cases", [[], "elsewhere", {"by": "name"}])
def test_a_newer_format_is_reported_as_such_whatever_else_changed(
    tmp_path: Path, cases: object
) -> None:
    directory = written(tmp_path / "r")
    path = directory / "manifest.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"format": 2, "cases": cases, "busmark_version": "7"}))
    with pytest.raises(UserError, match=r"result format 2; this Busmark reads up to 1") as caught:
        Result(directory)
    assert "(7)" in caught.value.remedy


def test_an_unfinished_result_without_rounds_is_a_result(tmp_path: Path) -> None:
    result = Result(written(tmp_path / "r", rounds=0))
    assert result.cases.height == 0 and result.rounds("000-x") == []


def changed(directory: Path, **changes: Any) -> Result:
    """Put other values into the first row of the table `cases`."""
    path = directory / "cases.parquet"
    frame = pl.read_parquet(path)
    first = [pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value)).otherwise(pl.col(name))
             .alias(name) for name, value in changes.items()]  # fmt: skip
    frame.with_columns(first).write_parquet(path)
    return Result(directory)


@pytest.mark.parametrize(("column", "value"), [
    ("median_ns", -1.0), ("median_ns", float("inf")), ("median_ns", float("nan")),
    ("measured_s", -2.0), ("sent", -1), ("status", "fine"), ("test", "x"), ("case", "../../x"),
    ("case", None), ("round", 2**40), ("sustained_hz", 5.0), ("statistic_value", 7.0),
])  # fmt: skip
def test_a_row_that_cannot_be_is_left_out_and_reported(
    tmp_path: Path, column: str, value: object
) -> None:
    result = changed(written(tmp_path / "r"), **{column: value})
    assert result.rounds("000-x") == [1, 2]
    assert len(result.damage) == 1 and "cases.parquet" in result.damage[0]
    (problem,) = shown(result.directory).problems
    assert f"{result.directory}/{problem}" == result.damage[0]


@pytest.mark.parametrize("case", [
    {"id": "../../x"}, {"id": "000-x"}, {"params": {"size": -1}}, {"params": {"rate_hz": "fast"}},
    {"params": {"writers": 10**30}}, {"params": {"qos": [1]}}, {"params": {"adapter": "\ud800"}},
    {"params": {"test": "guess"}}, {"status": "dreamt"}, "x", None,
])  # fmt: skip
def test_a_case_that_cannot_be_is_left_out_and_reported(tmp_path: Path, case: Any) -> None:
    directory = written(tmp_path / "r")
    path = directory / "manifest.json"
    document = json.loads(path.read_text())
    whole = {"id": "001-y", "params": {}, "status": "planned"}
    document["cases"].append(whole | case if isinstance(case, dict) else case)
    path.write_text(json.dumps(document))
    result = Result(directory)
    assert [kept.id for kept in result.manifest.cases] == ["000-x"]
    assert len(result.damage) == 1 and "left out" in result.damage[0]
    with pytest.raises(UserError, match="the manifest is damaged"):
        ResultWriter.resume(directory)


@pytest.mark.parametrize("value", [-5, 2**63 - 1])
def test_a_table_with_a_value_that_cannot_be_is_reported(tmp_path: Path, value: int) -> None:
    path = written(tmp_path / "r") / "samples" / "000-x.r000.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(seq=pl.lit(value)).write_parquet(path)
    with pytest.raises(UserError, match="damaged: column seq, row 0"):
        load_table(path, "samples")


def test_a_file_that_claims_more_rows_than_it_holds_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = pl.LazyFrame({"seq": [0]}).select(pl.repeat(0, 20_000_000, dtype=pl.Int64).alias("seq"))
    rows.collect().write_parquet(path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(UserError, match="20000000 rows in"):
        load_table(path, "samples")


@pytest.mark.parametrize("name", [
    "manifest.json", "cases.parquet", "samples/000-x.r000.parquet", "intervals/000-x.r000.parquet",
])  # fmt: skip
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    directory = written(tmp_path / "r")
    (directory / name).unlink()
    os.mkfifo(directory / name)
    with pytest.raises(UserError, match="not a regular file"):
        result = Result(directory)
        result.samples("000-x", 0)
        result.intervals("000-x", 0)
