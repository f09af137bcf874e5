"""Nothing that a worker sends is too long: counters come in frames, and a reply that is longer than
a line may be behind a head that tells its length."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from busmark.adapters import libraries, resolve
from busmark.control import round as rounds
from busmark.control import tables
from busmark.control.places import Places
from busmark.control.worker import LINE_LIMIT, Worker
from busmark.plan import expand
from busmark.scenario import parse

SCENARIO = """
name = "long"
[matrix]
adapter = "tcp"
test = "throughput"
size = 8
rate_hz = 100
topics = 8
writers = 4
readers = 4
[measure]
duration_s = 3
warmup_s = 0.0
interval_s = 0.001
[run]
hang_s = 120
"""
ENDS = 4 * 8 * 2


class Noting(Worker):
    """A real worker, whose lines are noted."""

    longest = 0

    async def _line(self) -> bytes:
        line = await super()._line()
        Noting.longest = max(Noting.longest, len(line))
        return line


def test_counters_of_many_intervals_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "tcp" not in libraries():
        pytest.skip("needs the worker: make build")
    monkeypatch.setattr(rounds, "Worker", Noting)
    scenario = parse(SCENARIO, "long.toml", [])
    adapters = resolve(scenario.adapters)
    case = expand(scenario, adapters)[0]
    places = Places(scenario, lambda *_, **__: None, adapters)
    runner = rounds.RoundRunner(scenario, adapters, places, tmp_path, tmp_path)
    data = asyncio.run(runner.run(case, 255, 1, "x.r000"))
    counted = tables.intervals(case, 0, data)
    received = sum(a["received"] for role in data.roles for a in role["accounts"])
    arrived = counted.filter(pl.col("role") == "receiver")["samples"].sum()
    assert received and arrived == received
    # As text the counters would be a line of megabytes; no line grows with their number.
    assert counted.height > 100_000
    assert 0 < Noting.longest < 2000 * ENDS


def test_a_reply_longer_than_a_line_comes_behind_a_head(tmp_path: Path) -> None:
    async def ask() -> Any:
        output = asyncio.StreamReader(limit=LINE_LIMIT)
        process: Any = SimpleNamespace(
            stdin=SimpleNamespace(write=lambda _: None, drain=_at_once), stdout=output,
            pid=1 << 30, returncode=0,
        )  # fmt: skip
        worker = Worker("active", process, tmp_path / "w.log")
        worker.listen()
        long = json.dumps({"id": 1, "ok": True, "result": "x" * (LINE_LIMIT + 1)}).encode()
        head = json.dumps({"frame": "reply", "bytes": len(long)}).encode()
        output.feed_data(head + b"\n" + long + b"\n")
        try:
            return await worker.call(60.0, "start")
        finally:
            output.feed_eof()

    assert asyncio.run(ask()) == "x" * (LINE_LIMIT + 1)


async def _at_once() -> None:
    return None
