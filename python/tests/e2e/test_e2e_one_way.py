"""Probes that are not echoed: readers know when they arrived, and nothing goes back."""

from __future__ import annotations

import json

import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, rows, scenario


@pytest.mark.parametrize("adapter", ["cyclonedds", "tcp", "udp"])
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
