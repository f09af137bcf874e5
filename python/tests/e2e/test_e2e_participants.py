"""Several publishers and subscribers, real workers, every sample accounted for."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

ADAPTERS = ("tcp", "cyclonedds")


def run(lab: Lab, matrix: str) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Rows of the cases, and all samples."""
    need_adapters(*ADAPTERS)
    names = ", ".join(f'"{name}"' for name in ADAPTERS)
    lab.scenario(scenario(f"adapter = [{names}]\n{matrix}", rounds="min = 1"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert {row["adapter"] for row in found} == set(ADAPTERS)
    assert all(row["status"] == "ok" for row in found), found
    return found, pl.read_parquet(lab.folder / "result" / "samples" / "*.parquet")


def test_a_ping_is_over_when_every_subscriber_has_answered(lab: Lab) -> None:
    found, samples = run(lab, "publishers = 2\nsubscribers = 3")
    for row in found:
        assert row["sent"] == row["received"] > 0 and row["lost"] == row["foreign"] == 0
    answered = samples.filter(pl.col("read_ns").is_not_null())
    assert answered["answers"].unique().to_list() == [3]
    assert answered.group_by("case", "writer").len().height == 2 * len(ADAPTERS)


@pytest.mark.parametrize(("topology", "subscribers"), [("one_way", 2), ("bidirectional", 1)])
def test_batches_are_acknowledged_and_nothing_is_lost(
    lab: Lab, topology: str, subscribers: int
) -> None:
    found, samples = run(
        lab,
        f'test = "throughput"\nbatch = 50\nsubscribers = {subscribers}\ntopology = "{topology}"',
    )
    for row in found:
        assert row["sent"] == 50 * row["batches"] > 0 and row["batches_unacknowledged"] == 0
        assert row["received"] == row["expected"] == subscribers * row["sent"]
        assert row["duplicated"] == row["foreign"] == 0
    batches = samples.filter(pl.col("role") == "batcher")
    assert batches.height == sum(row["batches"] for row in found)
    stamps = batches.select(
        (pl.col("sent_ns") <= pl.col("written_ns")) & (pl.col("written_ns") <= pl.col("read_ns"))
    )
    assert stamps.to_series().all()


def test_a_stream_beside_pings_is_counted_apart(lab: Lab) -> None:
    found, samples = run(lab, "stream_hz = 500.0")
    for row in found:
        assert row["sent"] == row["received"] == row["samples"] > 0
        assert row["stream_expected"] > 0 and row["stream_lost"] == 0
    assert samples["role"].unique().to_list() == ["pinger"]
