"""Legs of a ping's way in the page, the workbook and the frame: the same numbers everywhere."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from printed import show_cases
from rich.console import Console
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.analysis import Campaign, summarise
from busmark.present.blocks.campaign import workbook
from busmark.report.html.details import case_details
from busmark.report.html.legs import TITLE, leg_blocks
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


def test_the_page_has_one_table_of_all_legs(campaign: Campaign) -> None:
    (block,) = [b for b in case_details(campaign.cases[0]).blocks if b.title == TITLE]
    assert [row[0] for row in block.rows if row[0]] == [
        "send source", "send", "send arrival", "turn-round", "echo", "echo arrival", "trip",
        "inter-arrival",
    ]  # fmt: skip
    assert [row[1] for row in block.rows] == ["100 %", "99.9 %", "99 %", "90 %"] * LEGS
    assert "Echo contains the echo source" in block.note
    assert "`measure.echo_source = true` asks for it" in block.note
    assert "Left out" not in block.note and "One in" not in block.note


def test_the_terminal_has_the_details_of_the_page(campaign: Campaign) -> None:
    case = campaign.cases[0]
    stream = io.StringIO()
    show_cases([case], Console(file=stream, width=200))
    lines = [[cell for cell in re.split(r" {2,}", line.strip()) if cell]
             for line in stream.getvalue().splitlines()]  # fmt: skip
    flat = " ".join(stream.getvalue().split())
    for block in case_details(case).blocks:
        assert [block.title] in lines
        for row in block.rows:
            # Figures hold narrow spaces, and no two spaces follow each other in a cell.
            assert [cell for cell in row if cell] in lines, (block.title, row)
        assert " ".join(block.note.split()) in flat
    assert [TITLE] in lines


def test_the_page_tells_what_is_left_out_and_how_to_get_it(campaign: Campaign) -> None:
    latency = campaign.cases[0].latency
    assert latency is not None
    fewer = [
        leg.model_copy(update={"every": 3})
        for leg in latency.leg_tables
        if leg.name not in ("send", "echo")
    ]
    (block,) = leg_blocks(fewer)
    assert "Left out: send and echo" in block.note
    assert "One in 3 pings" in block.note and "csv-samples" in block.note
    assert leg_blocks([]) == []


def test_the_workbook_has_what_the_frame_has(
    result: Result, campaign: Campaign, frame: pl.DataFrame, tmp_path: Path
) -> None:
    (path,) = workbook(result, campaign, tmp_path)
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
