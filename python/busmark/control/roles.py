"""What each participant of a case does: the `setup` of its worker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

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
    if params["test"] != "latency":
        capacity = min(capacity, PROBE_ROWS)
    return {
        "arrivals": params["arrivals"],
        "rate_hz": rate,
        "seed": seed % 2**63,
        "warmup_ns": round(params["warmup_s"] * SECOND),
        "duration_ns": round(params["duration_s"] * SECOND),
        "samples": params["samples"],
        "capacity": capacity,
        "timeout_ns": round(params["timeout_s"] * SECOND),
    }


Role = dict[str, Any]
Side = list[list[Role]]
"""Roles of each participant of one side."""


ACTIVE = frozenset({"pinger", "transmitter", "batcher"})
PASSIVE = frozenset({"ponger", "receiver"})


class Roles(NamedTuple):
    """What each participant of a case does: subscribers are passive, publishers active. With the
    topology bidirectional each is both."""

    passive: Side
    active: Side

    @property
    def readers_of(self) -> dict[int, int]:
        """How many readers expect the samples of each writer of a stream."""
        counts: dict[int, int] = {}
        for role in itertools.chain(*self.passive, *self.active):
            if role["role"] == "receiver":
                for writer in role["from"]:
                    counts[writer] = counts.get(writer, 0) + 1
        return counts


def roles(params: dict[str, Any], seed: int) -> Roles:
    """Roles of the participants, topic by topic."""
    numbers = itertools.count(1)
    sides = Roles([[] for _ in range(params["subscribers"])],
                  [[] for _ in range(params["publishers"])])  # fmt: skip
    for index in range(params["topics"]):
        suffix = f"_{index}" if params["topics"] > 1 else ""
        _directed(params, seed, suffix, numbers, sides.active, sides.passive)
        if params["topology"] == "bidirectional":
            _directed(params, seed, f"{suffix}_back", numbers, sides.passive, sides.active)
    return sides


def _directed(params: dict[str, Any], seed: int, suffix: str, numbers: Iterator[int],
              senders: Side, receivers: Side) -> None:  # fmt: skip
    """What goes from the senders to the receivers on one topic."""
    if params["test"] != "latency":
        _stream(params, seed, suffix, numbers, senders, receivers)
        return
    _pings(params, seed, suffix, numbers, senders, receivers)
    if params["stream_hz"]:
        beside = {
            **params, "test": "throughput", "rate_hz": params["stream_hz"], "writers": 1,
            "arrivals": "constant", "readers": 1, "probe_every": 0, "batch": None,
            "qos": params["stream_qos"],
        }  # fmt: skip
        _stream(beside, seed, suffix, numbers, senders, receivers)


def _pings(params: dict[str, Any], seed: int, suffix: str, numbers: Iterator[int],
           senders: Side, receivers: Side) -> None:  # fmt: skip
    """Every sender pings, every receiver answers."""
    topics = {"ping": f"busmark_ping{suffix}", "pong": f"busmark_pong{suffix}"}
    pingers = [next(numbers) for _ in senders]
    pongers = [next(numbers) for _ in receivers]
    for own, writer in zip(senders, pingers, strict=True):
        own.append({
            "role": "pinger", "writer": writer, "from": pongers, **topics,
            "stream": stream(params, seed), "schedule": schedule(params, seed + writer),
        })  # fmt: skip
    for own, writer in zip(receivers, pongers, strict=True):
        own.append({
            "role": "ponger", "writer": writer, **topics,
            "stream": stream(params, seed, peer=True),
        })  # fmt: skip


def _stream(params: dict[str, Any], seed: int, suffix: str, numbers: Iterator[int],
            senders: Side, receivers: Side) -> None:  # fmt: skip
    """Every writer of the senders to every reader of the receivers."""
    interval_ns = round(params["interval_s"] * SECOND)
    shared = {
        "topic": f"busmark_stream{suffix}", "echo": f"busmark_echo{suffix}",
        "interval_ns": interval_ns,
    }  # fmt: skip
    writers = [(own, next(numbers)) for own in senders for _ in range(params["writers"])]
    readers = [(own, next(numbers)) for own in receivers for _ in range(params["readers"])]
    for own, writer in writers:
        sending = {
            "writer": writer, **shared, "stream": stream(params, seed),
            "schedule": schedule(params, seed + writer),
        }  # fmt: skip
        # Probes of the first writer are echoed by the first reader: one answer to each.
        probes = params["probe_every"] if writer == writers[0][1] else 0
        if params["batch"]:
            to = [reader for _, reader in readers]
            own.append({"role": "batcher", "from": to, "batch": params["batch"], **sending})
        else:
            own.append({"role": "transmitter", "probe_every": probes, **sending})
    timing = schedule(params, seed)
    for own, reader in readers:
        own.append({
            "role": "receiver", "writer": reader, "from": [writer for _, writer in writers],
            **shared, "stream": stream(params, seed, peer=True),
            "probe_every": params["probe_every"] if reader == readers[0][1] else 0,
            "batches": bool(params["batch"]),
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
