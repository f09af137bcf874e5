"""What each participant of a case does: the `setup` of its worker."""

from __future__ import annotations

from typing import Any

from busmark.scenario.model import Run

SECOND = 1_000_000_000
PROBE_ROWS = 200_000

PINGER, PONGER, TRANSMITTER, RECEIVER = 1, 2, 1, 2
"""Identifiers of the writers."""


def qos_settings(qos: dict[str, Any]) -> dict[str, Any]:
    """QoS of a case as the worker reads it."""
    settings: dict[str, Any] = {}
    flags = {
        "reliability": ("reliable", "reliable"),
        "history": ("keep_all", "keep_all"),
        "durability": ("transient_local", "transient_local"),
    }
    for name, (key, true_value) in flags.items():
        if name in qos:
            settings[key] = qos[name] == true_value
    if qos.get("history") == "keep_last":
        settings["depth"] = int(qos.get("depth", 1))
    for name, value in qos.items():
        if name.endswith("_s"):
            settings[name.removesuffix("_s") + "_ns"] = round(value * SECOND)
        elif name in ("transport_priority", "partition", "ownership_strength", "max_samples"):
            settings[name] = value
    if qos.get("destination_order") == "source":
        settings["order_by_source"] = True
    return settings


def stream(params: dict[str, Any]) -> dict[str, Any]:
    """What all endpoints of the case have in common."""
    return {
        "payload": params["payload"],
        "size": params["size"],
        "wait": params["wait"],
        "qos": qos_settings(params["qos"]),
        "verify": params["verify"],
    }


def schedule(params: dict[str, Any], seed: int) -> dict[str, Any]:
    """When samples are sent, and how many."""
    rate = params["rate_hz"] or 0.0
    capacity = params["max_samples"]
    if rate and params["test"] == "latency":
        capacity = min(capacity, int(rate * params["duration_s"] * 1.1) + 100)
    if params["test"] == "throughput":
        capacity = min(capacity, PROBE_ROWS)
    return {
        "arrivals": params["arrivals"],
        "rate_hz": rate,
        "seed": seed,
        "warmup_ns": round(params["warmup_s"] * SECOND),
        "duration_ns": round(params["duration_s"] * SECOND),
        "samples": params["samples"],
        "capacity": capacity,
        "timeout_ns": round(params["timeout_s"] * SECOND),
    }


def roles(params: dict[str, Any], seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Roles of the passive and of the active participant."""
    common = {"stream": stream(params)}
    if params["test"] == "latency":
        topics = {"ping": "busmark_ping", "pong": "busmark_pong"}
        ponger = {"role": "ponger", "writer": PONGER, **topics, **common}
        pinger = {"role": "pinger", "writer": PINGER, **topics, **common,
                  "schedule": schedule(params, seed)}  # fmt: skip
        return [ponger], [pinger]
    topics = {"topic": "busmark_stream", "echo": "busmark_echo"}
    interval_ns = round(params["interval_s"] * SECOND)
    shared = {**topics, **common, "probe_every": params["probe_every"], "interval_ns": interval_ns}
    timing = schedule(params, seed)
    receiver = {
        "role": "receiver", "writer": RECEIVER, "from": [TRANSMITTER], **shared,
        "capacity": timing["capacity"],
        "intervals": 2 * (timing["duration_ns"] // interval_ns) + 100,
    }  # fmt: skip
    transmitter = {"role": "transmitter", "writer": TRANSMITTER, **shared, "schedule": timing}
    return [receiver], [transmitter]


def participant_config(params: dict[str, Any], run: Run, run_dir: str) -> dict[str, Any]:
    """How a participant attaches to the middleware."""
    return {
        "domain": run.domain,
        "interface_name": run.interface,
        "interface_address": run.address,
        "transport": params["transport"],
        "profile": params["profile"],
        "run_dir": run_dir,
        "settings": sorted(params["settings"].items()),
    }
