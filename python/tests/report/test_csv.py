"""`--to csv` and `--to csv-samples`: read back by other programs, value by value."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from busmark.present.blocks.samples import write_csv
from form_files import files
from hypothesis import given
from hypothesis import strategies as st
from synthetic_campaign import Builder, comparison, samples_around

import busmark
from busmark.compare.campaign import Campaign, summarise
from busmark.present import csv_cells
from busmark.present.blocks.campaign import FRAMES
from busmark.present.sinks import tables
from busmark.present.sinks.tables import OF_ANY_UNIT
from busmark.store import Result


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return Result(comparison(tmp_path_factory.mktemp("csv"), samples=300, rounds=2))


@pytest.fixture(scope="module")
def analysed(result: Result) -> Campaign:
    return summarise(result)


def test_tables_are_read_back_as_they_were(
    result: Result, analysed: Campaign, tmp_path: Path
) -> None:
    written = files("csv", result, analysed, tmp_path)
    assert [path.name for path in written] == [f"{name}.csv" for name in FRAMES]
    results = busmark.open(result.directory)
    for path in written:
        frame: pl.DataFrame = getattr(results, path.stem)
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file, strict=True))
        assert header == frame.columns
        assert len(rows) == frame.height
        for row, wanted in zip(rows, frame.iter_rows(named=True), strict=True):
            for text, (name, value) in zip(row, wanted.items(), strict=True):
                time = "_ns" in name or (name in OF_ANY_UNIT and wanted.get("unit") == "ns")
                if isinstance(value, float):
                    near = {"abs": 0.5, "rel": 5e-4 if value < 1000 else 0} if time else {}
                    assert float(text) == pytest.approx(value, **near or {"rel": 1e-8})
                else:
                    assert _value(text, value) == value, "counts and texts are exact"


def test_parquet_and_json_have_the_values_unchanged(
    result: Result, analysed: Campaign, tmp_path: Path
) -> None:
    results = busmark.open(result.directory)
    for path in files("parquet", result, analysed, tmp_path):
        assert pl.read_parquet(path).equals(getattr(results, path.stem))
    for path in files("json", result, analysed, tmp_path):
        rows = json.loads(path.read_text(encoding="utf-8"))
        assert rows == json.loads(getattr(results, path.stem).write_json())


def test_no_number_has_digits_that_say_nothing(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "count": [12_345_678_901_234_567, None], "median_ns": [10_895.456, 35.512_34],
            "share": [1 / 3, 2e-7 / 3], "rate_hz": [123_456.789_123_4, 1000.0],
            "value": [43_549.51, 1.234_567_890_12], "unit": ["ns", "Mbit/s"],
        }
    )  # fmt: skip
    shown = tables.with_few_digits(frame)
    assert shown.rows() == [
        (12_345_678_901_234_567, "10895", "0.333333333", "123456.789", "43550", "ns"),
        (None, "35.51", "6.66666667e-8", "1000", "1.23456789", "Mbit/s"),
    ]  # fmt: skip


def _value(text: str, like: object) -> object:
    """The field as a value of the same type as what was written."""
    if text == "":
        return None if like is None else like if like == "" else text
    if isinstance(like, bool):
        return text == "true"
    return type(like)(text)  # type: ignore[call-arg]


def test_lines_end_as_the_standard_says(result: Result, analysed: Campaign, tmp_path: Path) -> None:
    data = files("csv", result, analysed, tmp_path)[0].read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == len(analysed.cases) + 1
    assert not data.startswith(b"\xef\xbb\xbf")


def test_text_with_commas_quotes_and_lines_survives(tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    odd = 'a, "b"\r\nc; =1+1'
    build.case("x", "unsupported", odd)
    result = Result(build.finish())
    path = files("csv", result, summarise(result), tmp_path)[0]
    with path.open(newline="", encoding="utf-8") as file:
        assert [row["reason"] for row in csv.DictReader(file, strict=True)] == [odd]


FORMULAS = ("=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", "-", "-5\n")
PLAIN = ("-5", "+1.5e-3", "a=1", " x", "'=1", "")


@given(st.one_of(st.sampled_from([*FORMULAS, *PLAIN]), st.text(alphabet="=+-@\t\r\n 15.eE'a")))
def test_no_text_begins_a_formula(text: str) -> None:
    frame = pl.DataFrame({"text": [text, None], "number": [-5, None], "=real": [-0.5, None]})
    safe = csv_cells.guarded_frame(frame)
    assert safe["text"].to_list() == [csv_cells.guarded(text), None]
    assert safe["number"].to_list() == [-5, None]
    assert safe["'=real"].to_list() == [-0.5, None]
    assert safe["text"][0] == (f"'{text}" if text[:1] in set("=+-@\t\r\n") and text not in PLAIN
                               and not is_number(text) else text)  # fmt: skip


def is_number(text: str) -> bool:
    """As JSON has them, with a sign."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    try:
        return (
            digits[:1].isdigit()
            and digits[-1:].isdigit()
            and isinstance(json.loads(digits), int | float)
        )
    except ValueError:
        return False
    return digits[:1].isdigit() and digits[-1:].isdigit()


@pytest.mark.parametrize("odd", FORMULAS)
def test_formulas_are_text_in_the_files(odd: str, tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    build.case("x", "unsupported", odd)
    result = Result(build.finish())
    path = files("csv", result, summarise(result), tmp_path)[0]
    with path.open(newline="", encoding="utf-8") as file:
        assert [row["reason"] for row in csv.DictReader(file, strict=True)] == [f"'{odd}"]


def test_labels_are_no_formulas_in_the_table_for_plots(analysed: Campaign, tmp_path: Path) -> None:
    cases = [case.model_copy(update={"label": "=1+1"}) for case in analysed.cases]
    campaign = analysed.model_copy(update={"cases": cases})
    write_csv(campaign, tmp_path / "latency.csv")
    with (tmp_path / "latency.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert {row["middleware"] for row in rows} == {"'=1+1"}
    assert all(float(row["latency_median_us"]) for row in rows)


def test_pandas_reads_what_was_written(result: Result, analysed: Campaign, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = files("csv", result, analysed, tmp_path)[0]
    frame = pandas.read_csv(path)
    wanted = busmark.open(result.directory).cases["half_round_trip_median_ns"]
    assert frame["half_round_trip_median_ns"].count() == len(wanted) - wanted.null_count()
    assert frame["half_round_trip_median_ns"].sum() == pytest.approx(wanted.sum())


def test_samples_are_written_case_by_case(tmp_path: Path) -> None:
    import numpy as np

    build = Builder(tmp_path / "r")
    case = build.case("a")
    for number in range(2):
        build.pings(case, number, samples_around(9_000, 50, np.random.default_rng(1)), lost=1)
    build.case("b", "unsupported", "no")
    result = Result(build.finish())
    written = files("csv-samples", result, summarise(result), tmp_path)
    assert [path.name for path in written] == ["samples-a.csv"]
    back = pl.read_csv(written[0])
    wanted = busmark.open(result.directory).samples("a").collect()
    assert back.columns == wanted.columns
    assert back["read_ns"].to_list() == wanted["read_ns"].to_list()
    assert back["read_ns"].null_count() == 2
