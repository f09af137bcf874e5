"""Samples in the captures of rounds: the tables `hops` and `wire`, beside `samples` and tshark."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, libraries, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark
from busmark.store import Result

pytestmark = pytest.mark.usefixtures("allowed")

ON_NETWORK = (
    "udp", "tcp", "cyclonedds", "fastdds", "rti", "dustdds", "rustdds", "zerodds", "omniorb",
    "zenoh", "mqtt", "nats", "zeromq",
)  # fmt: skip
MEASURE = "duration_s = 0.2\nwarmup_s = 0.02\nsamples = 100"
SIZE = 100
HEADERS = 14 + 20 + 8
"""Ethernet as on loopback, IP, UDP."""
HEADER = 64
CLOCKS_NS = 1_000_000
"""How far the two clocks of a host may be read apart on a busy machine."""


def run(lab: Lab, matrix: str, *, prefix: Sequence[str] = (), **other: Any) -> Result:
    text = scenario(matrix, **{"measure": MEASURE, "rounds": "min = 1", **other})
    lab.campaign(f"capture = true\n{text}", prefix=prefix)
    return Result(lab.folder / "result")


def measured(result: Result, case: str) -> pl.DataFrame:
    found = result.hops(case, 0)
    assert found is not None
    return found.filter(~pl.col("warm_up"))


def test_every_ping_and_pong_is_found_in_the_packets_of_each_middleware(lab: Lab) -> None:
    present = [name for name in ON_NETWORK if name in libraries()]
    names = ", ".join(f'"{name}"' for name in present)
    result = run(lab, f"adapter = [{names}]\nsize = {SIZE}")
    finished = [row for row in rows(result.directory) if row["samples"] and row["captured"]]
    assert {"udp", "tcp", "cyclonedds"} & set(present) <= {row["adapter"] for row in finished}
    for row in finished:
        hops, samples = measured(result, row["case"]), result.samples(row["case"], 0)
        samples = samples.filter(pl.col("role") == "pinger")
        if row["capture_dropped"]:
            continue
        first = pl.col("begun_ns").min().alias("first"), pl.col("time_ns").max().alias("last")
        pings = hops.filter(pl.col("answered").is_null()).group_by("writer", "seq").agg(first)
        pongs = hops.filter(pl.col("answered").is_not_null())
        pongs = pongs.group_by(pl.col("answered").alias("writer"), "seq").agg(first)
        both = samples.join(pings, on=["writer", "seq"]).join(
            pongs, on=["writer", "seq"], suffix="_of_pong"
        )
        assert both.height == samples.height > 0, row["adapter"]
        there = both.filter(pl.col("read_ns").is_not_null())
        ordered = there.filter(
            (pl.col("sent_ns") - CLOCKS_NS <= pl.col("first"))
            & (pl.col("first") <= pl.col("first_of_pong"))
            & (pl.col("first_of_pong") <= pl.col("read_ns") + CLOCKS_NS)
        )
        assert ordered.height == there.height, row["adapter"]
        assert set(hops["flow"].unique()) == {"pings"}
        wire = result.wire(row["case"], 0)
        assert wire is not None and "data" in wire["purpose"].to_list()
        assert row["wire_samples"] <= hops.unique(["writer", "seq", "answered"]).height
    lab.assert_nothing_left()


@pytest.fixture(scope="module")
def alone(shared_lab: Lab, allowed: None) -> Result:
    """Rounds on a loopback of their own, where nobody else's traffic is."""
    need_root()
    need_adapters("udp", "tcp", "cyclonedds")
    matrix = f'adapter = ["udp", "tcp", "cyclonedds"]\nsize = {SIZE}'
    return run(shared_lab, matrix, prefix=ALONE)


def test_a_datagram_of_the_udp_adapter_is_headers_and_sample(alone: Result) -> None:
    (row,) = (each for each in rows(alone.directory) if each["adapter"] == "udp")
    hops, wire = alone.hops(row["case"], 0), alone.wire(row["case"], 0)
    assert hops is not None and wire is not None
    assert hops["wire_bytes"].unique().to_list() == [HEADERS + HEADER + SIZE]
    assert hops.select("packets", "sharing").unique().rows() == [(1, 1)]
    assert hops["hop"].n_unique() == 2 and hops["protocol"].unique().to_list() == ["busmark"]
    data = wire.row(by_predicate=pl.col("purpose") == "data", named=True)
    assert data["packets"] == hops.height
    opened = busmark.open(alone.directory)
    for table, frame, own in (("hops", opened.hops(), hops), ("wire", opened.wire(), wire)):
        assert frame.filter(pl.col("case") == row["case"]).collect().equals(own)
        written = next((alone.directory / table).glob("*.parquet"))
        assert dict(pl.read_parquet_schema(written)) == dict(frame.collect_schema())
    assert data["wire_bytes"] == hops.height * (HEADERS + HEADER + SIZE)
    assert data["window_packets"] == row["wire_samples"]
    assert row["wire_repeated_bytes"] == 0


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not here")
def test_purposes_are_what_tshark_counts(alone: Result) -> None:
    for row in rows(alone.directory):
        if row["adapter"] == "udp":
            continue
        wire = alone.wire(row["case"], 0)
        assert wire is not None
        found = {one["purpose"]: (one["packets"], one["wire_bytes"]) for one in wire.to_dicts()}
        path = path_of(alone, row)
        text = by_tshark(row["adapter"], path)
        assert len(text) == (1 if row["adapter"] == "tcp" else 3)
        for purposes, counted in text.items():
            of_ours = [found.get(purpose, (0, 0)) for purpose in purposes]
            assert tuple(map(sum, zip(*of_ours, strict=True))) == counted, purposes
        everything = tshark(path, "udp or tcp")
        assert tuple(map(sum, zip(*found.values(), strict=True))) == everything


BUILTIN, USER = ("0xc2", "0xc3"), ("0x02", "0x03")
DATA, ACKNACK = "0x15", "0x06"
WITH_WRITER = (ACKNACK, "0x07", "0x08", "0x12", "0x13", DATA, "0x16")
"""Submessages that name a writer: only so many fields of it are in a packet."""


def by_tshark(adapter: str, path: Path) -> dict[tuple[str, ...], tuple[int, int]]:
    """Packets and bytes by purpose, from what tshark finds in each packet: one that has a user's
    sample is for that, whatever else is in it, and one that has any other builtin submessage is
    for discovery."""
    if adapter == "tcp":
        return {("tcp_acknowledgement",): tshark(path, "tcp.len == 0 and tcp.flags & 7 == 0")}
    counted: dict[tuple[str, ...], tuple[int, int]] = {}
    for length, kinds, writers in packets(path):
        named = [kind for kind in kinds if kind in WITH_WRITER]
        submessages = list(zip(named, writers, strict=True))
        if any(kind == DATA and writer in USER for kind, writer in submessages):
            purposes: tuple[str, ...] = ("data", "retransmission")
        elif any(writer in BUILTIN for writer in writers):
            purposes = ("discovery",)
        elif submessages and {kind for kind, _ in submessages} == {ACKNACK}:
            purposes = ("acknowledgement",)
        else:
            continue
        number, size = counted.get(purposes, (0, 0))
        counted[purposes] = number + 1, size + length
    return counted


def packets(path: Path) -> list[tuple[int, list[str], list[str]]]:
    """Length, submessages and kinds of their writers of each packet of RTPS."""
    names = ("frame.len", "rtps.sm.id", "rtps.sm.wrEntityId.entityKind")
    # A port of discovery may be another protocol's: what a packet says goes before its port.
    command = ["tshark", "-o", "udp.try_heuristic_first:TRUE", "-r", str(path)]
    command += ["-Y", "rtps", "-T", "fields"]
    for name in names:
        command += ["-e", name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in printed.splitlines()]
    return [
        (int(size), kinds.split(","), writers.split(",") if writers else [])
        for size, kinds, writers in lines
    ]


def tshark(path: Path, pattern: str) -> tuple[int, int]:
    """Packets and bytes of what the filter selects."""
    lengths = [int(length) for length in fields(path, pattern, "frame.len")]
    return len(lengths), sum(lengths)


def path_of(result: Result, row: dict[str, Any]) -> Path:
    (path,) = (result.directory / "artefacts").glob(f"{row['case']}.*.pcapng")
    return path


def fields(path: Path, pattern: str, name: str) -> list[str]:
    """A field of each packet that the filter selects."""
    command = ["tshark", "-r", str(path), "-Y", pattern, "-T", "fields", "-e", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_the_pieces_of_a_large_sample_are_one_passage_in_a_lab(
    lab: Lab, lab_is_possible: None
) -> None:
    need_adapters("cyclonedds", "udp")
    result = run(lab, 'adapter = ["cyclonedds", "udp"]\nsize = 4000', also="[lab]\nnodes = 2")
    for row in rows(result.directory):
        hops, wire = measured(result, row["case"]), result.wire(row["case"], 0)
        assert wire is not None
        if row["capture_dropped"]:
            continue
        # Both ends of the link, and each way.
        assert set(hops["node"].unique()) == {"n1", "n2"} and hops["hop"].n_unique() == 4
        each = hops.filter(pl.col("repeated") == 0).group_by("writer", "seq", "answered").len()
        assert each["len"].unique().to_list() == [2]
        assert hops["packets"].min() == 3 and hops["wire_bytes"].min() > 4000 + 3 * 34
        data = wire.row(by_predicate=pl.col("purpose") == "data", named=True)
        whole = result.hops(row["case"], 0)
        assert whole is not None
        # Counted at one end of the link.
        assert data["packets"] == whole.filter(pl.col("node") == "n1")["packets"].sum()
