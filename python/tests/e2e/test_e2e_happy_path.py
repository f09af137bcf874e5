"""A campaign from the scenario to the report, and what it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from e2e_harness import (
    Ended,
    Lab,
    assert_complete,
    begun,
    count,
    events,
    need_adapters,
    rows,
    scenario,
)

from busmark.store import FORMAT_VERSION, TABLES, Result

Campaign = tuple[Lab, Path, Ended]

MATRIX = 'adapter = ["udp", "null"]\nsize = [32, 1024]'


@pytest.fixture(scope="module")
def campaign(shared_lab: Lab) -> Campaign:
    need_adapters("udp", "null")
    path = shared_lab.scenario(scenario(MATRIX))
    out = shared_lab.folder / "result"
    return shared_lab, out, shared_lab.busmark("run", path, "--out", out)


def test_it_ends_well_and_has_all_rounds(campaign: Campaign) -> None:
    _, out, ended = campaign
    assert ended.code == 0, ended.text
    assert_complete(out, cases=4, rounds=2)


def test_nothing_is_left_running_and_no_temporary_directory(campaign: Campaign) -> None:
    campaign[0].assert_nothing_left()


def test_tables_have_the_columns_of_the_format(campaign: Campaign) -> None:
    _, out, _ = campaign
    files = {
        "cases": [out / "cases.parquet"],
        "samples": sorted(out.glob("samples/*.parquet")),
        "intervals": sorted(out.glob("intervals/*.parquet")),
        "participants": sorted(out.glob("participants/*.parquet")),
        "flows": sorted(out.glob("flows/*.parquet")),
        "system": sorted(out.glob("system/*.parquet")),
    }
    absent = {"summaries", "batches", "changes", "discoveries", "matches", "hops", "wire", "goals"}
    assert files.keys() == TABLES.keys() - absent, "only where there are such"
    for table, paths in files.items():
        assert paths
        for path in paths:
            assert [*pl.read_parquet_schema(path)] == [each.name for each in TABLES[table]], path


def test_duckdb_opens_the_result_as_it_is(campaign: Campaign) -> None:
    duckdb = pytest.importorskip("duckdb")
    _, out, _ = campaign
    query = (
        f"SELECT c.samples, count(*) FROM '{out}/cases.parquet' c JOIN '{out}/samples/*.parquet' s "
        'ON c."case" = s."case" AND c.round = s.round WHERE s.read_ns IS NOT NULL '
        'GROUP BY c."case", c.round, c.samples'
    )
    counted = duckdb.sql(query).fetchall()
    assert len(counted) == 8
    assert all(stored == found for stored, found in counted)


def test_the_manifest_says_what_was_run_where_and_with_what(campaign: Campaign) -> None:
    _, out, _ = campaign
    manifest = Result(out).manifest
    assert manifest.format == FORMAT_VERSION
    assert manifest.scenario["matrix"]["size"] == [32, 1024]
    assert 'adapter = ["udp", "null"]' in manifest.scenario_text
    assert manifest.command.startswith("busmark run ")
    assert manifest.hosts[""]["kernel"]
    assert set(manifest.adapters) == {"udp", "null"}
    for adapter in manifest.adapters.values():
        assert len(adapter["sha256"]) == 64 and Path(adapter["path"]).is_file()
    assert int(manifest.cookie, 16) and manifest.seed == 1


def test_every_event_is_stamped_and_every_round_begins_and_ends(campaign: Campaign) -> None:
    _, out, _ = campaign
    text = events(out)
    stamps = [event["monotonic_ns"] for event in text]
    assert stamps == sorted(stamps)
    assert all(event["utc"].endswith("Z") for event in text)
    assert count(out, "round_begins") == count(out, "round_ends") == 8
    numbers = [number for _, number in begun(out)]
    assert numbers == sorted(numbers), "rounds of all cases are interleaved"
    assert text[-1]["event"] == "campaign_ends" and text[-1]["complete"] is True


def test_counts_of_the_table_agree_with_what_was_recorded(campaign: Campaign) -> None:
    _, out, _ = campaign
    for row in rows(out):
        assert row["sent"] == row["received"] + row["lost"]
        assert row["ended"] in ("samples", "duration")


def test_the_report_is_one_page_that_names_the_scenario(campaign: Campaign) -> None:
    _, out, ended = campaign
    page = (out / "report" / "report.html").read_text(encoding="utf-8")
    assert "end to end" in page
    assert str(out / "report" / "report.html") in ended.out


def test_the_result_is_shown_again_and_as_json(campaign: Campaign) -> None:
    lab, out, _ = campaign
    shown = lab.busmark("show", out, "--json")
    assert shown.code == 0
    assert json.loads(shown.out)
    again = lab.busmark("report", out, "--out", out / "again")
    assert again.code == 0 and (out / "again" / "report.html").is_file()


def test_going_on_with_a_finished_campaign_runs_nothing(campaign: Campaign) -> None:
    lab, out, _ = campaign
    before = rows(out)
    assert lab.busmark("run", "--resume", "--out", out).code == 0
    assert rows(out) == before
    assert count(out, "round_begins") == 8


def test_marked_rounds_are_repeated_and_stay(lab: Lab) -> None:
    need_adapters("null")
    # As nobody can write so fast.
    matrix = 'adapter = "null"\ntest = "throughput"\nrate_hz = 100000000'
    path = lab.scenario(scenario(matrix, criteria="min_rate = 0.99\nmin_samples = 1"))
    out = lab.folder / "result"
    assert lab.busmark("run", path, "--out", out).code == 1
    first = rows(out)
    assert [row["status"] for row in first] == ["marked", "marked"]
    ended = lab.busmark("run", "--resume", "--out", out)
    assert rows(out) == first and f"busmark run --resume --out {out} --marked" in ended.err
    assert lab.busmark("run", "--resume", "--marked", "--out", out).code == 1
    assert rows(out)[:2] == first
    assert [(row["round"], row["status"]) for row in rows(out)[2:]] == [
        (2, "marked"),
        (3, "marked"),
    ]


def test_where_no_round_is_marked_none_is_repeated(campaign: Campaign) -> None:
    lab, out, _ = campaign
    ended = lab.busmark("run", "--resume", "--marked", "--out", out)
    assert ended.code == 2 and "no round is marked" in ended.err
    assert lab.busmark("run", "--marked", "--out", out).code == 2
