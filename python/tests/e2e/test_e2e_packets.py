"""Samples in the captures of rounds: the tables `hops` and `wire`, beside `samples` and tshark; and
transports that send none: memory that Fast DDS lends, and what a ROS 2 has as its default."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from e2e_harness import DOMAIN, Lab, libraries, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark
from busmark.store import Result

pytestmark = pytest.mark.usefixtures("allowed")

ON_NETWORK = (
    "udp", "tcp", "cyclonedds", "fastdds", "rti", "dustdds", "rustdds", "zerodds", "omniorb",
    "zenoh", "mqtt", "nats", "zeromq",
)  # fmt: skip
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 100"
SIZE = 100
HEADERS = 14 + 20 + 8
"""Ethernet as on loopback, IP, UDP."""
HEADER = 64
CLOCKS_NS = 1_000_000
"""How far the time of day may be corrected within a round."""


def measured(result: Result, case: str) -> pl.DataFrame:
    found = result.table("hops", case, 0)
    assert found is not None
    return found.filter(~pl.col("warm_up"))


Captured = tuple[Result, list[dict[str, Any]], str]
"""A result, its rows, and what the command printed."""

LENT = """
[[also]]
adapter = ["fastdds", "fastdds3"]
transport = "udp"
size = 65536
option.fastdds = { loan = "in_place", data_sharing = "on" }
option.fastdds3 = { loan = "in_place", data_sharing = "on" }
"""
ROS = """
[[also]]
adapter = ["rmw", "rmw-jazzy"]
transport = ["udp", "shipped"]
size = 1000
option.rmw.serialized = "false"
option.rmw-jazzy.serialized = "false"

[[also]]
adapter = "rmw"
transport = "shipped"
size = 1000
option.rmw = { serialized = "false", config = "env" }
"""
HERE = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_STATIC_PEERS": "127.0.0.1"}
"""What a shell for ROS 2 may have set."""


@pytest.fixture(scope="module")
def alone(shared_lab: Lab, allowed: None) -> Captured:
    """Run a round of each on a loopback of their own, where nobody else's traffic is."""
    need_root()
    present = [name for name in ON_NETWORK if name in libraries()]
    also = LENT if {"fastdds", "fastdds3"} <= {*libraries()} else ""
    also += ROS if {"rmw", "rmw-jazzy"} <= {*libraries()} else ""
    text = scenario(
        f"adapter = [{', '.join(map(repr, present))}]\nsize = {SIZE}",
        measure=MEASURE, rounds="min = 1", also=also,
    )  # fmt: skip
    shared_lab.scenario(f"capture = true\n{text}")
    ended = shared_lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE,
                               variables=HERE)  # fmt: skip
    assert ended.code in (0, 1), ended.text
    shared_lab.assert_nothing_left()
    result = Result(shared_lab.folder / "result")
    return result, rows(result.directory), ended.text


def rows_of(captured: Captured, *adapters: str) -> list[dict[str, Any]]:
    """Return the rows of these adapters, all of which must be built."""
    need_adapters(*adapters)
    return [row for row in captured[1] if row["adapter"] in adapters]


def packets_of(captured: Captured, row: dict[str, Any]) -> dict[str, int]:
    """Return the packets of a row's round, by purpose."""
    wire = captured[0].table("wire", row["case"], 0)
    assert wire is not None
    return dict(wire.select("purpose", "packets").iter_rows())


def test_every_ping_and_pong_is_found_in_the_packets_of_each_middleware(alone: Captured) -> None:
    result, rows, _ = alone
    finished = [row for row in rows if row["samples"] and row["captured"] and row["size"] == SIZE]
    who = pl.read_parquet(result.directory / "participants" / "*.parquet")
    assert {"udp", "tcp", "cyclonedds"} <= {row["adapter"] for row in finished}
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
        # A busy machine reads the two clocks of a host apart.
        apart = CLOCKS_NS + who.filter(case=row["case"])["realtime_bound_ns"].max()
        ordered = there.filter(
            (pl.col("sent_ns") - apart <= pl.col("first"))
            & (pl.col("first") <= pl.col("first_of_pong"))
            & (pl.col("first_of_pong") <= pl.col("read_ns") + apart)
        )
        assert ordered.height == there.height, row["adapter"]
        assert set(hops["flow"].unique()) == {"pings"}
        assert "data" in packets_of(alone, row)
        assert row["wire_samples"] <= hops.unique(["writer", "seq", "answered"]).height


def test_lent_samples_arrive_as_they_were_written_and_by_no_packet(alone: Captured) -> None:
    found = [row for row in rows_of(alone, "fastdds", "fastdds3") if row["size"] == 65536]
    assert [(row["status"], row["lost"], row["corrupted"]) for row in found] == [("ok", 0, 0)] * 2
    for row in found:
        packets = packets_of(alone, row)
        # What the participants say of themselves is there, so the capture was.
        assert packets.get("discovery", 0) > 0 and packets.get("data", 0) == 0, packets


def test_messages_of_ros_arrive_by_the_transport_that_the_case_names(alone: Captured) -> None:
    """Samples over UDP are packets; those in shared memory are none, but its participants' are.
    What the environment says counts only where it is asked for."""
    found = rows_of(alone, "rmw", "rmw-jazzy")
    assert len(found) == 5
    for row in found:
        assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row
        packets = packets_of(alone, row)
        assert packets.get("discovery", 0) > 0, packets
        assert (packets.get("data", 0) > 0) == (row["transport"] == "udp"), packets
    assert "rmw is configured by the user's environment" in alone[2]


def test_a_datagram_of_the_udp_adapter_is_headers_and_sample(alone: Captured) -> None:
    result, (row,) = alone[0], rows_of(alone, "udp")
    hops, wire = result.table("hops", row["case"], 0), result.table("wire", row["case"], 0)
    assert hops is not None and wire is not None
    assert hops["wire_bytes"].unique().to_list() == [HEADERS + HEADER + SIZE]
    assert hops.select("packets", "sharing").unique().rows() == [(1, 1)]
    assert hops["hop"].n_unique() == 2 and hops["protocol"].unique().to_list() == ["busmark"]
    data = wire.row(by_predicate=pl.col("purpose") == "data", named=True)
    assert data["packets"] == hops.height
    opened = busmark.open(result.directory)
    for table, frame, own in (("hops", opened.hops(), hops), ("wire", opened.wire(), wire)):
        assert frame.filter(pl.col("case") == row["case"]).collect().equals(own)
        written = next((result.directory / table).glob("*.parquet"))
        assert dict(pl.read_parquet_schema(written)) == dict(frame.collect_schema())
    assert data["wire_bytes"] == hops.height * (HEADERS + HEADER + SIZE)
    assert data["window_packets"] == row["wire_samples"]
    assert row["wire_repeated_bytes"] == 0


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not here")
def test_purposes_are_what_tshark_counts(alone: Captured) -> None:
    for row in rows_of(alone, "tcp", "cyclonedds"):
        wire = alone[0].table("wire", row["case"], 0)
        assert wire is not None
        found = {one["purpose"]: (one["packets"], one["wire_bytes"]) for one in wire.to_dicts()}
        path = path_of(alone[0], row)
        text = by_tshark(row["adapter"], path)
        assert len(text) == (1 if row["adapter"] == "tcp" else 3)
        for purposes, counted in text.items():
            of_ours = [found.get(purpose, (0, 0)) for purpose in purposes]
            assert tuple(map(sum, zip(*of_ours, strict=True))) == counted, purposes
        everything = tshark(path, "udp or tcp")
        assert tuple(map(sum, zip(*found.values(), strict=True))) == everything


OTHERS = """
export CYCLONEDDS_URI='<CycloneDDS><Domain><General>
<Interfaces><NetworkInterface name="lo"/></Interfaces><AllowMulticast>false</AllowMulticast>
</General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
"""
"""Environment in which a program on Cyclone DDS finds everybody of its domain on loopback."""


@pytest.mark.parametrize("adapter", ["cyclonedds", "rustdds"])
def test_packets_of_others_in_the_domain_are_no_cost_of_the_run(lab: Lab, adapter: str) -> None:
    """Participants that discover the run's, and are discovered by them, write on topics of their
    own meanwhile."""
    need_adapters(adapter)
    need_root()
    if not shutil.which("ddsperf") or not shutil.which("tshark"):
        pytest.skip("ddsperf or tshark is not here (cyclonedds-tools, tshark)")
    perf = f"ddsperf -i {DOMAIN}"
    others = f"{OTHERS}{perf} sub >/dev/null 2>&1 & {perf} pub 500Hz >/dev/null 2>&1 & sleep 1"
    text = scenario(
        f'adapter = "{adapter}"\nsize = {SIZE}\nqos.reliability = "best_effort"',
        measure=MEASURE, rounds="min = 1", run=f"prepare = {json.dumps(others)}",
    )  # fmt: skip
    lab.scenario(f"capture = true\n{text}")
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE)
    assert ended.code in (0, 1), ended.text
    result = Result(lab.folder / "result")
    (row,) = rows(result.directory)
    wire = result.table("wire", row["case"], 0)
    assert wire is not None
    found = {one["purpose"]: one for one in wire.to_dicts()}
    path = path_of(result, row)
    sent, talking = by_participant(path, result.manifest.cookie[:6])
    assert len(sent) >= 4 and talking, "the participants have not met"
    of_others = sum(number for (_, own), number in sent.items() if not own)
    of_run = sum(number for (_, own), number in sent.items() if own)
    # What the run's participants sent to the others only because they were there is no cost, too.
    assert of_others < found["foreign"]["packets"] < of_others + of_run
    counted = sum(one["packets"] for purpose, one in found.items() if purpose != "foreign")
    assert counted + found["foreign"]["packets"] == of_others + of_run
    assert found["data"]["window_packets"] == row["wire_samples"] == row["wire_packets"]
    assert row["wire_control_bytes"] == row["wire_repeated_bytes"] == 0


def by_participant(path: Path, run: str) -> tuple[dict[tuple[str, bool], int], set[str]]:
    """Count the packets that each participant has sent, by its GUID prefix and whether it has a
    topic of the run; and name the run's participants that have sent something to participants of
    another program."""
    command = ["tshark", "-o", "udp.try_heuristic_first:TRUE", "-r", str(path), "-Y", "rtps"]
    names = ("rtps.guidPrefix.src", "rtps.guidPrefix.dst", "rtps.param.topicName")
    for name in names:
        command += ["-e", name]
    printed = subprocess.run(
        [*command, "-T", "fields"], capture_output=True, text=True, check=True
    ).stdout
    lines = [line.split("\t") for line in printed.splitlines()]
    senders = [source.partition(",")[0] for source, _, _ in lines]
    own = {who for who, line in zip(senders, lines, strict=True) if f"_{run}" in line[2]}
    sent = {(who, who in own): senders.count(who) for who in set(senders)}
    addressed = {(who, line[1].partition(",")[0]) for who, line in zip(senders, lines, strict=True)}
    met = {one for one, other in addressed if one in own and other and other not in own}
    return sent, met


BUILTIN, USER = ("0xc2", "0xc3"), ("0x02", "0x03")
DATA, ACKNACK = "0x15", "0x06"
WITH_WRITER = (ACKNACK, "0x07", "0x08", "0x12", "0x13", DATA, "0x16")
"""Submessages that name a writer: only so many fields of it are in a packet."""


def by_tshark(adapter: str, path: Path) -> dict[tuple[str, ...], tuple[int, int]]:
    """Count packets and bytes by purpose, from what tshark finds in each packet: one that has a
    user's sample is for that, whatever else is in it, and one that has any other builtin
    submessage is for discovery."""
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
    """Return length, submessages and kinds of their writers of each packet of RTPS."""
    names = ("frame.len", "rtps.sm.id", "rtps.sm.wrEntityId.entityKind")
    # A port of discovery may be another protocol's: its content takes precedence over its port.
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
    """Count the packets that the filter selects, and their bytes."""
    lengths = [int(length) for length in fields(path, pattern, "frame.len")]
    return len(lengths), sum(lengths)


def path_of(result: Result, row: dict[str, Any]) -> Path:
    (path,) = (result.directory / "artefacts").glob(f"{row['case']}.*.pcapng")
    return path


def fields(path: Path, pattern: str, name: str) -> list[str]:
    """Return a field of each packet that the filter selects."""
    command = ["tshark", "-r", str(path), "-Y", pattern, "-T", "fields", "-e", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
