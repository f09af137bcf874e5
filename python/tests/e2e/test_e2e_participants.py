"""Several publishers and subscribers, real workers, every sample accounted for."""

from __future__ import annotations

import os
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


def table(lab: Lab, name: str) -> pl.DataFrame:
    return pl.read_parquet(lab.folder / "result" / name / "*.parquet")


def assert_identified(lab: Lab, samples: pl.DataFrame) -> None:
    """Whoever recorded a sample took part, in a flow of the round."""
    participants, flows = table(lab, "participants"), table(lab, "flows")
    keys = ["case", "round", "participant"]
    assert samples.height and samples.join(participants, on=keys, how="anti").is_empty()
    assert samples.join(flows, on=["case", "round", "flow", "writer"], how="anti").is_empty()
    read = samples.filter(pl.col("role") == "receiver")
    assert read["reader"].null_count() == 0 and read.join(flows, on="reader", how="anti").is_empty()
    assert samples.filter(pl.col("role") != "receiver")["reader"].null_count() == (
        samples.height - read.height
    )
    # One clock: the same offset between both, at whichever participant.
    offset = participants["realtime_ns"] - participants["monotonic_ns"]
    apart = offset.max() - offset.min()  # type: ignore[operator]
    assert apart <= 2 * participants["realtime_bound_ns"].max() + 10**9  # type: ignore[operator]


def test_a_ping_is_over_when_every_subscriber_has_answered(lab: Lab) -> None:
    found, samples = run(lab, "publishers = 2\nsubscribers = 3")
    for row in found:
        assert row["sent"] == row["received"] > 0 and row["lost"] == row["foreign"] == 0
    answered = samples.filter(pl.col("read_ns").is_not_null())
    assert answered["answers"].unique().to_list() == [3]
    assert answered.group_by("case", "writer").len().height == 2 * len(ADAPTERS)
    assert_identified(lab, samples)
    flows = table(lab, "flows")
    assert flows["flow"].unique().to_list() == ["pings"]
    assert flows["participant"].unique().sort().to_list() == ["active1", "active2"]
    by_case = {row["case"]: row for row in found}
    for (case,), own in flows.group_by("case"):
        assert own["received"].sum() == by_case[case]["received"]
    assert table(lab, "participants").height == 5 * len(ADAPTERS)


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
    seen = pl.read_parquet(lab.folder / "result" / "batches" / "*.parquet")
    assert seen.height == batches.height * subscribers
    assert seen["received"].unique().to_list() == seen["expected"].unique().to_list() == [50]
    assert seen["ended"].all() and seen["acknowledged"].all()
    assert seen.select(pl.col("duration_ns") >= pl.col("writing_ns")).to_series().all()
    assert_identified(lab, samples)
    flows = table(lab, "flows")
    directions = 2 if topology == "bidirectional" else 1
    assert flows.height == subscribers * directions * len(ADAPTERS)
    assert (flows["received"] == flows["expected"]).all() and (flows["lost"] == 0).all()
    assert flows["received"].sum() == sum(row["received"] for row in found)
    counted = table(lab, "intervals").filter(pl.col("role") == "receiver")
    keys = ["case", "flow", "writer", "reader"]
    sums = counted.group_by(keys).agg(pl.col("samples").sum())
    assert sums.join(flows, on=keys).select((pl.col("samples") == pl.col("received")).all()).item()
    assert sums.height == flows.height


def test_each_sample_of_a_batch_is_acknowledged_where_that_is_asked_for(lab: Lab) -> None:
    found, _ = run(lab, 'test = "throughput"\nbatch = 20\nbatch_ack = "each"\nsubscribers = 2')
    for row in found:
        assert row["batch_samples_acknowledged"] == row["sent"] > 0
        assert row["received"] == row["expected"] == 2 * row["sent"]


def test_a_stream_beside_pings_is_counted_apart(lab: Lab) -> None:
    found, samples = run(lab, "stream_hz = 500.0")
    for row in found:
        assert row["sent"] == row["received"] == row["samples"] > 0
        assert row["stream_expected"] > 0 and row["stream_lost"] == 0
    assert samples["role"].unique().to_list() == ["pinger"]
    assert_identified(lab, samples)
    flows = table(lab, "flows")
    assert sorted(flows["flow"].unique()) == ["pings", "stream"]
    stream = flows.filter(pl.col("flow") == "stream")
    assert stream["theoretical_per_s"].unique().to_list() == [500.0]
    assert stream["received"].sum() == sum(
        row["stream_expected"] - row["stream_lost"] for row in found
    )


@pytest.mark.parametrize(
    ("adapter", "transport"),
    [("reference", "memory"), ("zeromq", "inproc"), ("iceoryx2", "local")],
)
def test_a_transport_within_a_process_carries_samples(
    lab: Lab, adapter: str, transport: str
) -> None:
    need_adapters(adapter)
    lab.scenario(
        scenario(
            f'adapter = "{adapter}"\ntransport = "{transport}"\ntest = ["latency", "throughput"]',
            rounds="min = 1",
        )
    )
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    for row in rows(lab.folder / "result"):
        assert (row["status"], row["foreign"], row["lost"]) == ("ok", 0, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="real-time scheduling needs root")
def test_time_sharing_and_real_time_are_measured_in_one_campaign(lab: Lab) -> None:
    need_adapters("tcp")
    also = "\n[[also]]\nfifo = 0\npeer_fifo = 20\n"
    lab.scenario(scenario('adapter = "tcp"\nfifo = [0, 10]', rounds="min = 1") + also)
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    found = {row["case"]: (row["fifo"], row["peer_fifo"]) for row in rows(lab.folder / "result")}
    assert sorted(found.values(), key=str) == [(0, 20), (0, None), (10, None)]
    assert {case.split("-", 4)[-1] for case in found} == {"0fifo", "10fifo", "0fifo-20peerfifo"}
    who = table(lab, "participants")
    priorities = {
        case: (own.filter(participant="active")["fifo"][0],
               own.filter(participant="passive")["fifo"][0])
        for (case,), own in who.group_by("case")
    }  # fmt: skip
    assert priorities == {
        case: (own, own if peer is None else peer) for case, (own, peer) in found.items()
    }
    compared = lab.busmark("compare", "result", "--by", "fifo")
    assert compared.code in (0, 1), compared.text
    assert "10" in compared.text


def test_flows_run_beside_what_is_measured(lab: Lab) -> None:
    """Pings of sockets beside a mesh of DDS and streams through a broker, each with its own."""
    need_adapters("tcp", "cyclonedds", "mqtt")
    lab.scenario(
        scenario(
            'adapter = "tcp"\ntest = ["latency", "throughput"]\nrate_hz = 200', rounds="min = 1"
        )
        + """
[[participant]]
name = "node"
count = 3
adapter = "cyclonedds"

[[participant]]
name = "gateway"
count = 2
adapter = "mqtt"

[[flow]]
name = "mesh"
writers = ["node"]
readers = ["node"]
rate_hz = 40
size = 2000

[[flow]]
name = "telemetry"
writers = ["gateway1"]
readers = ["gateway2"]
topics = 2
rate_hz = 30

[[flow]]
name = "back"
writers = ["passive"]
readers = ["active"]
rate_hz = 20
"""
    )
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert [row["status"] for row in found] == ["ok", "ok"]
    flows, participants = table(lab, "flows"), table(lab, "participants")
    adapters = dict(participants.select("participant", "adapter").rows())
    assert adapters == {
        "active": "tcp", "passive": "tcp", "node1": "cyclonedds", "node2": "cyclonedds",
        "node3": "cyclonedds", "gateway1": "mqtt", "gateway2": "mqtt",
    }  # fmt: skip
    beside = flows.filter(~pl.col("flow").is_in(["pings", "stream"]))
    assert beside.filter(pl.col("lost") > 0).is_empty(), beside
    mesh = beside.filter(pl.col("flow") == "mesh")
    # Every participant reads the samples of all, its own included.
    assert mesh.group_by("case").len()["len"].to_list() == [9, 9]
    assert (mesh["bytes"] == mesh["received"] * 2000).all() and (mesh["received"] > 0).all()
    for row in found:
        own = flows.filter(pl.col("case") == row["case"], pl.col("flow").is_in(["pings", "stream"]))
        # What runs beside does not count in the figures of the case.
        assert row["sent"] == own["sent"].item() and row["received"] == own["received"].item()
        others = beside.filter(pl.col("case") == row["case"])
        assert row["stream_expected"] == others["expected"].sum() and row["stream_lost"] == 0
    shown = lab.busmark("show", "result").out
    assert "At the same time ran mesh: 40/s of 2000 B, from node to node" in " ".join(shown.split())
