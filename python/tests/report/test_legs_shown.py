"""Legs of a ping's way in the page, the workbook and the frame: the same numbers everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from form_files import files
from printed import details, notes
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate.case import CaseSummary
from busmark.present.document import Table
from busmark.store import Result

LEGS = 8
SHARES = 4


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    build = Builder(tmp_path_factory.mktemp("legs"))
    case = build.case("udp-64")
    rng = np.random.default_rng(3)
    for number in range(2):
        build.pings(case, number, samples_around(13_500, 900, rng))
    return Result(build.finish())


@pytest.fixture(scope="module")
def campaign(result: Result) -> Campaign:
    return summarise(result, with_series=False)


@pytest.fixture(scope="module")
def frame(result: Result) -> pl.DataFrame:
    best = pl.col("over").str.starts_with("best")
    return busmark.open(result.directory).estimates.filter(best, quantity="segment")


def table_of(case: CaseSummary) -> Table:
    (table,) = (t for t in details(case)["One-way times and legs"] if t.title.startswith("Legs"))
    return table


def test_the_details_have_one_table_of_all_legs(campaign: Campaign) -> None:
    table = table_of(campaign.cases[0])
    assert [group.partition(":")[0] for group in table.groups] == [
        "send source", "send", "send arrival", "turn-round", "echo", "echo arrival", "trip",
        "inter-arrival",
    ]  # fmt: skip
    best = [cell.value for cell in table.columns[0].cells]
    assert best == ["100 %", "99.9 %", "99 %", "90 %"] * LEGS
    assert "`measure.echo_source = true`" in notes(table)
    assert "Left out" not in notes(table) and "One in" not in notes(table)


def test_the_details_say_what_is_left_out_and_how_to_get_it(campaign: Campaign) -> None:
    case = campaign.cases[0]
    assert case.latency is not None
    fewer = [
        leg.model_copy(update={"every": 3})
        for leg in case.latency.leg_tables
        if leg.name not in ("send", "echo")
    ]
    latency = case.latency.model_copy(update={"leg_tables": fewer})
    told = notes(table_of(case.model_copy(update={"latency": latency})))
    assert "Left out: send and echo" in told
    assert "One in 3 pings" in told and "csv-samples" in told


def test_the_workbook_has_what_the_frame_has(
    result: Result, campaign: Campaign, frame: pl.DataFrame, tmp_path: Path
) -> None:
    (path,) = files("xlsx", result, campaign, tmp_path)
    head, *rows = openpyxl.load_workbook(path)["Segments"].iter_rows(min_row=5, values_only=True)
    found = pl.DataFrame([dict(zip(map(str, head), row, strict=True)) for row in rows if any(row)])
    found = found.filter(pl.col("over").str.starts_with("best"))
    assert found.height == LEGS * SHARES and frame.height == 4 * found.height
    for name in ("min", "mean", "max", "stdev"):
        own = frame.filter(statistic=name)
        assert found["of"].to_list() == own["of"].to_list()
        assert found["samples"].to_list() == own["count"].to_list()
        shown = found[f"segment {name}, µs"] * 1000
        assert shown.to_list() == pytest.approx(own["value"].to_list())


def test_the_frame_agrees_with_the_raw_samples(result: Result, frame: pl.DataFrame) -> None:
    samples = busmark.open(result.directory).samples().collect()
    trip = (samples["read_ns"] - samples["sent_ns"]).sort().to_numpy()
    own = frame.filter(of="trip", over="best 99 %")
    best = {row["statistic"]: row["value"] for row in own.to_dicts()}
    kept = trip[: own["count"][0]]
    assert set(own["count"]) == {1782}
    assert (best["min"], best["max"]) == (kept[0], kept[-1])
    assert best["mean"] == pytest.approx(kept.mean())
    assert best["stdev"] == pytest.approx(kept.std(ddof=1))
