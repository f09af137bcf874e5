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
    lab.campaign(scenario(f"adapter = [{names}]\n{matrix}", rounds="min = 1"))
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


def test_batches_are_acknowledged_and_nothing_is_lost(lab: Lab) -> None:
    subscribers = 2
    found, samples = run(lab, f'test = "throughput"\nbatch = 50\nsubscribers = {subscribers}')
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
    assert flows.height == subscribers * len(ADAPTERS)
    assert (flows["received"] == flows["expected"]).all() and (flows["lost"] == 0).all()
    assert flows["received"].sum() == sum(row["received"] for row in found)
    counted = table(lab, "intervals").filter(pl.col("role") == "receiver")
    keys = ["case", "flow", "writer", "reader"]
    sums = counted.group_by(keys).agg(pl.col("samples").sum())
    assert sums.join(flows, on=keys).select((pl.col("samples") == pl.col("received")).all()).item()
    assert sums.height == flows.height


def test_a_transport_within_a_process_carries_samples(lab: Lab) -> None:
    need_adapters("reference", "zeromq", "iceoryx2")
    pairs = (("zeromq", "inproc"), ("iceoryx2", "local"))
    also = "".join(f'[[also]]\nadapter = "{name}"\ntransport = "{one}"\n' for name, one in pairs)
    matrix = 'adapter = "reference"\ntransport = "memory"\ntest = ["latency", "throughput"]'
    lab.campaign(scenario(matrix, rounds="min = 1", also=also))
    found = rows(lab.folder / "result")
    assert len(found) == 6
    for row in found:
        assert (row["status"], row["foreign"], row["lost"]) == ("ok", 0, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="real-time scheduling needs root")
def test_time_sharing_and_real_time_are_measured_in_one_campaign(lab: Lab) -> None:
    need_adapters("tcp")
    also = "\n[[also]]\nfifo = 0\npeer_fifo = 20\n"
    lab.campaign(scenario('adapter = "tcp"\nfifo = [0, 10]', rounds="min = 1") + also)
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
