"""Several publishers and subscribers, real workers, every sample accounted for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

from busmark.adapters import libraries

ADAPTERS = ("tcp", "cyclonedds")
PAIRS = (("reference", "memory"), ("zeromq", "inproc"), ("iceoryx2", "local"))
"""Transports within a process."""
MATRIX = "adapter = ['tcp', 'cyclonedds']\npublishers = 2\nsubscribers = 3"
BATCHES = 'test = "throughput"\nbatch = 50\npublishers = 1\nsubscribers = 2'
BOUND = """\
adapter = "zeromq"
test = ["latency", "throughput"]
transport = ["tcp", "ipc"]
option.zeromq.bind = ["reader", "writer"]
qos.reliability = "reliable"
subscribers = 2
"""


@pytest.fixture(scope="module")
def campaign(shared_lab: Lab) -> Lab:
    """Run a round of each."""
    need_adapters(*ADAPTERS)
    within = (
        f'adapter = "{name}"\ntransport = "{one}"\npublishers = 1\nsubscribers = 1\n'
        'test = ["latency", "throughput"]'
        for name, one in PAIRS if name in libraries()
    )  # fmt: skip
    bound = (BOUND,) if "zeromq" in libraries() else ()
    also = "\n".join(f"[[also]]\n{matrix}" for matrix in (BATCHES, *bound, *within))
    shared_lab.campaign(scenario(MATRIX, rounds="min = 1", also=also))
    shared_lab.assert_nothing_left()
    assert all(row["status"] == "ok" for row in rows(shared_lab.folder / "result"))
    return shared_lab


def rows_where(lab: Lab, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Return the rows of which this is true."""
    return [row for row in rows(lab.folder / "result") if wanted(row)]


def table(lab: Lab, name: str, found: list[dict[str, Any]]) -> pl.DataFrame:
    """Return the rows of a table of these rounds."""
    cases = [row["case"] for row in found]
    whole = pl.read_parquet(lab.folder / "result" / name / "*.parquet")
    return whole.filter(pl.col("case").is_in(cases))


def assert_identified(
    samples: pl.DataFrame, participants: pl.DataFrame, flows: pl.DataFrame
) -> None:
    """Check that whoever recorded a sample took part, in a flow of the round."""
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


def test_a_ping_is_over_when_every_subscriber_has_answered(campaign: Lab) -> None:
    found = rows_where(campaign, lambda row: row["subscribers"] == 3)
    assert {row["adapter"] for row in found} == set(ADAPTERS)
    for row in found:
        assert row["sent"] == row["received"] > 0 and row["lost"] == row["foreign"] == 0
    samples, flows, who = (
        table(campaign, name, found) for name in ("samples", "flows", "participants")
    )
    answered = samples.filter(pl.col("read_ns").is_not_null())
    assert answered["answers"].unique().to_list() == [3]
    assert answered.group_by("case", "writer").len().height == 2 * len(ADAPTERS)
    assert_identified(samples, who, flows)
    assert flows["flow"].unique().to_list() == ["pings"]
    assert flows["participant"].unique().sort().to_list() == ["active1", "active2"]
    by_case = {row["case"]: row for row in found}
    for (case,), own in flows.group_by("case"):
        assert own["received"].sum() == by_case[case]["received"]
    assert who.height == 5 * len(ADAPTERS)


def test_batches_are_acknowledged_and_nothing_is_lost(campaign: Lab) -> None:
    subscribers = 2
    found = rows_where(campaign, lambda row: row["batch"])
    assert {row["adapter"] for row in found} == set(ADAPTERS)
    for row in found:
        assert row["sent"] == 50 * row["batches"] > 0 and row["batches_unacknowledged"] == 0
        assert row["received"] == row["expected"] == subscribers * row["sent"]
        assert row["duplicated"] == row["foreign"] == 0
    samples, flows, who = (
        table(campaign, name, found) for name in ("samples", "flows", "participants")
    )
    batches = samples.filter(pl.col("role") == "batcher")
    assert batches.height == sum(row["batches"] for row in found)
    stamps = batches.select(
        (pl.col("sent_ns") <= pl.col("written_ns")) & (pl.col("written_ns") <= pl.col("read_ns"))
    )
    assert stamps.to_series().all()
    seen = table(campaign, "batches", found)
    assert seen.height == batches.height * subscribers
    assert seen["received"].unique().to_list() == seen["expected"].unique().to_list() == [50]
    assert seen["ended"].all() and seen["acknowledged"].all()
    assert seen.select(pl.col("duration_ns") >= pl.col("writing_ns")).to_series().all()
    assert_identified(samples, who, flows)
    assert flows.height == subscribers * len(ADAPTERS)
    assert (flows["received"] == flows["expected"]).all() and (flows["lost"] == 0).all()
    assert flows["received"].sum() == sum(row["received"] for row in found)
    counted = table(campaign, "intervals", found).filter(pl.col("role") == "receiver")
    keys = ["case", "flow", "writer", "reader"]
    sums = counted.group_by(keys).agg(pl.col("samples").sum())
    assert sums.join(flows, on=keys).select((pl.col("samples") == pl.col("received")).all()).item()
    assert sums.height == flows.height


def test_a_transport_within_a_process_carries_samples(campaign: Lab) -> None:
    need_adapters(*(name for name, _ in PAIRS))
    found = rows_where(campaign, lambda row: (row["adapter"], row["transport"]) in PAIRS)
    assert len(found) == 6
    assert all(row["foreign"] == row["lost"] == 0 for row in found)


def test_every_reader_is_found_whichever_side_binds(campaign: Lab) -> None:
    """Locators of writers that bind are carried to readers, and nothing is lost."""
    need_adapters("zeromq")
    found = rows_where(campaign, lambda row: row["adapter"] == "zeromq" and row["publishers"] == 2)
    assert len(found) == 8
    assert sum("bindwriter" in row["case"] for row in found) == 4
    for row in found:
        assert row["sent"] and row["lost"] == row["duplicated"] == row["foreign"] == 0
        expected = "sent" if row["test"] == "latency" else "expected"
        assert row["received"] == row[expected]
