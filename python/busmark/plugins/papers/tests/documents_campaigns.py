"""Campaigns whose truth is planted, and adapters that can do everything, on paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.plan import expand
from busmark.scenario import Scenario, load
from busmark.store import Case

Planted = Callable[[dict[str, Any]], float | None]
"""Value of a case, by its parameters: half a round trip in ns, or Mbit/s; None: not measured."""

MOOD = (1.0, 1.3, 0.8, 1.1)
"""What each round does to all cases alike."""


def able(name: str) -> Adapter:
    """Return an adapter that can do all that the packs ask."""
    capabilities = {
        "transports": ["udp", "tcp", "shm", "multicast"], "waits": ["listener", "waitset"],
        "payloads": ["empty", "octet", "char", "short", "float", "long", "struct", "any"],
        "reach": ["process", "host", "network"], "max_body_bytes": 1 << 24,
        "qos": ["reliable", "best_effort", "keep_last", "keep_all", "lifespan",
                "transport_priority"],
        "options": [{"key": "multicast", "value": "auto", "doc": ""}],
        "features": ["matched"],
    }  # fmt: skip
    return Adapter(name, Path(name), capabilities, None)


def planned(name: str) -> tuple[Scenario, list[Case]]:
    """Return a shipped scenario, and its cases for adapters that can do everything."""
    scenario, _ = load(Path(name))
    return scenario, expand(scenario, {adapter: able(adapter) for adapter in scenario.adapters})


def case(
    identifier: str, params: dict[str, Any], values: Sequence[float | None], status: str = "ok"
) -> CaseSummary:
    """Return a case with these values, one for each round; None: the round failed."""
    latency = params["test"] == "latency"
    attempts = [
        dict(
            round=number,
            attempt=0,
            status="failed" if value is None else "ok",
            times=times(value if latency else None),
            mbit_per_s=None if latency else value,
            expected=1000,
            received=1000,
            **dict.fromkeys(ABSENT),
        )
        for number, value in enumerate(values)
    ]
    return CaseSummary.model_validate(
        dict(
            id=identifier,
            test=params["test"],
            adapter=params["adapter"],
            label=params["adapter"],
            placement="free",
            size=params["size"],
            workload={},
            choices={},
            params=params,
            is_floor=False,
            status=status,
            reason=None if status == "ok" else "no such library",
            rounds={"ok": len(values), "marked": 0, "failed": 0},
            attempts=attempts,
        )
    )


def times(median_ns: float | None) -> dict[str, Any] | None:
    """Return latencies of a round with this median; None: nothing is timed."""
    if median_ns is None:
        return None
    return {"quantity": "half_round_trip", "median_ns": median_ns, "p99_ns": None}


ABSENT = (
    "reason",
    "started_utc",
    "ended",
    "warmup_s",
    "measured_s",
    "samples",
    "lost",
    "corrupted",
    "discovery_s",
    "discovery_resolution_s",
    "samples_per_s",
    "cpu_busy",
)


def campaign(cases: Sequence[CaseSummary], document: str | None = None) -> Campaign:
    return Campaign(
        name="planted",
        question=None,
        keys={"document": document} if document else {},
        answers=[],
        differing_choices=[],
        created_utc="2025-01-01T12:00:00Z",
        finished_utc="2025-01-01T12:10:00Z",
        busmark_version="0.1.0",
        command="busmark run x",
        seed=1,
        scenario_text="",
        criterion={},
        confidence=0.95,
        hosts={"": {"cpu_model": "Example CPU", "cpus_online": 2}},
        adapters={},
        resumptions=[],
        missing_adapters={},
        findings=[],
        problems=[],
        labels=[],
        groups=[],
        interop=[],
        cases=list(cases),
    )


STEADY = (1.0, 1.0, 1.0)
"""Rounds that are all alike."""


def planted(name: str, truth: Planted, moods: Sequence[float] = MOOD) -> Campaign:
    """Return a campaign of a shipped scenario in which every case has its true value, up to the
    mood of each round."""
    scenario, cases = planned(name)
    found = []
    for each in cases:
        value = truth(each.params.declared())
        status = "failed" if value is None else "ok"
        values = [] if value is None else [value * mood for mood in moods]
        found.append(case(each.id, each.params.declared(), values, status))
    return campaign(found, scenario.of_plugin("document") or None)


Figures = Callable[[dict[str, Any], int], dict[str, Any] | None]
"""Figures of one round of a case, by its parameters and the round: fields of `RoundSummary`, and
`median_ns`; None: the round failed."""


def text(name: str, figures: Figures, rounds: int = 4) -> Campaign:
    """Return a campaign of a shipped scenario with everything stated about its rounds."""
    scenario, cases = planned(name)
    found = []
    for each in cases:
        whole = case(each.id, each.params.declared(), [1.0] * rounds)
        attempts, latencies = [], {}
        for attempt in whole.model_dump()["attempts"]:
            known = figures(each.params.declared(), attempt["round"])
            median = None if known is None else known.pop("median_ns", None)
            if known and (latency_of_round := known.pop("latency", None)):
                latencies[attempt["round"]] = latency_of_round
            changes = {"status": "failed"} if known is None else {"times": times(median), **known}
            attempts.append({**attempt, **changes})
        plugins = {"papers": {"latencies": latencies}}
        changed = {**whole.model_dump(), "attempts": attempts, "plugins": plugins}
        found.append(CaseSummary.model_validate(changed))
    return campaign(found, scenario.of_plugin("document") or None)


def latency(mean: float, **figures: float) -> dict[str, Any]:
    """Return a round's latencies in ns: the mean, unless named; the deviation is a tenth of it."""
    known: dict[str, Any] = {
        "count": 1000,
        "mean_ns": mean,
        "std_ns": 0.1 * mean,
        "min_ns": mean,
        "max_ns": mean,
        "p2_ns": mean,
        "median_ns": mean,
        "p98_ns": mean,
    }
    return known | figures
