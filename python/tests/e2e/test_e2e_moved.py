"""A participant that is moved to another CPU during a round: the round does not count, and the case
is not said to have been measured where it was not."""

from __future__ import annotations

import json
import os

import polars as pl
import pytest
from e2e_harness import Lab, end, eventually, need_adapters, rows, scenario, tidy


def pinned(process: int) -> set[int]:
    try:
        return os.sched_getaffinity(process)
    except ProcessLookupError:
        return set()


def move(process: int, cpus: set[int]) -> None:
    for thread in os.listdir(f"/proc/{process}/task"):
        os.sched_setaffinity(int(thread), cpus)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_a_round_in_which_a_worker_was_moved_is_marked(lab: Lab) -> None:
    need_adapters("udp")
    everywhere = os.sched_getaffinity(0)
    lab.scenario(
        scenario(
            'adapter = "udp"\nplacement = "different"',
            rounds="min = 1\nretries = 0",
            measure="duration_s = 4\nwarmup_s = 0",
        )
    )
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as run:
        (first, second) = eventually(
            lambda: (
                found
                if len(found := lab.workers()) == 2
                and all(len(pinned(each)) == 1 for each in found)
                else None
            ),
            lambda: f"workers: {lab.workers()}",
        )
        here, there = pinned(first), pinned(second)
        assert here != there
        move(first, there)
        ended = end(run)
    assert ended.code == 1, ended.text
    (row,) = rows(out)
    assert row["status"] == "marked"
    assert row["changed"].startswith("affinity: ")
    assert row["changed"] in row["reason"]
    table = pl.read_parquet(next((out / "participants").glob("*.parquet")))
    ends = {tuple(map(int, cpus.split(","))) for cpus in table["affinity_end"]}
    assert ends == {tuple(there)}, "where both ended up is recorded"
    assert set(table["cpus"]) == {str(cpu) for cpu in (*here, *there)}, "and where they were put"
    shown = json.loads(lab.busmark("show", out, "--json").out)
    (case,) = shown["cases"]
    assert case["placement"] == "moved"
    assert case["attempts"][0]["changed"] == row["changed"]
    assert "machine-changed" in {finding["id"] for finding in shown["findings"]}
    assert "different CPUs" not in lab.busmark("show", out).out
    assert os.sched_getaffinity(0) == everywhere
