"""Figures of captures whose content is known, and of real ones beside an independent analysis."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import made_captures as made
import numpy as np
import pytest

from busmark.plugins.capture.analysis import analyse
from busmark.plugins.capture.model import Analysis, Spread

pytestmark = pytest.mark.usefixtures("captures_can_be_read")

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"
NAMES = ("D1-udp-be-50", "D2-tcp-r-50", "D2-udp-r-50-droprx", "D3-udp-be-50-early")


def analysed(folder: Path, content: bytes, name: str = "it.pcapng") -> Analysis:
    path = folder / name
    path.write_bytes(content)
    return analyse(path)


def column(rows: list[dict[str, str]], name: str) -> list[int | None]:
    return [int(row[name]) if row[name] else None for row in rows]


def differences(rows: list[dict[str, str]], begin: str, end: str) -> list[int]:
    pairs = zip(column(rows, begin), column(rows, end), strict=True)
    return [b - a for a, b in pairs if a is not None and b is not None]


def agrees(spread: Spread | None, wanted: list[int]) -> bool:
    if spread is None:
        return not wanted
    found = (spread.count, spread.min_ns, spread.median_ns, spread.mean_ns, spread.max_ns)
    right = (len(wanted), min(wanted), np.median(wanted), np.mean(wanted), max(wanted))
    return found == pytest.approx(right, abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_real_captures_agree_with_the_independent_analysis(name: str) -> None:
    found = analyse(KEPT / f"{name}.pcapng")
    with (KEPT / f"{name}.reference.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = [json.loads(line) for line in (KEPT / f"{name}.truth.jsonl").open(encoding="utf-8")]
    by_kind = {(hop.protocol, hop.kind): hop for hop in found.hops}
    for key, prefix in ((("xrce", "WRITE_DATA"), "write"), (("xrce", "DATA"), "data")):
        there = [number for number in column(rows, f"{prefix}_ns") if number is not None]
        hop = by_kind.get(key)  # type: ignore[call-overload]
        assert (hop.samples if hop else 0) == len(there)
        if hop is None:
            continue
        for spread, end in ((hop.confirmation, "acknack"), (hop.tcp_acknowledgement, "tcpack")):
            assert agrees(spread, differences(rows, f"{prefix}_ns", f"{prefix}_{end}_ns"))
        arrival = differences(rows, f"{prefix}_first_ns", f"{prefix}_ns")
        assert agrees(hop.arrival, [time for time in arrival if time])
    (way,) = found.ways
    entry = "write_ns" if ("xrce", "WRITE_DATA") in by_kind else "rtps_ns"
    assert agrees(way.latency, differences(rows, entry, "data_ns"))
    before = "rtps_ns" if ("rtps", "DATA") in by_kind else "write_ns"
    assert agrees(way.segments[-1].latency, differences(rows, before, "data_first_ns"))
    confirmed = differences(rows, entry, "data_acknack_ns")
    assert agrees(way.confirmed, confirmed or differences(rows, entry, "data_tcpack_ns"))
    assert (way.entered, way.arrived) == (
        len(truth),
        sum(t["received_ns"] is not None for t in truth),
    )
    assert way.missing == [t["seq"] for t in truth if t["received_ns"] is None]


def test_repetitions_are_counted_once() -> None:
    hop = analyse(KEPT / "D2-udp-r-50-droprx.pcapng").hops[0]
    assert (hop.samples, hop.repeated, hop.not_seen) == (50, 12, 0)


@pytest.mark.parametrize("payload_bytes", [5, 40, 41, 1200])
def test_a_sample_is_followed_from_client_to_client(tmp_path: Path, payload_bytes: int) -> None:
    frames = made.deployment(30, payload_bytes=payload_bytes)
    found = analysed(tmp_path, made.pcapng(frames))
    assert [(hop.protocol, hop.kind, hop.samples) for hop in found.hops] == [
        ("xrce", "WRITE_DATA", 30),
        ("rtps", "DATA", 30),
        ("xrce", "DATA", 30),
    ]
    (way,) = found.ways
    assert (way.hops, way.entered, way.arrived) == (["A", "B", "C"], 30, 30)
    for spread, wanted in (
        (way.latency, 250_000),
        (way.confirmed, 300_000),
        (way.segments[0].latency, 100_000),
        (way.segments[1].latency, 150_000),
        (found.hops[0].confirmation, 50_000),
    ):
        assert spread is not None
        assert (spread.min_ns, spread.max_ns) == (wanted, wanted)
    lengths = [hop.packet_bytes.mean for hop in found.hops]
    assert lengths == [54 + payload_bytes, 90 + payload_bytes, 54 + payload_bytes]
    assert way.bytes_per_sample is not None
    assert way.bytes_per_sample.mean == sum(lengths)
    assert way.eq2_mbit_s is not None
    assert way.eq2_mbit_s.mean == pytest.approx(sum(lengths) * 8 / 300)
    assert found.hops[0].packets_per_sample == 2
    assert found.remarks == []


def test_lost_and_repeated_samples_are_found(tmp_path: Path) -> None:
    frames = made.deployment(20)
    # The third and the ninth sample are not delivered; the fifth is written twice.
    del frames[2 + 5 * 8 + 3]
    del frames[2 + 5 * 2 + 3]
    frames.insert(
        2 + 5 * 5,
        (
            5_900_000,
            made.udp(
                made.CLIENT, made.AGENT, made.write(4, (4).to_bytes(4, "little").ljust(40, b"x"))
            ),
        ),
    )
    found = analysed(tmp_path, made.pcapng(frames))
    (way,) = found.ways
    assert (way.entered, way.arrived, way.missing) == (20, 18, [3, 9])
    assert (found.hops[0].samples, found.hops[0].repeated) == (20, 1)
    assert found.hops[2].not_seen == 2


def test_equal_payloads_are_followed_in_their_order(tmp_path: Path) -> None:
    frames = [(0, made.udp(made.CLIENT, made.AGENT, made.greeting()))]
    for number in range(10):
        begin = (number + 1) * 1_000_000
        frames.append((begin, made.udp(made.CLIENT, made.AGENT, made.write(number, b"the same"))))
        if number not in (0, 4):
            delivered = made.data(number, b"the same")
            frames.append((begin + 100_000, made.udp(made.AGENT, made.READER, delivered)))
    (way,) = analysed(tmp_path, made.pcapng(frames)).ways
    assert way.latency is not None
    assert (way.missing, way.latency.max_ns) == ([1, 5], 100_000)


def test_more_samples_than_sequence_numbers_of_a_stream(tmp_path: Path) -> None:
    frames = made.deployment(70_000, payload_bytes=8)
    found = analysed(tmp_path, made.pcapng(frames))
    (way,) = found.ways
    assert (way.arrived, found.hops[0].repeated, found.hops[0].not_seen) == (70_000, 0, 0)
    assert way.confirmed is not None
    assert (way.confirmed.count, way.confirmed.max_ns) == (70_000, 300_000)


def test_pcap_and_order_of_time_do_not_matter(tmp_path: Path) -> None:
    frames = made.deployment(10)
    shuffled = [*frames[:2], *sorted(frames[2:], key=lambda frame: frame[0] % 7)]
    wanted = analysed(tmp_path, made.pcapng(frames))
    found = analysed(tmp_path, made.pcap(shuffled), "it.pcap")
    assert (found.format, found.ways[0].latency) == ("pcap", wanted.ways[0].latency)
    assert any("out of order of time" in remark for remark in found.remarks)


def test_an_agent_port_is_enough_without_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "later.pcap"
    path.write_bytes(made.pcap(made.deployment(10)[30:]))
    for ports in ((), (made.AGENT, made.AGENT + 1)):
        assert analyse(path, agent_ports=ports).ways[0].entered == 4


def test_samples_of_one_datagram_share_its_length(tmp_path: Path) -> None:
    payload = bytes(40)
    both = made.rtps(1, payload) + made.rtps(2, payload)[20:]
    frames = [
        (0, made.udp(40_003, 7411, both)),
        (1_000, made.udp(40_003, 7411, made.rtps(3, payload))),
    ]
    (hop,) = analysed(tmp_path, made.pcap(frames)).hops
    whole = [len(frame) for _, frame in frames]
    assert (hop.samples, hop.packets, hop.wire_bytes) == (3, 2, sum(whole))
    assert (hop.packet_bytes.min, hop.packet_bytes.max) == (whole[0] / 2, whole[1])
