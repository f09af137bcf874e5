#!/usr/bin/env python3
"""What `busmark bus watch` costs: its own CPU time with many ends of tests on the screen.

The command itself runs on a terminal of its own. Its process on the bus is this script, which says
what 40 participants with 1,600 ends of tests would say: of every transceiver and of every three
receivers a message each second, each transceiver's with 250 round trips and its segments. What the
terminal is sent is read and thrown away.

    .venv/bin/python bench/watching.py
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

APPS, TESTS, READERS = 40, 10, 3
"""Participants; of each, transceivers, and tests with three receivers each."""
ENDS = APPS * TESTS * (1 + READERS)
TRIPS = 250
SHARES = (100.0, 99.9, 99.0, 90.0)
SEGMENTS = ("send_source", "send_arrival", "turn_round", "echo_arrival", "trip", "inter_arrival")


def message(app: int, **what: Any) -> dict[str, Any]:
    return {
        "busmark": 2,
        "app": app,
        "group": 1,
        "instance": 1000 + app,
        "seq": 1,
        "at_realtime_ns": time.time_ns(),
        **what,
    }


def text(said: dict[str, Any]) -> str:
    """Format a message as it is printed."""
    return json.dumps(said, separators=(",", ":"), sort_keys=True)


def definitions(app: int) -> list[dict[str, Any]]:
    one = {"state": "running", "size": 1000, "rate_hz": 2.0, "from": [1 + app % APPS]}
    return [
        {"test": test, "kind": kind, "count": count, **one}
        for test in range(TESTS)
        for kind, count in (("transceiver", 1), ("receiver", READERS))
    ]


def described(app: int) -> str:
    member = {
        "adapter": "cyclonedds",
        "middleware": "Eclipse Cyclone DDS",
        "transport": "udp",
        "domain": 0,
        "host": "h",
        "pid": app,
        "tests": definitions(app),
    }
    return text(message(app, news="answer", caller=1, id=1, ok=True, result=member))


def live(app: int, test: int, kind: str, source: random.Random) -> dict[str, Any]:
    event: dict[str, Any] = {"event": "interval", "begin_ns": 0, "end_ns": 10**9, "counts": []}
    if kind == "transceiver":
        best = {
            "count": TRIPS,
            "min_ns": 900,
            "mean_ns": 2100.5,
            "max_ns": 9000,
            "deviation_ns": 800.25,
        }
        event["counts"] = [{"role": 64 * app, "writer": 64 * app, "samples": 1000}]
        event["seen"] = [
            {
                "role": 64 * app,
                "asked": TRIPS,
                "unanswered": 0,
                "round_trips_ns": [int(source.lognormvariate(11, 0.4)) for _ in range(TRIPS)],
                "segments": {
                    segment: [{"percent": share, **best} for share in SHARES]
                    for segment in SEGMENTS
                },
            }
        ]
    else:
        event["counts"] = [
            {
                "role": 64 * app + 32 + reader,
                "writer": 64,
                "samples": source.randint(1, 3),
                "theoretical": 2,
                "missing": 0,
                "bytes": 2000,
            }
            for reader in range(READERS)
        ]
    return message(app, news="event", test=test, kind=kind, event=event)


def feed() -> None:
    """Print all messages, each second, until nobody listens any more."""
    source = random.Random(1)
    print(json.dumps({"caller": 1}), flush=True)
    apps = range(1, APPS + 1)
    # Made before: some variants of each, in which only the time is new.
    kinds = [
        (app, t, kind) for t in range(TESTS) for app in apps for kind in ("transceiver", "receiver")
    ]
    made = [[text(live(*one, source)) for _ in range(3)] for one in kinds]
    begin, turn = time.monotonic(), 0
    for app in apps:
        print(described(app))
    while True:
        for number, variants in enumerate(made):
            before, key, rest = variants[turn % 3].partition('"at_realtime_ns":')
            print(f"{before}{key}{time.time_ns()}{rest[rest.index(',') :]}", flush=True)
            time.sleep(max(0.0, begin + turn + number / len(made) - time.monotonic()))
        turn += 1


def cpu_s(pid: int) -> float:
    """Return the user and system time of a process and its threads, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drain(terminal: int, seconds: float) -> int:
    """Read the painted screen for this time and return the number of bytes."""
    end, read = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            read += len(os.read(terminal, 65536))
    return read


@dataclass
class Shown:
    """The command on its terminal, of which this is our end."""

    process: subprocess.Popen[bytes]
    terminal: int


@contextmanager
def on_a_terminal(domain: int, columns: int, lines: int, *, feeds: bool) -> Iterator[Shown]:
    """Run `busmark bus watch` on a terminal of its own: on this bus, or on the messages of `feed`.
    It ends with the block."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    if feeds:
        environment["BUSMARK_BUS"] = os.path.abspath(__file__)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "busmark",
            "bus",
            "watch",
            "--adapter",
            "cyclonedds",
            "--domain",
            str(domain),
        ],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    try:
        yield Shown(process, ours)
        os.write(ours, b"q")
        drain(ours, 3.0)
        process.wait(30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(ours)
        os.close(theirs)


def measure(columns: int, lines: int, keys: str, seconds: float, settle_s: float) -> str:
    """Measure one size of the terminal and return its line of the table."""
    with on_a_terminal(0, columns, lines, feeds=True) as shown:
        process, ours = shown.process, shown.terminal
        drain(ours, settle_s)
        os.write(ours, keys.encode())
        drain(ours, 3.0)
        before, begin = cpu_s(process.pid), time.monotonic()
        painted = drain(ours, seconds)
        used, took = cpu_s(process.pid) - before, time.monotonic() - begin
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            memory = next(int(line.split()[1]) // 1024 for line in file if "VmRSS" in line)
    order = "by median" if keys else "usual order"
    return (
        f"{columns}×{lines}, {order}: {100 * used / took:.1f} % of a core over {took:.0f} s, "
        f"{painted / took / 1000:.1f} kB/s painted, {memory} MiB"
    )


@click.command()
@click.option("--seconds", default=30.0, show_default=True)
@click.option("--settle", default=15.0, show_default=True)
def main(seconds: float, settle: float) -> None:
    """Print the CPU time of the watching process, at several sizes of the terminal."""
    click.echo(f"{ENDS} ends of tests, {2 * APPS * TESTS} messages/s")
    for columns, lines, keys in ((80, 24, ""), (80, 24, ">" * 11), (200, 50, "")):
        click.echo(measure(columns, lines, keys, seconds, settle))


if __name__ == "__main__":
    if sys.argv[1:2] == ["call"]:
        try:
            feed()
        except BrokenPipeError:
            os._exit(0)
    else:
        main()
