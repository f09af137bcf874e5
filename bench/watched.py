#!/usr/bin/env python3
"""What watching costs those who are watched: round trips with and without `busmark bus watch`.

Two participants of one bus, each on half of the CPUs, run a transceiver and its transponder again
and again. A round has one measurement in each state, in random order: nobody watches; `busmark
watch` is on the bus; a second one beside it shows 1,600 ends of tests, whose messages come from
`watching.py`. A ratio compares two measurements of one round; its 95 % interval is over rounds.

    .venv/bin/python bench/watched.py
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import click

from busmark.stats import describe, paired_ratio
from watching import Shown, drain, on_a_terminal

ADAPTER = "cyclonedds"
STATES = ("nobody", "watch", "watch of 1,600 ends")
SETTLE_S = 6.0
"""A screen is there, and has what was said before, after this time."""
BUSMARK = (sys.executable, "-m", "busmark")
HALVES = (range(os.cpu_count() or 1)[::2], range(os.cpu_count() or 1)[1::2])


def call(domain: int, command: str, *words: object) -> list[dict[str, object]]:
    """Give an order on the bus and return the messages that answer it."""
    attached = ("--adapter", ADAPTER, "--domain", str(domain))
    text = subprocess.run(
        [*BUSMARK, "bus", command, *attached, *map(str, words), "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in text.stdout.splitlines()]


@contextmanager
def participant(domain: int, app: int, cpus: range) -> Iterator[None]:
    """Run an application on the bus, on these CPUs only, until the block ends."""
    words = ("bus", "participant", "--adapter", ADAPTER, "--domain", str(domain), "--app", str(app))
    process = subprocess.Popen(
        [*BUSMARK, *words],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus or range(1)),
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


@contextmanager
def watched(domain: int, state: str) -> Iterator[None]:
    """Watch the bus during the block, or leave it unwatched, as the state says."""
    with ExitStack() as stack:
        shown = []
        if state != "nobody":
            shown.append(stack.enter_context(on_a_terminal(domain, 120, 40, feeds=False)))
        if state == "watch of 1,600 ends":
            shown.append(stack.enter_context(on_a_terminal(domain, 120, 40, feeds=True)))
        for one in shown:
            # What nobody reads would hold the screen up.
            threading.Thread(target=read_all, args=(one,), daemon=True).start()
        time.sleep(SETTLE_S)
        yield


def read_all(shown: Shown) -> None:
    """Read the painted screen until the process has ended."""
    with suppress(OSError, ValueError):
        while shown.process.poll() is None:
            drain(shown.terminal, 1.0)


def median_us(domain: int, rate_hz: float, seconds: float) -> float:
    """Measure the median of the round trips in live figures, some 250 in each second, in µs."""
    said = call(
        domain,
        "start",
        "transceiver",
        "--app",
        3,
        "--test",
        7,
        "--from",
        4,
        "--rate",
        rate_hz,
        "--duration",
        seconds,
        "--follow",
    )
    events = [message["event"] for message in said if message.get("news") == "event"]
    trips = [
        trip
        for event in events
        if isinstance(event, dict)
        for seen in event.get("seen", ())
        for trip in seen["round_trips_ns"]
    ]
    return float(describe(trips).median) / 1e3


@click.command()
@click.option("--rounds", default=20, show_default=True)
@click.option("--rate", "rate_hz", default=1000.0, show_default=True)
@click.option("--seconds", default=4.0, show_default=True, help="Length of a measurement.")
@click.option("--domain", default=141, show_default=True)
def main(rounds: int, rate_hz: float, seconds: float, domain: int) -> None:
    """Print the ratios of medians, watched over not watched."""
    source = random.Random(1)
    found: dict[str, list[float]] = {state: [] for state in STATES}
    with ExitStack() as stack:
        for app, cpus in zip((3, 4), HALVES, strict=True):
            stack.enter_context(participant(domain, app, cpus))
        call(domain, "start", "transponder", "--app", 4, "--test", 7)
        for _ in range(rounds):
            for state in source.sample(STATES, len(STATES)):
                with watched(domain, state):
                    found[state].append(median_us(domain, rate_hz, seconds))
    for state, values in found.items():
        ratio = paired_ratio(values, found["nobody"])
        interval = "" if ratio.low is None else f" [{ratio.low:.3f}, {ratio.high:.3f}]"
        click.echo(
            f"{state}: median {describe(values).median:.1f} µs, ratio to nobody "
            f"{ratio.value:.3f}{interval}, {rounds} rounds"
        )


if __name__ == "__main__":
    main()
