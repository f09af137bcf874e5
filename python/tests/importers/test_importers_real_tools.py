"""ddsperf and sockperf run for real, on the loopback of a network of their own; what they print is
read by another route and compared with what was imported."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import summarise

from busmark.importers import import_results
from busmark.store import Result

PATIENCE_S = 60

CYCLONEDDS_URI = (
    '<CycloneDDS><Domain Id="any"><General><Interfaces>'
    '<NetworkInterface name="lo" address="127.0.0.1"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery>"
    "<ParticipantIndex>auto</ParticipantIndex>"
    '<Peers><Peer Address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)

needs_network = pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root")


def needs(program: str, package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"apt-get install {package}")


@contextmanager
def script(text: str, folder: Path) -> Iterator[None]:
    """Runs a shell script in `folder`, in a network namespace that ends with it."""
    words = ["unshare", "--net", "--kill-child", "sh", "-ec", f"ip link set lo up\n{text}"]
    env = {**os.environ, "CYCLONEDDS_URI": CYCLONEDDS_URI}
    process = subprocess.Popen(words, cwd=folder, env=env, start_new_session=True)
    try:
        assert process.wait(PATIENCE_S) == 0
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def imported(folder: Path, *names: str) -> Result:
    return import_results([folder / name for name in names], folder / "result")


@needs_network
@needs("ddsperf", "cyclonedds-tools")
def test_ping_of_ddsperf(tmp_path: Path) -> None:
    commands = """
    ddsperf -i 72 pong > pong.txt & other=$!
    ddsperf -i 72 -D3 -Qminmatch:1 -Qinitwait:20 ping size 256 > ping.txt
    kill $other"""
    with script(commands, tmp_path):
        result = imported(tmp_path, "ping.txt")
    text = (tmp_path / "ping.txt").read_text(encoding="utf-8")
    rows = re.findall(r"mean ([\d.]+)us min ([\d.]+)us .* max ([\d.]+)us cnt (\d+)", text)
    mean, least, greatest, count = np.array(rows, dtype=float).T
    (case,) = summarise(result).cases
    assert (case.adapter, case.size) == ("cyclonedds", 256)
    assert case.rtt_2
    assert case.rtt_2.count == count.sum()
    assert case.rtt_2.mean.value == pytest.approx((mean * count).sum() / count.sum() * 1e3)
    assert case.rtt_2.min_ns == pytest.approx(least.min() * 1e3)
    assert case.rtt_2.max_ns == pytest.approx(greatest.max() * 1e3)


@needs_network
@needs("ddsperf", "cyclonedds-tools")
def test_stream_of_ddsperf_with_one_way_latency(tmp_path: Path) -> None:
    commands = """
    ddsperf -i 72 -D8 -l sub > sub.txt & other=$!
    ddsperf -i 72 -D3 -Qminmatch:1 -Qinitwait:20 pub 500Hz size 1024 > pub.txt
    wait $other"""
    with script(commands, tmp_path):
        result = imported(tmp_path, "sub.txt")
    text = (tmp_path / "sub.txt").read_text(encoding="utf-8")
    deltas = [int(d) for d in re.findall(r" delta (\d+) lost", text)]
    (case,) = summarise(result).cases
    assert case.throughput and case.throughput.probe_one_way
    assert case.throughput.received == sum(deltas)
    assert case.throughput.lost == int(re.findall(r" total \d+ lost (\d+)", text)[-1])
    counts = [int(n) for n in re.findall(r"sublat .* cnt (\d+)", text)]
    assert case.throughput.probe_one_way.count == sum(counts)
    assert result.intervals(case.id, 0)["samples"].to_list() == deltas


@needs_network
@needs("sockperf", "sockperf")
def test_ping_pong_of_sockperf_and_its_log(tmp_path: Path) -> None:
    commands = """
    sockperf sr -i 127.0.0.1 -p 21111 > server.txt & other=$!
    sleep 1
    sockperf pp -i 127.0.0.1 -p 21111 -m 100 -t 1 --full-log log.csv > client.txt
    kill $other"""
    with script(commands, tmp_path):
        result = imported(tmp_path, "client.txt", "log.csv")
    text = (tmp_path / "client.txt").read_text(encoding="utf-8")
    (case,) = summarise(result).cases
    assert result.cases.height == 1, "text and log are of one run"
    assert (case.adapter, case.size, case.params.transport) == ("udp", 100, "udp")
    assert case.rtt_2
    observed = int(re.findall(r"Total (\d+) observations", text)[0])
    assert case.rtt_2.count == observed == result.samples(case.id, 0).height
    # sockperf cuts times to three decimals of a microsecond of RTT/2.
    for name, value in (("MIN", case.rtt_2.min_ns), ("MAX", case.rtt_2.max_ns)):
        printed = float(re.findall(rf"<{name}> observation =\s*([\d.]+)", text)[0])
        assert value == pytest.approx(printed * 1e3, abs=2)
    mean = float(re.findall(r"avg-latency=\s*([\d.]+)", text)[0])
    assert case.rtt_2.mean.value == pytest.approx(mean * 1e3, abs=2)
    lines = (tmp_path / "log.csv").read_text(encoding="utf-8").splitlines()
    halves = np.sort([float(line.split(",")[3]) for line in lines if re.match(r"\d+, ", line)])
    assert case.rtt_2.median.value == pytest.approx(halves[(halves.size - 1) // 2] * 1e3, abs=2)


@needs_network
@needs("sockperf", "sockperf")
def test_load_of_sockperf_with_whole_round_trips(tmp_path: Path) -> None:
    commands = """
    sockperf sr --tcp -i 127.0.0.1 -p 21112 > server.txt & other=$!
    sleep 1
    sockperf ul --tcp -i 127.0.0.1 -p 21112 -m 350 --mps 1000 --reply-every 10 -t 1 --full-rtt \\
      --full-log log.csv > client.txt
    kill $other"""
    with script(commands, tmp_path):
        result = imported(tmp_path, "client.txt", "log.csv")
    text = (tmp_path / "client.txt").read_text(encoding="utf-8")
    (case,) = summarise(result).cases
    assert (case.adapter, case.params.rate_hz, case.size) == ("tcp", 1000.0, 350)
    assert case.latency and case.latency.round_trip
    assert case.latency.arrivals == "paced"
    mean = float(re.findall(r"avg-rtt=\s*([\d.]+)", text)[0])
    assert case.latency.round_trip.mean.value == pytest.approx(mean * 1e3, abs=2)
