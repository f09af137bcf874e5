"""What each participant of a case does: the `setup` of its worker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from busmark.control.places import Place
from busmark.plan import largest_size
from busmark.scenario import ELEMENT_BYTES
from busmark.scenario.model import Run
from busmark.scenario.sizes import parse_sizes

SECOND = 1_000_000_000
PROBE_ROWS = 200_000


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


def stream(params: dict[str, Any], seed: int, *, peer: bool = False) -> dict[str, Any]:
    """What all endpoints of one side have in common."""
    element = ELEMENT_BYTES[params["payload"]]
    sizes = []
    if params["size_distribution"]:
        sizes = parse_sizes(params["size_distribution"]).sequence(element, seed)
    return {
        "payload": params["payload"],
        "size": largest_size(params),
        "sizes": sizes,
        "body_file": params["body_file"],
        "wait": params["peer_wait"] if peer and params["peer"] else params["wait"],
        "qos": qos_settings(params["qos"]),
        "verify": params["verify"],
        "instances": params["instances"] or 0,
        "filter_below": params["filter_below"] or 0,
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


@dataclass(frozen=True)
class Roles:
    """What each side of a case does."""

    passive: list[dict[str, Any]]
    active: list[dict[str, Any]]

    @property
    def readers_of(self) -> dict[int, int]:
        """How many readers expect the samples of each active writer."""
        counts = dict.fromkeys((role["writer"] for role in self.active), 0)
        for role in self.passive:
            for writer in role.get("from", ()):
                counts[writer] += 1
        return counts


def roles(params: dict[str, Any], seed: int) -> Roles:
    """Roles of the passive and of the active participant, topic by topic."""
    make = _latency if params["test"] == "latency" else _throughput
    numbers = itertools.count(1)
    sides = Roles([], [])
    for index in range(params["topics"]):
        suffix = f"_{index}" if params["topics"] > 1 else ""
        make(params, seed, suffix, numbers, sides)
    return sides


def _latency(params: dict[str, Any], seed: int, suffix: str, numbers: Iterator[int],
             sides: Roles) -> None:  # fmt: skip
    topics = {"ping": f"busmark_ping{suffix}", "pong": f"busmark_pong{suffix}"}
    sides.active.append({
        "role": "pinger", "writer": next(numbers), **topics,
        "stream": stream(params, seed), "schedule": schedule(params, seed),
    })  # fmt: skip
    sides.passive.append({
        "role": "ponger", "writer": next(numbers), **topics,
        "stream": stream(params, seed, peer=True),
    })  # fmt: skip


def _throughput(params: dict[str, Any], seed: int, suffix: str, numbers: Iterator[int],
                sides: Roles) -> None:  # fmt: skip
    interval_ns = round(params["interval_s"] * SECOND)
    shared = {
        "topic": f"busmark_stream{suffix}", "echo": f"busmark_echo{suffix}",
        "interval_ns": interval_ns,
    }  # fmt: skip
    timing = schedule(params, seed)
    writers = [next(numbers) for _ in range(params["writers"])]
    # Probes of the first writer are echoed by the first reader: one answer to each.
    for index, writer in enumerate(writers):
        sides.active.append({
            "role": "transmitter", "writer": writer, **shared, "stream": stream(params, seed),
            "probe_every": params["probe_every"] if index == 0 else 0, "schedule": timing,
        })  # fmt: skip
    for index in range(params["readers"]):
        sides.passive.append({
            "role": "receiver", "writer": next(numbers), "from": writers, **shared,
            "stream": stream(params, seed, peer=True),
            "probe_every": params["probe_every"] if index == 0 else 0,
            "capacity": timing["capacity"],
            "intervals": 2 * (timing["duration_ns"] // interval_ns) + 100,
        })  # fmt: skip


def admitted(params: dict[str, Any], sent: int) -> int:
    """How many of a writer's first `sent` samples the readers' filter admits."""
    below, instances = params["filter_below"], params["instances"]
    if not below or below >= instances:
        return sent
    return int(sent // instances * below + min(sent % instances, below))


def participant_config(
    params: dict[str, Any], run: Run, run_dir: str, place: Place, *, peer: bool = False
) -> dict[str, Any]:
    """How a participant attaches to the middleware."""
    side = "peer_" if peer and params["peer"] else ""
    return {
        "domain": run.domain,
        "interface_name": place.interface,
        "interface_address": place.address,
        "transport": params[f"{side}transport"],
        "profile": params["profile"],
        "run_dir": run_dir,
        "settings": sorted(params[f"{side}settings"].items()),
    }
