"""Probes that are not echoed: readers know when they arrived, and nothing goes back."""

from __future__ import annotations

import json

import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, rows, scenario


@pytest.mark.parametrize("adapter", ["cyclonedds"])
def test_readers_stamp_every_sample_and_nothing_goes_back(lab: Lab, adapter: str) -> None:
    need_adapters(adapter)
    measure = "duration_s = 20\nsamples = 40\nwarmup_s = 0.05\nprobe_every = 1\nprobe_echo = false"
    matrix = f'adapter = "{adapter}"\ntest = "throughput"\nrate_hz = 200'
    lab.scenario(scenario(matrix, measure=measure))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    assert [row["status"] for row in rows(lab.folder / "result")] == ["ok", "ok"]
    samples = pl.read_parquet(lab.folder / "result" / "samples" / "*.parquet")
    read, written = samples.filter(role="receiver"), samples.filter(role="transmitter")
    flows = pl.read_parquet(lab.folder / "result" / "flows" / "*.parquet")
    assert read.height == flows["received"].sum() > 0
    assert (read["read_ns"] >= read["sent_ns"]).all()
    assert sorted(read.select("round", "seq").rows()) == [(r, s) for r in (0, 1) for s in range(40)]
    assert written["written_ns"].null_count() == 0
    assert written["read_ns"].null_count() == written.height
    assert flows["round_trips"].null_count() == flows.height
    (case,) = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    assert case["latency"] is None
    assert case["throughput"]["probe_one_way"]["median"]["value"] > 0


PLANTED = """
[[participant]]
name = "slow"
option.delay_us = 400000

[[participant]]
name = "lossy"
option.drop = 0.04

[[participant]]
name = "good"

[[participant]]
name = "reader"
count = 2

[[flow]]
name = "telemetry"
writers = ["slow", "lossy", "good"]
readers = ["reader"]
rate_hz = 100
size = 64
"""


def test_every_reader_times_every_sample_and_the_worst_pairs_are_named(lab: Lab) -> None:
    need_adapters("reference")
    measure = "duration_s = 1\nwarmup_s = 0.05\nprobe_every = 3"
    matrix = (
        'adapter = "reference"\ntransport = "memory"\ntest = "throughput"\nrate_hz = 100\n'
        'publishers = 2\nsubscribers = 3\nplacement = "free"'
    )
    lab.scenario(scenario(matrix, measure=measure, rounds="min = 1") + PLANTED)
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    samples = pl.read_parquet(lab.folder / "result" / "samples" / "*.parquet")
    flows = pl.read_parquet(lab.folder / "result" / "flows" / "*.parquet")

    # For each pair every expected sample has a row, and those without a time are the lost ones.
    timed = samples.filter(role="reader")
    of_pair = timed.group_by("writer", "reader").agg(
        rows=pl.len(), numbers=pl.col("seq").n_unique(), lost=pl.col("read_ns").null_count(),
        most=(pl.col("read_ns") - pl.col("intended_ns")).max(),
    )  # fmt: skip
    both = flows.join(of_pair, on=["writer", "reader"], suffix="_rows")
    assert flows.height == both.height == 2 * 3 + 3 * 2
    assert (both["rows"] == both["expected"]).all() and (both["numbers"] == both["rows"]).all()
    assert (both["lost_rows"] == both["lost"]).all()
    assert (both["timed"] + both["lost"] == both["expected"]).all()
    assert (both["one_way_max_ns"] == both["most"]).all()
    assert timed["intended_ns"].null_count() == 0

    # An echo carries the time at which the reader had the probe: the same reading.
    echoed = samples.filter(role="transmitter").drop_nulls("echo_read_ns")
    same = echoed.join(timed, on=["writer", "seq"], suffix="_reader").filter(
        pl.col("reader_reader") == samples.filter(role="receiver")["reader"][0]
    )
    assert same.height == echoed.height > 0
    assert (same["echo_read_ns"] == same["read_ns_reader"]).all()

    (case,) = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    stream, (own,) = case["throughput"], case["own_flows"]
    measured = flows.filter(flow="stream")
    assert stream["probe_one_way"]["count"] == measured["received"].sum()
    assert (
        stream["probes_sent"]
        == measured["expected"].sum()
        == stream["probes_lost"] + sum(measured["received"])
    )
    assert stream["pairs"]["count"] == 6
    assert (own["asked"], own["unanswered"]) == (own["total"]["expected"], own["total"]["lost"])
    assert own["pairs"]["slowest"]["writer"] == "slow"
    assert own["pairs"]["slowest"]["lost"] == 0
    worst = own["pairs"]["most_lost"]
    assert worst["writer"] == "lossy"
    assert worst["lost"] == flows.filter(participant="lossy")["lost"].max() > 0
