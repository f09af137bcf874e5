"""Rows of a growing campaign: in the table, or beside it until there is time to write it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from store_results import manifest, row, save, written

from busmark.errors import UserError
from busmark.store import Result, rows
from busmark.store.result import CASES
from busmark.store.rows import LINES, Rows
from busmark.store.writer import ResultWriter


@pytest.fixture
def rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is written once, and then at the end only."""
    monkeypatch.setattr(rows, "REST", 10**9)


def kill(writer: ResultWriter) -> None:
    """Ends it without a word, as the kernel does."""
    assert writer._lock and writer._events
    writer._events.close()
    writer._lock.close()


@pytest.mark.usefixtures("rare")
def test_who_may_not_write_leaves_the_rows_of_whoever_does(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    for number in range(3):
        save(writer, number)
    with pytest.raises(UserError, match="another busmark is writing"):
        ResultWriter.resume(tmp_path / "r")
    with pytest.raises(UserError, match="not empty"):
        ResultWriter.create(tmp_path / "r", manifest())
    assert Result(tmp_path / "r").rounds("000-x") == [0, 1, 2]
    assert len((tmp_path / "r" / LINES).read_text().splitlines()) == 2
    writer.close()


@pytest.mark.usefixtures("rare")
def test_rows_stand_beside_the_table_until_the_end(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    for number in range(5):
        save(writer, number)
        assert Result(tmp_path / "r").rounds("000-x") == list(range(number + 1))
    assert pl.read_parquet(tmp_path / "r" / CASES).height == 1
    assert len((tmp_path / "r" / LINES).read_text().splitlines()) == 4
    writer.settle()
    writer.close()
    assert pl.read_parquet(tmp_path / "r" / CASES)["round"].to_list() == list(range(5))
    assert not (tmp_path / "r" / LINES).exists()


@pytest.mark.usefixtures("rare")
def test_the_same_is_read_from_lines_and_from_the_table(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    for number in range(3):
        figures = {"median_ns": 0.1 + number, "sent": 2**53 + number, "one_clock": True}
        save(writer, number, **figures)
    before = Result(tmp_path / "r").cases
    writer.settle()
    writer.close()
    assert before.equals(Result(tmp_path / "r").cases)


@pytest.mark.usefixtures("rare")
def test_a_further_attempt_replaces_the_row_wherever_that_is(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    writer.save_round(row(0, "failed", reason="in the table"), {})
    writer.save_round(row(1, "failed", reason="beside it"), {})
    for number in (0, 1):
        save(writer, number, attempt=1)
    writer.close()
    found = Result(tmp_path / "r").cases
    assert found["status"].to_list() == ["ok", "ok"] and found["attempt"].to_list() == [1, 1]


@pytest.mark.usefixtures("rare")
def test_what_a_killed_campaign_left_beside_the_table_is_gone_on_with(tmp_path: Path) -> None:
    writer = ResultWriter.create(tmp_path / "r", manifest())
    for number in range(3):
        save(writer, number)
    kill(writer)
    with (tmp_path / "r" / LINES).open("ab") as file:
        file.write(b'{"case": "000-x", "rou')
    assert Result(tmp_path / "r").rounds("000-x") == [0, 1, 2]
    writer = ResultWriter.resume(tmp_path / "r")
    save(writer, 3)
    writer.settle()
    writer.close()
    assert pl.read_parquet(tmp_path / "r" / CASES)["round"].to_list() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "line", ["", "nonsense", "[]", "3", '{"case": 3, "round": "x"}', '{"round": 1e400}', "[" * 2000]
)
def test_a_line_that_is_no_row_is_left_out(tmp_path: Path, line: str) -> None:
    directory = written(tmp_path / "r", rounds=2)
    good = json.dumps(row(2))
    (directory / LINES).write_text(f"{line}\n{good}\n")
    result = Result(directory)
    assert result.rounds("000-x") == [0, 1, 2]


def test_rows_of_a_case_are_found_without_the_others(tmp_path: Path) -> None:
    known = Rows(tmp_path / CASES, [{**row(n % 3), "case": f"{n:03d}"} for n in range(9)])
    assert [each["round"] for each in known.of("004")] == [1]
    assert known.of("nobody") == [] and len(known) == 9
