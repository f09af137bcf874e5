"""Applications that all write to all, on the nodes of a lab: every sample is accounted for at each
reader, application and node, and by an independent count."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, figures, need_adapters, rows, scenario

pytestmark = pytest.mark.usefixtures("lab_is_possible")

NODES, APPLICATIONS, TOPICS, READERS = 2, 2, 2, 2
SAMPLES, RATE_HZ, SIZE = 20, 25.0, 100

ALL_APPLICATIONS = NODES * APPLICATIONS
MEMBERS = {
    "reader": ALL_APPLICATIONS * TOPICS * READERS,
    "participant": ALL_APPLICATIONS,
    "node": NODES,
    "system": 1,
}
TO_A_READER = ALL_APPLICATIONS * SAMPLES


def asked(matrix: str, **more: str) -> str:
    return scenario(
        f"{matrix}\ntest = 'throughput'\nplacement = 'free'\napplications = {APPLICATIONS}\n"
        f"topics = {TOPICS}\nreaders = {READERS}\nrate_hz = {RATE_HZ}\nsize = {SIZE}",
        measure=f"duration_s = 60.0\nwarmup_s = 0.1\nsamples = {SAMPLES}\nprobe_every = 1\n"
                "system_interval_s = 0.1\nverify = true",
        rounds="min = 1", also=f"[lab]\nnodes = {NODES}", **more,
    )  # fmt: skip


def table(lab: Lab, name: str) -> pl.DataFrame:
    return pl.read_parquet(lab.folder / "result" / name / "*.parquet")


def by_level(frame: pl.DataFrame, nodes: dict[str, str], column: str, value: str) -> dict[str, Any]:
    """Sum up by reader, application, node and the whole."""
    frame = frame.with_columns(node=pl.col(column).replace_strict(nodes))
    keys = {"reader": ["flow", "reader"], "participant": [column], "node": ["node"]}
    return {
        **{name: frame.group_by(key).agg(pl.col(value).sum())[value].sort().to_list()
           for name, key in keys.items()},
        "system": [frame[value].sum()],
    }  # fmt: skip


def test_every_reader_application_and_node_gets_everything(lab: Lab) -> None:
    need_adapters("cyclonedds")
    lab.campaign(asked('adapter = "cyclonedds"\nqos.reliability = "reliable"'))
    lab.assert_nothing_left()
    (row,) = rows(lab.folder / "result")
    assert row["status"] == "ok", row["reason"]
    assert row["sent"] == ALL_APPLICATIONS * TOPICS * SAMPLES
    assert row["received"] == row["expected"] == MEMBERS["reader"] * TO_A_READER
    assert row["lost"] == row["foreign"] == row["corrupted"] == 0

    # Counted by hand: what each of a level is to receive.
    to_each = {
        name: MEMBERS["reader"] // members * TO_A_READER for name, members in MEMBERS.items()
    }
    flows, who = table(lab, "flows"), table(lab, "participants")
    nodes = dict(who.select("participant", "node").iter_rows())
    assert sorted(nodes.values()) == ["n1", "n1", "n2", "n2"]
    counted = table(lab, "intervals").filter(pl.col("role") == "receiver")
    # Counters over time are kept apart from the ledgers by which losses are found.
    for sums in (
        by_level(flows, nodes, "reader_participant", "received"),
        by_level(counted, nodes, "participant", "samples"),
    ):
        assert sums == {name: [to_each[name]] * members for name, members in MEMBERS.items()}
    # Every sample of the first application is recorded by the reader that echoes it.
    recorded = table(lab, "samples").filter(pl.col("flags") & 1 == 0)
    arrived = recorded.filter(pl.col("role") == "receiver")
    assert arrived.group_by("flow", "reader", "participant").len().sort("flow").rows() == [
        (flow, reader, f"app{ALL_APPLICATIONS}", SAMPLES)
        for flow, reader in sorted(arrived.select("flow", "reader").unique().rows())
    ]
    assert arrived.height == TOPICS * SAMPLES

    found = json.loads(lab.busmark("show", "result", "--json").out)["cases"][0]
    levels = figures(found, "level")
    assert [name for name in levels if ": " not in name] == list(MEMBERS)
    for name in MEMBERS:
        level = levels[name]
        per_s = to_each[name] / SAMPLES * RATE_HZ
        assert (level["members"], level["lost"]) == (MEMBERS[name], 0)
        assert level["theoretical_rate"] == pytest.approx(per_s)
        assert level["theoretical_bytes"] == pytest.approx(per_s * SIZE)
        assert level["expected"] == level["received"] == row["expected"]
        assert level["read_bytes"] == pytest.approx(level["read_rate"] * SIZE)
        # The member that kept up least, in the round in which it did.
        (least,) = (
            row for row in found["figures"]
            if row["quantity"] == "least_share" and row["of"].startswith(f"{name}: ")
        )  # fmt: skip
        assert least["value"] <= level["read_share"] * (1 + 1e-9) and "round" in least
    nodes, whole = figures(found, "node"), figures(found, "system")["all"]
    assert sorted(nodes) == ["n1", "n2"] and whole["participants"] == 4
    if "tx_packets" in whole:  # counters were read within so short a round
        assert whole["samples_per_packet"] > 0
