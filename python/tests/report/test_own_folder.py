"""A report writes into its own folder, whatever a result holds that came from somebody else."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from synthetic_campaign import comparison

from busmark.cli.report import command
from busmark.errors import UserError
from busmark.store.atomic import SUFFIX

FORMS = ("html", "csv", "csv-samples", "gnuplot", "svg", "xlsx")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return comparison(tmp_path / "r", samples=60, rounds=2)


def report(directory: Path, form: str, *words: str) -> None:
    CliRunner().invoke(
        command, [str(directory), "--to", form, *words], catch_exceptions=False,
        standalone_mode=False,
    )  # fmt: skip


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """Somebody's folder elsewhere."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    for name in ("cases.csv", "report.html", "keep.txt"):
        (folder / name).write_text("mine")
    return folder


def untouched(folder: Path) -> bool:
    return {p.name: p.read_text() for p in folder.iterdir()} == dict.fromkeys(
        ("cases.csv", "report.html", "keep.txt"), "mine"
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_link_for_the_folder_of_reports_is_not_followed(
    directory: Path, foreign: Path, form: str
) -> None:
    (directory / "report").symlink_to(foreign)
    with pytest.raises(UserError, match="is a link"):
        report(directory, form)
    assert untouched(foreign)


@pytest.mark.parametrize("form", ["csv", "csv-samples", "gnuplot", "svg"])
def test_a_link_within_that_folder_is_not_followed(
    directory: Path, foreign: Path, form: str
) -> None:
    (directory / "report").mkdir()
    (directory / "report" / form.partition("-")[0]).symlink_to(foreign)
    with pytest.raises(UserError, match="is a link"):
        report(directory, form)
    assert untouched(foreign)


def test_a_link_that_waits_where_a_file_is_written_is_replaced(
    directory: Path, foreign: Path
) -> None:
    place = directory / "report" / "csv"
    place.mkdir(parents=True)
    (place / f"cases.csv{SUFFIX}").symlink_to(foreign / "keep.txt")
    (place / "cases.csv").symlink_to(foreign / "cases.csv")
    report(directory, "csv")
    assert untouched(foreign) and not (place / "cases.csv").is_symlink()


def test_a_folder_that_the_user_names_may_be_a_link(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "place")
    report(directory, "csv", "--out", str(tmp_path / "link"))
    assert (tmp_path / "place" / "csv" / "cases.csv").is_file()


def test_text_of_samples_is_no_formula(directory: Path) -> None:
    path = sorted((directory / "samples").iterdir())[0]
    frame = pl.read_parquet(path)
    frame.with_columns(role=pl.lit("=1+1"), case=pl.lit("+x")).write_parquet(path)
    report(directory, "csv-samples")
    written = (directory / "report" / "csv").glob("samples-*.csv")
    text = "".join(file.read_text() for file in written)
    assert "'=1+1" in text and ",=1+1" not in text
