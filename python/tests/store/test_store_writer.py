"""A result directory loses nothing that was finished."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import polars as pl
import pytest
from store_results import manifest, row, samples, save, written

from busmark import files as atomic_module
from busmark.errors import UserError
from busmark.store import Result, ResultWriter, polars_schema

SUFFIX = ".partial"


def test_what_is_saved_can_be_read(tmp_path: Path) -> None:
    result = Result(written(tmp_path / "r"))
    assert result.rounds("000-x") == [0, 1, 2]
    assert result.samples("000-x", 1)["seq"].to_list() == list(range(10))
    assert result.intervals("000-x", 2).height == 0
    assert dict(result.cases.schema) == polars_schema("cases")


def test_a_further_attempt_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    writer.save_round(row(0, "failed", reason="died"), {})
    save(writer, 0, attempt=1)
    writer.close()
    (kept,) = Result(tmp_path / "r").cases.to_dicts()
    assert (kept["status"], kept["attempt"], kept["reason"]) == ("ok", 1, None)


def test_going_on_keeps_rounds_and_removes_leftovers(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    (directory / "samples" / ("x.parquet" + SUFFIX)).write_text("half")
    (directory / ("manifest.json" + SUFFIX)).write_text("half")
    before = Result(directory).cases
    writer = ResultWriter.resume(directory)
    assert not list(directory.rglob("*" + SUFFIX))
    save(writer, 3)
    writer.close()
    after = Result(directory).cases
    assert after.head(3).equals(before) and after.height == 4


def test_going_on_reads_what_another_wrote_until_the_lock_was_free(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    first = ResultWriter.resume(directory)
    with pytest.raises(UserError, match="another busmark is writing this result"):
        ResultWriter.resume(directory)
    save(first, 3)
    first.close()
    second = ResultWriter.resume(directory)
    assert [kept["round"] for kept in second.rows] == [0, 1, 2, 3]
    second.close()


@pytest.mark.parametrize("folder", ["samples", "intervals"])
def test_a_round_without_its_files_is_not_finished(tmp_path: Path, folder: str) -> None:
    directory = written(tmp_path / "r")
    (directory / folder / "000-x.r001.parquet").unlink()
    writer = ResultWriter.resume(directory)
    assert [kept["round"] for kept in writer.rows] == [0, 2]
    writer.close()
    assert Result(directory).rounds("000-x") == [0, 2]
    lines = (directory / "events.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["event"] == "round_lost"


def test_failed_rounds_need_no_files(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    writer.save_round(row(0, "failed"), {})
    writer.close()
    writer = ResultWriter.resume(tmp_path / "r")
    assert len(writer.rows) == 1
    writer.close()


@pytest.mark.parametrize("at", range(1, 25))
def test_a_failure_at_any_step_of_saving_leaves_a_whole_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Every call to the system that makes a round part of the result fails once."""
    directory = written(tmp_path / "r", rounds=2)
    writer = ResultWriter.resume(directory)
    before = Result(directory).cases
    calls = 0

    def failing(real: object) -> object:
        def call(*arguments: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments, **options)  # type: ignore[operator]

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync))
        patch.setattr(Path, "replace", failing(Path.replace))
        patch.setattr(atomic_module, "sync_directory", failing(atomic_module.sync_directory))
        patch.setattr(pl.DataFrame, "write_parquet", failing(pl.DataFrame.write_parquet))
        try:
            save(writer, 2)
            saved = True
        except UserError as error:
            assert "No space left on device" in str(error) and error.remedy
            saved = False
    writer.close()
    after = Result(directory).cases
    assert after.head(2).equals(before)
    assert after.height in ((3,) if saved else (2, 3))
    for number in after["round"]:
        assert Result(directory).samples("000-x", number).height == 10
    writer = ResultWriter.resume(directory)
    save(writer, 2)
    writer.close()
    assert Result(directory).rounds("000-x") == [0, 1, 2]


def test_half_a_line_of_events_is_dropped(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    log = directory / "events.jsonl"
    whole = log.read_bytes()
    for tail in (b"{", b'{"utc": "\xc3', b"x" * 10_000):
        log.write_bytes(whole + tail)
        ResultWriter.resume(directory).close()
        assert log.read_bytes() == whole
    log.write_bytes(b'{"never ended')
    ResultWriter.resume(directory).close()
    assert log.read_bytes() == b""


def test_a_foreign_directory_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(UserError, match="exists and is not empty"):
        ResultWriter.create(tmp_path / "notes", manifest())
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["a.txt"]


def test_a_result_is_not_begun_again(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    with pytest.raises(UserError, match="exists and is not empty"):
        ResultWriter.create(directory, manifest(seed=2))
    assert Result(directory).manifest.seed == 1


def test_columns_that_are_absent_are_null_and_further_ones_are_kept(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    path = directory / "samples" / "000-x.r000.parquet"
    samples(4).drop("flags").with_columns(extra=pl.lit(1)).write_parquet(path)
    frame = Result(directory).samples("000-x", 0)
    assert frame["flags"].null_count() == 4 and frame["extra"].sum() == 4


def test_a_column_of_another_type_is_reported(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    path = directory / "samples" / "000-x.r000.parquet"
    samples(1).with_columns(seq=pl.Series(["first"])).write_parquet(path)
    with pytest.raises(UserError, match="columns of an unexpected type"):
        Result(directory).samples("000-x", 0)
