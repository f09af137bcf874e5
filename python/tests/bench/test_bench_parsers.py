"""What the other programs print, as captured from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import bare
import peers
from task import MAIN, MeasurementError, Task

CAPTURED = Path(__file__).parent / "captured"
PING = Task("latency", "udp", 64, "same")
STREAM = Task("throughput", "udp", 1024, "same")


def captured(name: str) -> str:
    return (CAPTURED / name).read_text()


@pytest.mark.parametrize(
    ("name", "median_ns"), [("sockperf_udp.txt", 11_306), ("sockperf_tcp.txt", 13_700)]
)
def test_sockperf_gives_the_median_of_full_round_trips(name: str, median_ns: float) -> None:
    assert peers.parse_sockperf(captured(name)) == {MAIN: pytest.approx(median_ns)}


def test_sockperf_without_full_rtt_is_refused() -> None:
    half = captured("sockperf_udp.txt").replace("Round trip is", "Latency is")
    with pytest.raises(MeasurementError, match="no round trip"):
        peers.parse_sockperf(half)


def test_ddsperf_prints_half_of_the_round_trip_and_its_last_second_counts() -> None:
    assert peers.parse_ddsperf_ping(captured("ddsperf_ping.txt")) == {MAIN: pytest.approx(17_726)}


def test_ddsperf_sub_gives_the_rate_of_its_last_second() -> None:
    values = peers.parse_ddsperf_sub(captured("ddsperf_sub.txt"))
    assert values == {MAIN: pytest.approx(428_580), "lost": 0}


def test_ddsperf_that_found_nobody_is_no_measurement() -> None:
    with pytest.raises(MeasurementError):
        peers.parse_ddsperf_ping("[4739] participant vm:4739: new (self)\n")
    with pytest.raises(MeasurementError):
        peers.parse_ddsperf_sub("[4739] participant vm:4739: new (self)\n")


def test_iperf3_gives_the_receivers_rate() -> None:
    assert peers.parse_iperf3(captured("iperf3.json")) == pytest.approx(17_838_646_935.644279)


def test_iperf3_that_could_not_connect_is_no_measurement() -> None:
    with pytest.raises(MeasurementError):
        peers.parse_iperf3('{"start": {}, "end": {}, "error": "unable to connect"}')


def test_bare_ping_gives_its_median_and_its_pace() -> None:
    line = '{"median_ns":17386,"p99_ns":24697,"min_ns":16564,"count":20000}'
    values, rate = bare.parse(PING, json.loads(line))
    assert values == {MAIN: 17_386}
    assert rate == pytest.approx(1e9 / 17_386)


def test_bare_stream_gives_what_arrives_and_the_pace_of_what_was_sent() -> None:
    line = '{"samples_per_s":35500,"mbit_per_s":290.8,"received":3000,"lost":1000}'
    values, rate = bare.parse(STREAM, json.loads(line))
    assert values == {MAIN: 35_500, "lost": 1000}
    assert rate == pytest.approx(35_500 * 4 / 3)


def test_bare_stream_of_which_nothing_arrived_is_no_measurement() -> None:
    with pytest.raises(MeasurementError):
        bare.parse(STREAM, {"samples_per_s": 0, "received": 0, "lost": 100})


def test_a_missing_peer_names_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    reason = peers.Peers(1.0, tmp_path).unavailable("ddsperf")
    assert reason == "not here: apt-get install cyclonedds-tools"


def test_blocks_of_iperf3_take_as_much_of_the_stream_as_our_samples() -> None:
    from catalogue import IPERF3, IPERF3_BLOCK, groups

    tasks = [group.task for group in groups() if IPERF3 in group.contestants]
    assert tasks
    assert {peers.stream_bytes(task) for task in tasks if task} == {IPERF3_BLOCK}
