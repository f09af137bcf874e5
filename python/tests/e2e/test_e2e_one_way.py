"""Probes that are not echoed: readers know when they arrived, and nothing goes back."""

from __future__ import annotations

import json

import polars as pl
from e2e_harness import Lab, figures, need_adapters, scenario
from seams import viewed

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
qos.history = "keep_last"
qos.depth = 1000
"""


def test_every_reader_times_every_sample_and_the_worst_pairs_are_named(lab: Lab) -> None:
    need_adapters("reference")
    measure = "duration_s = 1\nwarmup_s = 0.05\nprobe_every = 3"
    matrix = (
        'adapter = "reference"\ntransport = "memory"\ntest = "throughput"\nrate_hz = 100\n'
        'publishers = 2\nsubscribers = 3\nplacement = "free"'
    )
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 1") + PLANTED)
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
    stream = viewed(case)
    (own,) = stream.own_flows
    measured = flows.filter(flow="stream")
    assert stream.one_way and stream.one_way.count == measured["received"].sum()
    own_figures, of_flow = figures(case)[""], figures(case, "flow")[own.name]
    assert (
        own_figures["probes_sent"]
        == measured["expected"].sum()
        == own_figures["probes_lost"] + sum(measured["received"])
    )
    assert stream.pairs and stream.pairs.count == 6
    assert (own.asked, own.unanswered) == (of_flow["expected"], of_flow["lost"])
    assert own.pairs
    assert own.pairs.slowest.writer == "slow"
    assert own.pairs.slowest.lost == 0
    worst = own.pairs.most_lost
    assert worst and worst.writer == "lossy"
    assert worst.lost == flows.filter(participant="lossy")["lost"].max() > 0
