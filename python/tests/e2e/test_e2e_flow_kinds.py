"""Flows of every kind beside what is measured, with real workers and several middlewares."""

from __future__ import annotations

import json

import polars as pl
from e2e_harness import Lab, figures, need_adapters, rows, scenario
from seams import viewed

FLOWS = """
[[participant]]
name = "node"
count = 2
adapter = "cyclonedds"

[[participant]]
name = "file"
count = 2
adapter = "tcp"

[[participant]]
name = "gateway"
count = 3
adapter = "mqtt"

[[flow]]
name = "state"
kind = "pings"
writers = ["node1"]
readers = ["node2"]
rate_hz = 100
size = 32

[[flow]]
name = "bulk"
writers = ["file1"]
readers = ["file2"]
rate_hz = 0
size = 20000
probe_every = 50

[[flow]]
name = "command"
kind = "pings"
writers = ["gateway1"]
readers = ["gateway2", "gateway3"]
echo = ["gateway3"]
rate_hz = 50
arrivals = "poisson"

[[flow]]
name = "log"
kind = "batches"
writers = ["node2"]
readers = ["node1"]
batch = 20
"""


def test_flows_of_every_kind_are_distinguished_from_what_is_measured(lab: Lab) -> None:
    need_adapters("tcp", "cyclonedds", "mqtt")
    measure = "duration_s = 0.5\nwarmup_s = 0.05\nmax_samples = 5000\necho_source = true"
    matrix = 'adapter = "tcp"\nrate_hz = 200\nsize = 64\nplacement = "free"'
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 2") + FLOWS)
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert [row["status"] for row in found] == ["ok", "ok"], found
    flows = pl.read_parquet(lab.folder / "result" / "flows" / "*.parquet")
    samples = pl.read_parquet(lab.folder / "result" / "samples" / "*.parquet")
    measured = samples.filter(flow="pings")
    assert sum(row["samples"] for row in found) == measured["read_ns"].count() > 0
    assert sum(row["sent"] for row in found) == measured.height
    # T2 of every pong of the case is there, after its T1; of the others nobody asked for it.
    source = measured["echo_written_ns"] - measured["echo_sent_ns"]
    assert source.null_count() == measured["read_ns"].null_count()
    assert source.min() > 0  # type: ignore[operator]
    others = samples.filter(pl.col("flow") != "pings")
    assert others["echo_written_ns"].null_count() == others.height
    sizes = dict(samples.group_by("flow").agg(pl.col("size").first()).rows())
    assert sizes == {"pings": 64, "state": 32, "bulk": 20000, "command": 64, "log": 64}
    by = {name: flows.filter(flow=name) for name in ("state", "bulk", "command", "log")}
    assert by["state"].select("round_trips", "received").rows() == [
        (n, n) for n in by["state"]["received"]
    ]
    assert (by["state"]["received"] == by["state"]["sent"]).all()
    assert by["bulk"]["theoretical_per_s"].null_count() == by["bulk"].height
    # Who answers, and who only reads: each has a row.
    command = by["command"].sort("round", "reader_participant")
    assert command["reader_participant"].to_list() == ["gateway2", "gateway3"] * 2
    assert command["round_trips"].null_count() == 2
    assert (command["received"] == command["sent"]).all()
    log = pl.read_parquet(lab.folder / "result" / "batches" / "*.parquet")
    assert log["flow"].unique().to_list() == ["log"] and (log["received"] == 20).all()
    assert {row["batches"] for row in found} == {None}
    shown = json.loads(lab.busmark("show", "result", "--json").out)["cases"][0]
    assert figures(shown)[""]["sent"] == measured.height
    case = viewed(shown)
    latency = {flow.name: flow.latency for flow in case.own_flows}
    assert latency.pop("log") is None
    assert {name: times and times.quantity for name, times in latency.items()} == {
        "bulk": "one_way", "command": "half_round_trip", "state": "half_round_trip",
    }  # fmt: skip
    assert latency["state"] and latency["state"].count == by["state"]["received"].sum()
    assert {segment.name for segment in case.segment_tables} >= {"echo source", "echo"}
