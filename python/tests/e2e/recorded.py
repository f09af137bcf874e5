"""Rounds as they would have been recorded: what workers and the kernel report, made to order.

A campaign runs them as any others: its tables, its store and its findings are the real ones; only
the processes are missing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from planted import params

from busmark.control.campaign import Campaign
from busmark.control.events import Listener
from busmark.control.round import RoundData, RoundRunner
from busmark.control.worker import Frame
from busmark.scenario import Scenario
from busmark.store import Case, Manifest, Result
from busmark.store.writer import ResultWriter

PERIOD_NS = 1_000_000
"""Between two pings."""
ABSENT = ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "delivered_ns", "source_ns",
          "reception_ns", "answers")  # fmt: skip


@dataclass
class Round:
    """One round of pings: its round trips in order of time, and what the kernel counted."""

    round_trips_ns: Sequence[float]
    counters: dict[str, Any] = field(default_factory=dict)
    """As `busmark.control.snapshots.change` gives them."""
    system: list[dict[str, Any]] = field(default_factory=list)
    """As `busmark.host.readings.changes` gives them."""
    changed: str | None = None
    """As `busmark.control.snapshots.changed` gives it."""
    clocks: dict[str, int | str | None] = field(default_factory=dict)
    """As `busmark.control.snapshots.offsets` gives them."""

    def data(self) -> RoundData:
        """What a round yields."""
        number = len(self.round_trips_ns)
        sent = np.arange(1, number + 1, dtype=np.int64) * PERIOD_NS
        stamps = {
            "writer": [1] * number, "seq": range(number), "flags": [0] * number,
            "intended_ns": sent, "sent_ns": sent, "written_ns": sent + 500,
            "read_ns": sent + np.asarray(self.round_trips_ns).astype(np.int64),
        }  # fmt: skip
        frame = pl.DataFrame({**stamps, **{name: [None] * number for name in ABSENT}})
        stream = io.BytesIO()
        frame.write_ipc_stream(stream)
        run = {"role": "pinger", "writer": 1, "sent": number, "begin_ns": 0,
               "end_ns": number * PERIOD_NS, "warmup_ns": 0, "ended": "duration"}  # fmt: skip
        role = {"role": "pinger", "writer": 1, "rows": number, "foreign": 0, "corrupted": None,
                "accounts": [{"received": number, "duplicated": 0, "out_of_order": 0}],
                "intervals": []}  # fmt: skip
        return RoundData(
            run=[run],
            roles=[role],
            frames=[Frame("pinger", 1, stream.getvalue())],
            counters=self.counters,
            system=[{**row, "node": None, "clock": ""} for row in self.system],
            cpus="0;0",
            changed=self.changed,
            clocks=self.clocks,
        )


class Runner:
    """Stands for `RoundRunner`."""

    def __init__(self, outcome: Callable[[Case, Case | None], Round]) -> None:
        self._outcome = outcome
        self._before: Case | None = None
        self.sights = None
        self.commands = None

    async def run(self, case: Case, cookie: int, seed: int, stem: str) -> RoundData:
        data = self._outcome(case, self._before).data()
        self._before = case
        return data


def campaign(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    outcome: Callable[[Case, Case | None], Round],
    *,
    adapters: Sequence[str] = ("tcp",),
    rounds: int = 3,
    listeners: Sequence[Listener] = (),
) -> Result:
    """Runs a case for each adapter; `outcome` gives the round of a case, after another case's."""
    cases = [
        Case(id=f"{n:03d}-{name}", params=params(name), status="planned")
        for n, name in enumerate(adapters)
    ]
    manifest = Manifest(
        busmark_version="", created_utc="", command="", seed=1, cookie="ff", scenario={},
        scenario_text="", hosts={}, adapters={}, cases=cases,
    )  # fmt: skip
    asked = Scenario.model_validate({
        "name": "recorded", "matrix": {"adapter": list(adapters)},
        "rounds": {"min": rounds, "max": rounds}, "criteria": {"min_samples": 1},
    })  # fmt: skip
    runner = cast("RoundRunner", Runner(outcome))
    monkeypatch.setattr("busmark.control.campaign.RoundRunner", lambda *_, **__: runner)
    # Recorded rounds take no time, and looking for findings may take a share of it only.
    monkeypatch.setattr("busmark.control.noticing.GRACE_S", float("inf"))
    conducted = Campaign(asked, {}, ResultWriter.create(directory, manifest), listeners)
    assert conducted.run()
    return conducted.finish(complete=True)
