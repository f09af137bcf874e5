"""What `busmark show` keeps of a result: found again while nothing has changed, and never else; and
who makes it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from synthetic_campaign import small

import busmark
from busmark.cli.main import busmark as command
from busmark.compare.campaign import summarise
from busmark.estimate import all_cases, one_case
from busmark.estimate.all_cases import EarlyCases
from busmark.estimate.one_case import CaseAnalysis, CaseFigures, CaseTask
from busmark.estimate.rounds import rows_of
from busmark.store import Result

KEPT = ("estimates.parquet", "series.parquet")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Make a result that was shown."""
    made = small(tmp_path / "result")
    show(made)
    return made


def show(directory: Path, said: str = "") -> str:
    ended = CliRunner().invoke(command, ["show", str(directory), "--json"], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    assert said in ended.stderr and bool(said) == bool(ended.stderr)
    return ended.stdout


@pytest.fixture
def no_analysis(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert directory.is_dir()
    monkeypatch.setattr(all_cases, "analysed", None)


@pytest.mark.usefixtures("no_analysis")
def test_a_copied_result_is_not_analysed_again(directory: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(directory, tmp_path / "elsewhere")
    assert show(copy) == show(directory)
    assert busmark.open(copy).estimates.equals(busmark.open(directory).estimates)
    report = CliRunner().invoke(command, ["report", str(copy), "--to", "csv"])
    assert report.exit_code == 0, report.output


def test_what_is_kept_does_not_say_where_the_result_was(directory: Path) -> None:
    gone, damaged = sorted((directory / "samples").iterdir())[:2]
    gone.unlink()
    damaged.write_bytes(b"no table")
    (directory / KEPT[0]).unlink()
    text = show(directory)
    for name in (gone.name, damaged.name):
        assert f"samples/{name}" in text
    assert str(directory) not in text
    assert all(str(directory).encode() not in (directory / name).read_bytes() for name in KEPT)


@pytest.mark.parametrize("name", ["manifest.json", "cases.parquet"])
def test_a_changed_result_is_analysed_anew_or_refused(directory: Path, name: str) -> None:
    before = show(directory)
    content = bytearray((directory / name).read_bytes())
    content[len(content) // 2] ^= 1
    (directory / name).write_bytes(content)
    ended = CliRunner().invoke(command, ["show", str(directory), "--json"])
    assert ended.stdout != before


def test_a_result_that_lacks_a_file_is_analysed_anew(directory: Path) -> None:
    before = show(directory)
    next((directory / "samples").iterdir()).unlink()
    assert show(directory, "of other rounds; made anew") != before


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("damage", [b"", b"nonsense"])
def test_what_is_kept_and_damaged_is_made_anew(directory: Path, name: str, damage: bytes) -> None:
    shown, curves = show(directory), busmark.open(directory).series
    whole = (directory / name).read_bytes()
    (directory / name).write_bytes(damage)
    assert show(directory, "made anew" if name == KEPT[0] else "") == shown
    results = busmark.open(directory)
    assert results.series.equals(curves) and not results.estimates.is_empty()
    assert (directory / name).read_bytes() == whole


@pytest.mark.parametrize(
    "change",
    [
        {"busmark:state": "0.1 of somebody else's"},
        {"busmark:notes": "none"},
        {"busmark:notes": json.dumps([[]] * 10_000)},
    ],
)
def test_a_hostile_analysis_is_not_believed(directory: Path, change: dict[str, str]) -> None:
    shown = show(directory)
    path = directory / KEPT[0]
    metadata = {**pl.read_parquet_metadata(path), **change}
    del metadata["ARROW:schema"]
    pl.read_parquet(path).write_parquet(path, metadata=metadata)
    assert show(directory, "made anew") == shown


def test_a_result_that_cannot_be_written_is_analysed_in_memory(directory: Path) -> None:
    shown = show(directory)
    for name in KEPT:
        (directory / name).unlink()
        # In the way of the file that would take its place.
        (directory / f"{name}.partial").mkdir()
    assert show(directory, "the analysis is not kept") == shown
    assert not any((directory / name).exists() for name in KEPT)


@pytest.mark.parametrize("ended", [False, True])
def test_a_second_process_gives_the_same_tables(
    directory: Path, monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    """Also where it was ended, and its part is done here."""
    alone = [(directory / name).read_bytes() for name in KEPT]
    sent = []

    def send(process: subprocess.Popen[bytes], item: object) -> None:
        sent.append(item)
        if ended:
            process.kill()
            process.wait()
        through(process, item)

    through = all_cases._send
    monkeypatch.setattr(all_cases, "_send", send)
    monkeypatch.setattr(all_cases, "LARGE", 0)
    monkeypatch.setattr(all_cases, "usable_cpus", lambda: [0, 1])
    for name in KEPT:
        (directory / name).unlink()
    show(directory)
    assert len(sent) == 1 if ended else len(sent) > 1
    assert [(directory / name).read_bytes() for name in KEPT] == alone


def test_cases_analysed_after_their_last_round_are_not_analysed_again(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = summarise(Result(directory))
    measured = [case.id for case in known.cases if case.attempts]
    rows = rows_of(Result(directory).cases)
    early = EarlyCases(directory, rounds=sum(map(len, rows.values())))
    for case in measured:
        early.add(case, rows[case])
    again = []

    def analysed(common: CaseAnalysis, task: CaseTask) -> CaseFigures:
        again.append(task.case.id)
        return one_case.analysed(common, task)

    monkeypatch.setattr(all_cases, "analysed", analysed)
    assert summarise(Result(directory), early=early) == known
    assert measured and not {*measured} & {*again}
    # One that has got a further round meanwhile is analysed with it.
    early.add(measured[0], rows[measured[0]][:-1])
    assert summarise(Result(directory), early=early) == known
    assert measured[0] in again
