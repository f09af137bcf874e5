"""What each participant does in the flows of a case: the `setup` of its worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

from busmark.control import records
from busmark.control.places import ParticipantPlace
from busmark.model.parameters import MEASURE, POLICIES, Parameters
from busmark.model.units import ELEMENT_BYTES, parse_sizes
from busmark.plan.counts import is_timed
from busmark.plan.duration import EXISTING_S
from busmark.plan.flows import End, Flows, PlannedFlow, PlannedParticipant
from busmark.plan.timeline import highest_rate_hz
from busmark.scenario.model import Run

SECOND = 1_000_000_000
PROBE_ROWS = 200_000


def qos_settings(qos: dict[str, Any]) -> dict[str, Any]:
    """Return the QoS of a case as the worker reads it."""
    settings: dict[str, Any] = {}
    depth = {"depth": qos.get("depth", 1)} if qos.get("history") == "keep_last" else {}
    for name, value in ({**qos, "depth": None} | depth).items():
        policy = POLICIES[name]
        if policy.switch:
            settings[policy.setting] = value == policy.switch[1]
        elif name.endswith("_s"):
            settings[policy.setting] = round(value * SECOND)
        elif value is not None:
            settings[policy.setting] = value
    return settings


def measure_settings(part: str, of: Parameters | PlannedFlow) -> dict[str, Any]:
    """Return the keys of `[measure]` that a part of a setup has, with their values in a case or
    flow; times are nanoseconds."""
    values = ((each, getattr(of, each.name)) for each in MEASURE if each.setup == part)
    return {
        each.setting: round(value * SECOND) if each.name.endswith("_s") else value
        for each, value in values
    }


def stream(flow: PlannedFlow, end: End, seed: int) -> dict[str, Any]:
    """Return what all endpoints at one end of a flow have in common."""
    return {
        **measure_settings("stream", flow),
        "payload": flow.payload,
        "size": flow.size,
        "sizes": sizes_of(flow, seed),
        "wait": flow.wait or end.participant.wait,
        "qos": qos_settings(flow.qos),
        "instances": flow.instances,
        "filter_below": flow.filter_below,
    }


def sizes_of(flow: PlannedFlow, seed: int) -> list[int]:
    """Return the body sizes of a stream's samples, over and over; empty where all have one size."""
    if not flow.size_distribution:
        return []
    return parse_sizes(flow.size_distribution).sequence(ELEMENT_BYTES[flow.payload], seed)


def schedule(flow: PlannedFlow, params: Parameters, seed: int) -> dict[str, Any]:
    """Return when samples are sent, and how many."""
    capacity = params.max_samples
    if flow.kind not in ("pings", "service"):
        capacity = min(capacity, PROBE_ROWS)
    elif flow.rate_hz:
        most_hz = highest_rate_hz(flow, params)
        capacity = min(capacity, int(most_hz * params.length_s * 1.1) + 100)
    # Background runs as long as what is measured may.
    endless = {"samples": 0} if flow.background else {}
    return {
        "arrivals": flow.arrivals,
        "rate_hz": flow.rate_hz,
        "seed": seed % 2**63,
        "capacity": capacity,
        **measure_settings("schedule", params),
        **endless,
    }


Role = dict[str, Any]

ACTIVE = frozenset({"pinger", "transmitter", "batcher", "late_joiner", "client", "action_client"})
PASSIVE = frozenset(
    {"responder", "receiver", "resident", "idle_endpoint", "server", "action_server"}
)


def roles(case: Flows, params: Parameters, seed: int) -> dict[PlannedParticipant, list[Role]]:
    """Return what each participant does, flow by flow. With one clock, `params` have
    `record_every`."""
    found: dict[PlannedParticipant, list[Role]] = {own: [] for own in case.participants}
    for flow in case.flows:
        for end, role in _MAKERS[flow.kind](flow, params, seed):
            found[end.participant].append(role)
    return found


def _pings(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    """Yield the roles of pings: every writer pings; readers answer, or only read."""
    topics = {"ping": flow.topic, "pong": flow.answers}
    for end in flow.writers:
        yield (
            end,
            {
                "role": "pinger",
                "writer": end.number,
                "from": _numbers(flow.answering),
                **topics,
                "stream": stream(flow, end, seed),
                "schedule": schedule(flow, params, seed + end.number),
            },
        )
    stamped = params.echo_source and not flow.background
    rows = schedule(flow, params, seed)["capacity"] * len(flow.writers) if stamped else 0
    for end in flow.answering:
        yield (
            end,
            {
                "role": "responder",
                "writer": end.number,
                **topics,
                "stream": stream(flow, end, seed),
                **({"rows": rows} if rows else {}),
            },
        )
    yield from _receiving(flow, params, seed, flow.listening)


def _stream(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    for end, sending in _sending(flow, params, seed):
        # Probes are the first writer's, and one reader echoes them: one answer to each.
        probes = flow.probe_every if end == flow.writers[0] else 0
        yield end, {"role": "transmitter", "probe_every": probes, **sending}
    yield from _receiving(flow, params, seed, flow.readers)


def _batches(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    for end, sending in _sending(flow, params, seed):
        timing = sending["schedule"]
        # Each reader has rows for the batches of all writers.
        timing["capacity"] = max(timing["capacity"] // len(flow.writers), 1)
        yield (
            end,
            {
                "role": "batcher",
                "from": _numbers(flow.readers),
                "batch": flow.batch,
                "each": flow.batch_ack == "each",
                **sending,
            },
        )
    yield from _receiving(flow, params, seed, flow.readers)


def _service(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    """Yield clients, and the server that answers them."""
    size = flow.size if flow.response_size is None else flow.response_size
    shared = {"service": flow.topic, "response_size": size}
    for end in flow.writers:
        yield (
            end,
            {
                "role": "client",
                "writer": end.number,
                **shared,
                "stream": stream(flow, end, seed),
                "outstanding": flow.outstanding,
                "schedule": schedule(flow, params, seed + end.number),
                **measure_settings("role", params),
            },
        )
    for end in flow.readers:
        yield (
            end,
            {
                "role": "server",
                "writer": end.number,
                **shared,
                "stream": stream(flow, end, seed),
                "works": {
                    "threads": flow.server_threads,
                    "work_ns": round(flow.server_time_s * SECOND),
                    "work": flow.server_times,
                    "reverses": flow.reverses,
                    "seed": seed % 2**63,
                },
            },
        )


def _action(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    """Yield clients, and the server that executes their goals."""
    time_s, feedback_hz = params.goal_time_s or 0.0, params.feedback_hz or 0.0
    shared = {
        "action": flow.topic,
        "goals": {
            "time_ns": round(time_s * SECOND),
            "feedback_ns": round(SECOND / feedback_hz) if feedback_hz else 0,
            "cancel_every": params.cancel_every or 0,
        },
    }
    for end in flow.writers:
        timing = schedule(flow, params, seed + end.number)
        timing["capacity"] = _goal_rows(flow, params)
        yield (
            end,
            {
                "role": "action_client",
                "writer": end.number,
                **shared,
                "stream": stream(flow, end, seed),
                "outstanding": flow.outstanding,
                "schedule": timing,
            },
        )
    # Those that clients have given up have room, too, until their time is over.
    under_way = params.goals or ceil(flow.rate_hz * (time_s + params.timeout_s))
    room = max(FEWEST_ROOM, 2 * len(flow.writers) * under_way)
    for end in flow.readers:
        yield (
            end,
            {
                "role": "action_server",
                "writer": end.number,
                **shared,
                "stream": stream(flow, end, seed),
                "room": min(room, MOST_ROOM),
                "timeout_ns": round(params.timeout_s * SECOND),
            },
        )


FEWEST_ROOM, MOST_ROOM = 64, 65_536
"""Goals for which a server has room, at least and at most."""


def _goal_rows(flow: PlannedFlow, params: Parameters) -> int:
    """Return the rows of a client: for its goals of the warm-up, too, and for those that asked
    whether the server is there."""
    length_s = params.warmup_s + params.length_s
    if flow.rate_hz:
        most = highest_rate_hz(flow, params) * length_s * 1.1
    else:
        # A goal that is cancelled, or that takes no time, makes room for the next one.
        shortest_s = (params.goal_time_s or 0.0) * (0.5 if params.cancel_every else 1.0)
        most = flow.outstanding * length_s / max(shortest_s, SHORTEST_GOAL_S)
    return min(params.max_samples, int(most) + flow.outstanding) + 100


SHORTEST_GOAL_S = 20e-6
"""Time of a goal that takes no time."""


def _discovery(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    """Yield a late joiner, which is new again and again, and a resident, which is there already."""
    new = params.new
    late_joiner, resident = (flow.writers[0], flow.readers[0])[:: 1 if new == "writer" else -1]
    shared = {"new": new, "topic": flow.topic, "rate_hz": flow.rate_hz}
    timing = measure_settings("schedule", params)
    # Everybody has to know all endpoints that are there before it counts.
    timing["warmup_ns"] += round((params.existing or 0) * EXISTING_S * SECOND)
    repetitions = timing.pop("samples") or params.max_samples
    yield (
        late_joiner,
        {
            "role": "late_joiner",
            "writer": late_joiner.number,
            "peer": resident.number,
            **shared,
            "creates": params.creates,
            "peer_matches": params.resident_counts,
            "stream": stream(flow, late_joiner, seed),
            "repetitions": min(repetitions, MOST_REPETITIONS),
            **timing,
        },
    )
    yield (
        resident,
        {
            "role": "resident",
            "writer": resident.number,
            "late_joiner": late_joiner.number,
            **shared,
            "stream": stream(flow, resident, seed),
        },
    )


def _existing(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    for end in flow.writers:
        yield (
            end,
            {
                "role": "idle_endpoint",
                "writer": end.number,
                "topic": flow.topic,
                "stream": stream(flow, end, seed),
                "endpoints": flow.endpoints,
            },
        )


MOST_REPETITIONS = 1_000_000
"""Repetitions of a discovery test at most: an hour has fewer."""

_MAKERS = {
    "pings": _pings,
    "stream": _stream,
    "batches": _batches,
    "service": _service,
    "action": _action,
    "discovery": _discovery,
    "existing": _existing,
}


def _sending(flow: PlannedFlow, params: Parameters, seed: int) -> Iterator[tuple[End, Role]]:
    """Yield what writers of a stream have in common, in batches or not."""
    for end in flow.writers:
        yield end, {
            "writer": end.number, **_shared(flow, params),
            "stream": stream(flow, end, seed),
            "schedule": schedule(flow, params, seed + end.number),
        }  # fmt: skip


def _receiving(
    flow: PlannedFlow, params: Parameters, seed: int, readers: Sequence[End]
) -> Iterator[tuple[End, Role]]:
    if not readers:  # Nobody's rows have to be counted.
        return
    timing, shared = schedule(flow, params, seed), _shared(flow, params)
    every = (params.record_every or 0) if is_timed(flow, params) else 0
    capacity = records.capacity(flow, params, every) if every else timing["capacity"]
    for end in readers:
        yield (
            end,
            {
                "role": "receiver",
                "writer": end.number,
                "from": _numbers(flow.writers),
                **shared,
                "stream": stream(flow, end, seed),
                "probe_every": flow.probe_every if end in flow.answering else 0,
                **({"record_every": every} if every else {}),
                "batch": flow.batch,
                "capacity": capacity,
                "intervals": 2 * (timing["duration_ns"] // shared["interval_ns"]) + 100,
            },
        )


def _shared(flow: PlannedFlow, params: Parameters) -> Role:
    return {"topic": flow.topic, "echo": flow.answers, **measure_settings("role", params)}


def _numbers(ends: Sequence[End]) -> list[int]:
    return [end.number for end in ends]


def participant_config(
    participant: PlannedParticipant, profile: str, run: Run, run_dir: str, place: ParticipantPlace
) -> dict[str, Any]:
    """Return how it attaches to the middleware."""
    return {
        "domain": run.domain,
        "interface_name": place.interface,
        "interface_address": place.address,
        "transport": participant.transport,
        "profile": profile,
        "run_dir": run_dir,
        "settings": list(participant.settings.items()),
    }
