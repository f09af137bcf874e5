"""What every campaign looks at without being asked to: the system's counters, from the scenario to
the report, and one in a thousand bodies."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from e2e_harness import Lab, assert_complete, events, figures, need_adapters, rows, scenario

from busmark.store import Result

MEASURE = "duration_s = 0.5\nwarmup_s = 0.1\nmax_samples = 50000\nsystem_interval_s = 0.02"

CORRUPT = """\
[[also]]
test = "throughput"
adapter = "reference"
transport = "pipe"
size = 64
placement = "free"
qos.reliability = "reliable"
option.reference.corrupt = [0, 0.9]
"""

Campaign = tuple[Lab, Path]


@pytest.fixture(scope="module")
def campaign(shared_lab: Lab) -> Campaign:
    need_adapters("tcp", "reference")
    matrix = 'adapter = "tcp"\ntest = ["latency", "throughput"]\nplacement = "free"'
    path = shared_lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1", also=CORRUPT))
    out = shared_lab.folder / "result"
    ended = shared_lab.busmark("run", path, "--out", out)
    assert ended.code == 0, ended.text
    return shared_lab, out


def test_every_participant_is_counted_and_the_counting_itself(campaign: Campaign) -> None:
    _, out = campaign
    assert_complete(out, cases=4, rounds=1)
    table = pl.read_parquet(out / "system" / "*.parquet")
    scopes = {"thread", "process", "network", "interface", "cpu", "host"}
    assert scopes <= set(table["scope"].unique())
    tasks = table.filter(pl.col("scope").is_in(["thread", "process"]))
    assert set(tasks["participant"].unique()) == {"passive", "active", "counters"}
    assert (table["duration_ns"] > 0).all()
    assert [e["companions"] for e in events(out) if e["event"] == "round_ends"] == [{}] * 4


def test_the_document_has_them(campaign: Campaign) -> None:
    """Those of which an interval lies within the measured time, by nine tenths at least: where no
    CPU was idle for the counting, intervals are longer, and a participant may have none."""
    lab, out = campaign
    shown = json.loads(lab.busmark("show", out, "--json").out)
    ends = pl.col("start_ns") + pl.col("duration_ns")
    for case in shown["cases"]:
        found = {name: own for name, own in figures(case, "participant").items() if "rss" in own}
        cpus = figures(case).get("", {}).get("cpu")
        measured_ns = case["attempts"][0]["measured_s"] * 1e9
        table = Result(out).system(case["id"], 0)
        assert table is not None
        processes = table.filter(scope="process").group_by("interval", "participant")
        whole = processes.agg(pl.col("start_ns").min(), ends.max().alias("end_ns"))
        inside = pl.min_horizontal("end_ns", pl.lit(measured_ns)) - pl.max_horizontal(
            "start_ns", pl.lit(0.0)
        )
        within = whole.filter(inside >= 0.9 * (pl.col("end_ns") - pl.col("start_ns")))
        assert found.keys() == {*within["participant"]}
        assert (cpus is None) == (found.keys() <= {"counters"})
        assert cpus is None or cpus > 0
        if "active" not in found:
            continue
        process = table.filter(scope="process", participant="active")
        recorded = process["recorder_bytes"].drop_nulls()
        assert len(recorded) == process.height and recorded.min() > 0
        assert 0 < found["active"]["rss"] < process["rss_bytes"].max() - recorded.min() + 1
        assert found["active"]["cpu_system"] >= 0


def test_damaged_bodies_are_seen_without_verify(campaign: Campaign) -> None:
    sound, damaged = (row for row in rows(campaign[1]) if row["adapter"] == "reference")
    # One in a thousand is looked at.
    assert sound["corrupted"] == 0
    assert 1 <= damaged["corrupted"] <= max(200, damaged["received"] / 100)
