"""Whatever became of a file of the result: it is read, or one message says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_results import written

from busmark.errors import UserError
from busmark.store import Result
from busmark.store.result import load_table

quick = settings(
    deadline=None, derandomize=True, max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("store") / "r")


@quick
@given(share=st.floats(0, 0.999))
def test_a_table_that_was_cut_is_told(result: Path, tmp_path: Path, share: float) -> None:
    data = (result / "samples" / "000-x.r000.parquet").read_bytes()
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UserError, match=r"cut\.parquet: not a readable Parquet file") as caught:
        load_table(cut, "samples")
    assert "--resume" in caught.value.remedy and "\n" not in caught.value.message


@quick
@given(data=st.binary(max_size=200))
def test_a_file_of_anything_else_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with pytest.raises(UserError, match="not a readable Parquet file"):
        load_table(path, "cases")


@quick
@given(st.data())
def test_a_manifest_that_was_changed_is_read_or_told(result: Path, data: st.DataObject) -> None:
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
def test_a_manifest_that_was_cut_is_told(result: Path, share: float) -> None:
    path = result / "manifest.json"
    text = path.read_text()
    try:
        path.write_text(text[: int((len(text) - 2) * share)])
        with pytest.raises(UserError, match="damaged manifest: not JSON"):
            Result(result)
    finally:
        path.write_text(text)


@pytest.mark.parametrize("cases", [[], "elsewhere", {"by": "name"}])
def test_a_newer_format_is_told_as_such_whatever_else_changed(
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
