"""The other side as a program of its own: sockperf, ddsperf, iperf3. On loopback only."""

from __future__ import annotations

import json
import math
import re
import shutil
import socket
import subprocess
from pathlib import Path

from processes import PATIENCE_S, free_port, run, server
from task import (
    HEADER_BYTES,
    LENGTH_BYTES,
    MAIN,
    STREAM_FRAME_BYTES,
    MeasurementError,
    Task,
    Values,
)

PACKAGES = {"sockperf": "sockperf", "ddsperf": "cyclonedds-tools", "iperf3": "iperf3"}
"""Debian package of each peer."""
DDS_DOMAIN = "72"
CYCLONEDDS_URI = (
    '<CycloneDDS><Domain Id="any"><General><Interfaces>'
    '<NetworkInterface name="lo" address="127.0.0.1"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery>"
    "<ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>119</MaxAutoParticipantIndex>"
    '<Peers><Peer Address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)
"""What Busmark's adapter sets for a loopback interface."""
DDSPERF_SECONDS = 2
"""It reports once a second; the first report may cover its start."""
US = 1e3


class Peers:
    """Runs peers. They measure whole seconds."""

    def __init__(self, seconds: float, folder: Path) -> None:
        self._seconds = max(1, math.ceil(seconds))
        self._folder = folder

    def unavailable(self, peer: str) -> str | None:
        """Return the reason why it cannot be measured here; None if it can."""
        return None if shutil.which(peer) else f"not here: apt-get install {PACKAGES[peer]}"

    def measure(self, peer: str, task: Task) -> Values:
        """Run both ends once and return the values."""
        return {"sockperf": self._sockperf, "ddsperf": self._ddsperf, "iperf3": self._iperf3}[peer](
            task
        )

    def _sockperf(self, task: Task) -> Values:
        kind = socket.SOCK_STREAM if task.adapter == "tcp" else socket.SOCK_DGRAM
        port = free_port(kind)
        options = [
            "-i",
            "127.0.0.1",
            "-p",
            str(port),
            *(["--tcp"] if task.adapter == "tcp" else []),
        ]
        size = str(task.size + HEADER_BYTES)
        with server(["sockperf", "sr", *options], task.cpus[0], self._folder) as other:
            other.bound(port, kind)
            client = ["sockperf", "pp", *options, "-m", size, "-t", str(self._seconds)]
            return parse_sockperf(
                run([*client, "--full-rtt"], task.cpus[1], self._seconds + PATIENCE_S)
            )

    def _ddsperf(self, task: Task) -> Values:
        latency = task.test == "latency"
        passive, active = ("pong", "ping") if latency else ("sub", "pub")
        size = str(task.size + HEADER_BYTES + LENGTH_BYTES)
        base, env = ["ddsperf", "-i", DDS_DOMAIN], {"CYCLONEDDS_URI": CYCLONEDDS_URI}
        with server([*base, passive], task.cpus[0], self._folder, env) as other:
            length = ["-D", str(DDSPERF_SECONDS), "-Qminmatch:1", f"-Qinitwait:{PATIENCE_S:.0f}"]
            limit_s = DDSPERF_SECONDS + 2 * PATIENCE_S
            printed = run([*base, *length, active, "size", size], task.cpus[1], limit_s, env)
            return parse_ddsperf_ping(printed) if latency else parse_ddsperf_sub(other.output())

    def _iperf3(self, task: Task) -> Values:
        port = free_port(socket.SOCK_STREAM)
        options = ["-p", str(port)]
        block = str(stream_bytes(task))
        with server(
            ["iperf3", "-s", "-1", "-B", "127.0.0.1", *options], task.cpus[0], self._folder
        ) as other:
            other.bound(port, socket.SOCK_STREAM)
            client = ["iperf3", "-c", "127.0.0.1", *options, "-l", block]
            printed = run(
                [*client, "-t", str(self._seconds), "-J"], task.cpus[1], self._seconds + PATIENCE_S
            )
        # In samples: what goes into the stream for one of ours.
        return {MAIN: parse_iperf3(printed) / 8 / stream_bytes(task)}


def stream_bytes(task: Task) -> int:
    """Return the bytes that one sample of ours takes in a byte stream."""
    return task.size + HEADER_BYTES + STREAM_FRAME_BYTES


def parse_sockperf(text: str) -> Values:
    """Return the median round trip of `sockperf pp --full-rtt`, in ns."""
    found = re.search(r"percentile 50\.000 =\s*([\d.]+)", text)
    if not found or "Round trip is" not in text:
        raise MeasurementError("sockperf: no round trip in its output")
    return {MAIN: float(found[1]) * US}


def parse_ddsperf_ping(text: str) -> Values:
    """Return the median round trip of the last second, in ns. ddsperf prints half of it."""
    found = re.findall(r" size \d+ mean .* 50% ([\d.]+)us ", text)
    if not found:
        raise MeasurementError("ddsperf: no round trip in its output")
    return {MAIN: 2 * float(found[-1]) * US}


def parse_ddsperf_sub(text: str) -> Values:
    """Return the samples per second at the reader, in the last whole second, and the losses."""
    found = re.findall(r" size \d+ total .* lost (\d+) rate ([\d.]+) kS/s", text)
    if not found:
        raise MeasurementError("ddsperf: no rate in its output")
    lost, rate = found[-1]
    return {MAIN: float(rate) * 1e3, "lost": float(lost)}


def parse_iperf3(text: str) -> float:
    """Return the bits per second at the receiver."""
    try:
        return float(json.loads(text)["end"]["sum_received"]["bits_per_second"])
    except (ValueError, KeyError):
        raise MeasurementError("iperf3: no rate in its output") from None


def versions() -> dict[str, str | None]:
    """Return the version of each peer, as the package system knows it; None: it is not here."""
    return {peer: _version(peer) for peer in PACKAGES}


def _version(peer: str) -> str | None:
    if not shutil.which(peer):
        return None
    query = ["dpkg-query", "-W", "-f", "${Package} ${Version}", PACKAGES[peer]]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "of unknown version"
    return done.stdout.strip() or "of unknown version"
