"""The background loads that were there stand beside the figures measured under them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busmark.compare.campaign import summarise
from printed import details, rows, tables_of
from synthetic_campaign import Builder

import busmark
from busmark.store import Result, checksum

LEVELS = {
    "cpu 50%": {"cpu": (0.5, 0.48)},
    "net 50mbit": {"net": (5e7, 4.9e7)},
    "cpu 50% + net 50mbit": {"cpu": (0.5, 0.4), "net": (5e7, 5e7)},
    "disk max": {"disk": (None, 2e8)},
    None: {},
}
SAID = {
    "cpu 50%": "48.0 % of each CPU (96 % of what was asked)",
    "net 50mbit": "49.0 Mbit/s (98 % of what was asked)",
    "cpu 50% + net 50mbit": "40.0 % of each CPU + 50.0 Mbit/s (80 % of what was asked; 100 % of "
    "what was asked)",
    "disk max": "200 MB/s (no limit)",
    None: "—",
}


def build(directory: Path) -> Result:
    made = Builder(directory)
    for index, (load, levels) in enumerate(LEVELS.items()):
        case = made.case(f"{index}", load=load)
        values = {f"load_{kind}_{what}": level for kind, pair in levels.items()
                  for what, level in zip(("asked", "achieved"), pair, strict=True)}  # fmt: skip
        for number in range(3):
            made.pings(case, number, np.full(200, 8000.0), **values)
    return Result(made.finish())


def test_the_table_has_the_loads_that_were_there(tmp_path: Path) -> None:
    (table,) = tables_of(summarise(build(tmp_path)))
    (column,) = [c for c in table.columns if c.title == "Load achieved"]
    said = [" ".join(filter(None, (cell.text, cell.more))) for cell in column.cells]
    assert said == list(SAID.values())


def test_json_and_frames_have_them(tmp_path: Path) -> None:
    result = build(tmp_path)
    cases = summarise(result).model_dump(mode="json")["cases"]
    assert [(load["kind"], load["asked"]) for load in cases[2]["loads"]] == [
        ("cpu", 0.5), ("net", 5e7),
    ]  # fmt: skip
    achieved = [load["achieved"] for load in cases[2]["loads"]]
    assert achieved == pytest.approx([0.4, 5e7])
    assert cases[3]["loads"][0]["unlimited"] and cases[3]["loads"][0]["asked"] is None
    assert cases[2]["attempts"][0]["loads"] == {"cpu": 0.4, "net": 5e7}
    found = busmark.open(tmp_path)
    assert found.cases["load_cpu_achieved"].round(6).to_list() == [0.48, None, 0.4, None, None]
    assert found.cases["load_disk_asked"].null_count() == 5
    assert found.rounds["load_net_achieved"].to_list()[6] == 5e7


def test_the_details_of_a_case_have_each_load_with_its_rounds(tmp_path: Path) -> None:
    campaign = summarise(build(tmp_path))
    (table,) = details(campaign.cases[2])["Background load"]
    assert rows(table) == [
        ["cpu", "50.0 % of each CPU", "40.0 % of each CPU", "40.0 % of each CPU", "80.0", "3"],
        ["net", "50.0 Mbit/s", "50.0 Mbit/s", "50.0 Mbit/s", "100", "3"],
    ]
    (table,) = details(campaign.cases[3])["Background load"]
    assert rows(table) == [["disk", "no limit", "200 MB/s", "200 MB/s", "3"]]
    assert "Background load" not in details(campaign.cases[4])


@pytest.mark.parametrize("lines", [False, True])
def test_results_from_when_one_load_ran_at_a_time_still_tell_it(
    lines: bool, tmp_path: Path
) -> None:
    result = build(tmp_path)
    path = tmp_path / "cases.parquet"
    older = result.cases.filter(~pl.col("load").is_in(["cpu 50% + net 50mbit", "disk max"]))
    for what in ("asked", "achieved"):
        every = [f"load_{kind}_{what}" for kind in ("cpu", "net", "disk")]
        level = pl.coalesce(every).alias(f"load_{what}")
        older = older.with_columns(level).drop(every)
    path.unlink()
    checksum.write(older.head(0 if lines else older.height), path)
    if lines:
        (tmp_path / "cases.jsonl").write_text(older.write_ndjson())
    cases = {case.params.load: case for case in summarise(Result(tmp_path)).cases}
    assert cases["cpu 50%"].loads[0].achieved == pytest.approx(0.48)
    assert cases["cpu 50%"].loads[0].asked == 0.5
    assert cases["net 50mbit"].attempts[0].loads == {"net": 4.9e7}
    assert cases[None].loads == []
    assert "load_achieved" not in Result(tmp_path).cases.columns
