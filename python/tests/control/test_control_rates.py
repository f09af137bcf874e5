"""A round whose writers did not reach the rate, or whose load was not there, says so.

`golden/shortfalls.txt` has what each of these rounds says, reviewed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from control_fakes import PARAMS
from seams import reviewed

from busmark.control import answered_per_s, tables
from busmark.scenario import Scenario
from busmark.store import Case

CPU = {"load": "cpu 50%", "rate_hz": None}
LOADS = {"load": "cpu 50% + net 5mbit + disk max", "rate_hz": None}
THERE = {"load_cpu_achieved": 0.5, "load_net_achieved": 4.9e6, "load_disk_achieved": 1.0}
ROUNDS: dict[str, dict[str, Any]] = {
    "half of the rate": {"sent": 500},
    "nearly all of the rate": {"sent": 999},
    "all writers together have the rate": {"sent": 4900, "senders": 5},
    "one of five writers has the rate": {"sent": 1000, "senders": 5},
    "given up, for it was late": {"sent": 950, "ended": "late"},
    "by chance": {"sent": 800, "arrivals": "poisson"},
    "for ten seconds not by chance": {"sent": 8400, "measured_s": 10.0, "arrivals": "poisson"},
    "no rate was asked for": {"sent": 500, "rate_hz": None},
    "as fast as it goes": {"sent": 500, "rate_hz": 0.0},
    "an overload is what is tested": {"sent": 500, "criteria": {"min_rate": 0}},
    "one sample of a rate takes its gap": {"sent": 1, "measured_s": 3e-8, "rate_hz": 0.5},
    "two samples of a rate take two gaps": {"sent": 2, "measured_s": 0.5, "rate_hz": 2.0},
    "a closed loop takes the time that it had":
        {"sent": 1, "measured_s": 3e-8, "rate_hz": None, "arrivals": "closed"},
    "the load was there": {**CPU, **THERE},
    "nearly all of the load was there": {**CPU, "load_cpu_achieved": 0.46},
    "most of the load was there": {**CPU, "load_cpu_achieved": 0.4},
    "the load is not known": CPU,
    "the load is not asked for": {**CPU, "criteria": {"min_load": 0}},
    "all loads were there": {**LOADS, **THERE},
    "two loads were not there": {
        **LOADS, **THERE, "load_cpu_achieved": 0.25, "load_net_achieved": 1e6},
}  # fmt: skip


def judged(
    sent: int = 1000, measured_s: float = 1.0, *, ended: str = "duration", senders: int = 1,
    criteria: dict[str, Any] | None = None, **more: Any,
) -> str:  # fmt: skip
    loads = {name: more.pop(name) for name in [*more] if name.endswith("_achieved")}
    asked = {"rate_hz": 1000.0, "arrivals": "constant", **more}
    case = Case(id="000-x", params=PARAMS.model_copy(update=asked), status="planned")
    figures = {"samples": sent, "received": sent, "expected": sent, "lost": 0, "sent": sent,
               "measured_s": measured_s, "senders": senders, "ended": ended, **loads}  # fmt: skip
    asked_of = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "x"}, "criteria": criteria or {}}
    )
    return tables.shortfall(figures, case, asked_of.criteria) or "enough"


def test_what_was_not_reached_is_reported_with_what_was_asked() -> None:
    found = "".join(f"{name}: {judged(**round_)}\n" for name, round_ in ROUNDS.items())
    reviewed(Path(__file__).parent / "golden" / "shortfalls.txt", found)


def test_responses_are_counted_by_each_clients_own_time_without_the_warm_up() -> None:
    # Two clients whose clocks have nothing to do with each other: 10 and 5 responses in a second.
    times = [0, 10**8, 2 * 10**8, 3 * 10**8, 10**12, 10**12 + 2 * 10**8, 10**12 + 4 * 10**8]
    rows = [{"role": "client", "writer": 1 + (at >= 10**12), "read_ns": at, "flags": 0}
            for at in times]  # fmt: skip
    rows += [{"role": "client", "writer": 1, "read_ns": -(10**9), "flags": 1},
             {"role": "client", "writer": 2, "read_ns": None, "flags": 0}]  # fmt: skip
    assert answered_per_s(pl.DataFrame(rows)) == pytest.approx(15.0)
    assert answered_per_s(pl.DataFrame(rows[:1])) is None
