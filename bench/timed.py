"""What it costs a reader that it times every sample of a stream at a rate: rounds in which it does
and rounds in which it does not, in turn, in random order.

Run by hand on a quiet machine: `python bench/timed.py [--rounds N] [ADAPTER ...]`. For each adapter
it prints the CPU time of the reader's process per sample on either side, the median over rounds,
and the ratio with its 95 % interval (bootstrap over rounds). Nothing else differs: the schedule of
records is put out of action in the controller.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import busmark.control.round as controller
from busmark.adapters import resolve
from busmark.control.around import Snapshot, take
from busmark.control.places import ParticipantPlace
from busmark.control.round import RoundRunner
from busmark.control.worker import Worker
from busmark.plan import expand
from busmark.plan.counts import record_every
from busmark.scenario import Scenario
from ours import DOMAIN, Ours

RATE_HZ = 20_000
SECONDS = 1.0
NEVER = 1_000_000_000
CPUCLOCK_SCHED = 2
RESAMPLES = 10_000
ADAPTERS = ("tcp", "udp", "cyclonedds", "fastdds")


def none_recorded(*arguments: Any) -> int | None:
    """Return a spacing of rows beyond the samples that are written, so that none is recorded."""
    return NEVER if record_every(*arguments) else None


def _ran_ns(pid: int) -> int:
    """Return the time on a CPU of all threads of a process, also of ended ones, in ns.

    The number of its clock is made as by clock_getcpuclockid(3) in glibc.
    """
    return time.clock_gettime_ns((~pid << 3) | CPUCLOCK_SCHED)


def scenario(adapter: str) -> Scenario:
    """Return a scenario: a stream at a rate, one writer and one reader on CPUs of their own."""
    return Scenario.model_validate({
        "name": "timed",
        "measure": {"duration_s": SECONDS, "warmup_s": 0.1, "probe_every": 0},
        "matrix": {"adapter": adapter, "test": "throughput", "rate_hz": RATE_HZ, "size": 64,
                   "placement": "different"},
        "run": {"domain": DOMAIN, "hang_s": 10},
        "criteria": {"min_rate": 0, "min_samples": 1},
    })  # fmt: skip


def measured(ours: Ours, adapter: str, timed: bool) -> tuple[float, int]:
    """Measure the CPU time of the reader per sample, ns, and the bytes of the rows of samples."""
    asked = scenario(adapter)
    case = expand(asked, ours.adapters)[0]
    ran: list[int] = []

    def watched(places: Sequence[ParticipantPlace], workers: Sequence[Worker]) -> Snapshot:
        """Take a snapshot, and read the reader's clock before it converts its rows to send them
        away, which is no part of the measurement."""
        ran.append(next(_ran_ns(worker.pid) for worker in workers if worker.name == "passive"))
        return take(places, workers)

    every = record_every if timed else none_recorded
    with patch.multiple(controller, record_every=every, take=watched):
        _, data = ours.round(asked, case, RoundRunner)
    received = sum(
        int(counted["samples"].sum())
        for role in data.roles
        if role["role"] == "receiver"
        for counted in role["intervals"]
    )
    return (ran[-1] - ran[0]) / max(received, 1), sum(len(frame.data) for frame in data.frames)


def main() -> None:
    """Print a line per adapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapters", nargs="*", default=ADAPTERS)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    chance = np.random.default_rng(1)
    for adapter in asked.adapters:
        with tempfile.TemporaryDirectory(prefix="busmark-timed-") as folder:
            ours = Ours(SECONDS, 0.1, Path(folder))
            ours.adapters.update(resolve([adapter]))
            sides: dict[bool, list[float]] = {True: [], False: []}
            rows = {True: 0, False: 0}
            for _ in range(asked.rounds):
                for timed in random.sample([True, False], 2):
                    cost, rows[timed] = measured(ours, adapter, timed)
                    sides[timed].append(cost)
            ours.close()
        on, off = (np.array(sides[timed]) for timed in (True, False))
        ratios = np.median(chance.choice(on, (RESAMPLES, on.size)), axis=1) / np.median(
            chance.choice(off, (RESAMPLES, off.size)), axis=1
        )
        low, high = np.quantile(ratios, (0.025, 0.975))
        timed_ns, plain_ns = statistics.median(on), statistics.median(off)
        print(
            f"{adapter}: {timed_ns:.0f} ns per sample with every sample timed ({rows[True]:,} B of "
            f"rows), {plain_ns:.0f} without ({rows[False]:,} B): ratio {timed_ns / plain_ns:.3f} "
            f"[{low:.3f}, {high:.3f}]"
        )


if __name__ == "__main__":
    main()
