"""Why a case cannot run, before anything does."""

from __future__ import annotations

from typing import Any

from busmark.adapters import Adapter, known
from busmark.errors import UserError
from busmark.links import Links, links
from busmark.load import missing_tool
from busmark.load import parse as parse_load
from busmark.plan.placement import placement_problem
from busmark.scenario import ELEMENT_BYTES, nodes_of
from busmark.scenario.sizes import file_size, parse_sizes

LINK = ("rate", "loss", "delay", "jitter")
"""Lists of `[matrix.link]`."""

LOCAL_TRANSPORTS = ("shm", "unix", "ipc", "inproc", "local", "memory", "pipe")
"""Transports that never cross a network, whatever else the adapter has."""

QOS_VALUES = {
    ("reliability", "reliable"): "reliable",
    ("reliability", "best_effort"): "best_effort",
    ("history", "keep_all"): "keep_all",
    ("history", "keep_last"): "keep_last",
    ("durability", "volatile"): "volatile",
    ("durability", "transient_local"): "transient_local",
    ("destination_order", "source"): "order_by_source",
}
"""Capability that each enumerated QoS value needs."""

QOS_NUMBERS = {
    "lifespan_s": "lifespan",
    "deadline_s": "deadline",
    "latency_budget_s": "latency_budget",
    "transport_priority": "transport_priority",
    "partition": "partition",
    "ownership_strength": "ownership_strength",
    "max_samples": "resource_limits",
    "time_based_filter_s": "time_based_filter",
}
"""Capability that each QoS value needs which is a number or a text."""


def unsupported(params: dict[str, Any], adapters: dict[str, Adapter]) -> str | None:
    """Why this case cannot run; None if it can."""
    own = {name: params[name] for name in ("transport", "wait", "settings")}
    reason = _lacking({**params, **own}, adapters[params["adapter"]])
    if reason is None and params["peer"] is not None:
        reason = _lacking_peer(params, adapters)
    return (
        reason
        or _contradiction(params)
        or placement_problem(params)
        or _unreachable(params, adapters)
        or _no_load(params)
    )


def _no_load(params: dict[str, Any]) -> str | None:
    """Why the background load cannot be had here."""
    load = parse_load(params["load"] or "")
    if load is None or params["network"] == "nodes":
        return None  # a node is asked for its tools when it is reached
    return missing_tool(load)


def _unreachable(params: dict[str, Any], adapters: dict[str, Adapter]) -> str | None:
    """Why the participants could not reach each other on their nodes."""
    if params["writer_on"] is None:
        return None
    try:
        links_of(params)
    except UserError as error:
        return str(error).splitlines()[0].removeprefix("--")
    if {*nodes_of(params["writer_on"]), *nodes_of(params["reader_on"])} == {params["writer_on"]}:
        return None
    for name in dict.fromkeys((params["adapter"], params["peer"] or params["adapter"])):
        if "network" not in (adapters[name].capabilities or {})["reach"]:
            return f"{name} does not reach another node"
    for transport in (params["transport"], params["peer_transport"]):
        if transport in LOCAL_TRANSPORTS:
            return f"transport {transport} does not reach another node"
    return None


def links_of(params: dict[str, Any]) -> Links:
    """What a case asks of its lab's links."""
    return links(*(params[f"link_{name}"] or "" for name in LINK))


def _lacking_peer(params: dict[str, Any], adapters: dict[str, Adapter]) -> str | None:
    peer = adapters[params["peer"]]
    of_peer = {name: params[f"peer_{name}"] for name in ("transport", "wait", "settings")}
    reason = _lacking({**params, **of_peer}, peer)
    if reason:
        return reason if reason.startswith(peer.name) else f"{peer.name}: {reason}"
    for adapter in (adapters[params["adapter"]], peer):
        if "host" not in (adapter.capabilities or {})["reach"]:
            return f"{adapter.name} works within one process only"
    return None


def _lacking(params: dict[str, Any], adapter: Adapter) -> str | None:
    """What the adapter does not do."""
    if not adapter.usable or adapter.capabilities is None:
        return adapter.reason
    can = adapter.capabilities
    checks = [
        (params["transport"] in can["transports"], "transport", params["transport"]),
        (params["payload"] in can["payloads"], "payload", params["payload"]),
        (params["wait"] in can["waits"], "wait strategy", params["wait"]),
        (not params["instances"] or "keys" in can["features"], "keyed topics", ""),
        (not params["filter_below"] or "content_filter" in can["features"], "content filter", ""),
    ]
    for supported, what, value in checks:
        if not supported and value == "type":
            return _no_user_type(adapter)
        if not supported:
            return f"{what} {value}".strip()
    largest = largest_size(params)
    if largest > can["max_body_bytes"]:
        return f"size {largest} B: at most {can['max_body_bytes']} B"
    for name, value in params["qos"].items():
        needed = QOS_NUMBERS.get(name) or QOS_VALUES.get((name, str(value)))
        if needed and needed not in can["qos"]:
            return f"QoS {name} = {value}"
    known = {option["key"] for option in can["options"]}
    for key in params["settings"]:
        if key not in known:
            return f"option {key}: there are {', '.join(sorted(known)) or 'none'}"
    return None


def _no_user_type(adapter: Adapter) -> str:
    """Why the payload kind `type` is not there: the middleware, or how the library was made."""
    of_release = known().get(adapter.name)
    never = of_release.no_user_type if of_release else ""
    return f"payload type: {never or 'not compiled with a type of yours: busmark type build'}"


def _contradiction(params: dict[str, Any]) -> str | None:
    """What no adapter could do."""
    element = ELEMENT_BYTES[params["payload"]]
    if params["size"] % element:
        return f"size {params['size']} B is not a whole number of {element}-byte elements"
    if params["payload"] == "type":
        path = params["body_file"]
        if not path or params["size_distribution"] or params["size"] != file_size(path):
            return 'payload type: needs size = "file", and the value in measure.body_file'
    elif params["body_file"] and params["payload"] not in ("octet", "any"):
        return f"payload {params['payload']}: a file's bytes go with octet, any and type"
    if params["instances"] and params["payload"] != "octet":
        return f"payload {params['payload']}: keyed topics carry octets"
    if params["filter_below"] and not params["instances"]:
        return "filter_below needs instances"
    if params["test"] == "latency":
        for name in ("writers", "readers"):
            if params[name] != 1:
                return f"{name} = {params[name]}: a latency test has one of each per topic"
        if params["filter_below"]:
            return "filter_below: a ping that is filtered has no answer"
        if params["batch"]:
            return "batch: a latency test sends one ping at a time"
    elif params["stream_hz"]:
        return f"stream_hz: a {params['test']} test is a stream already"
    if params["test"] == "capacity" and (params["rate_hz"] or params["batch"]):
        return "test capacity: the search sets the rate, of a stream that runs free"
    if params["batch"] and (params["filter_below"] or params["rate_hz"]):
        return "batch: goes with neither a filter nor a rate"
    return None


def largest_size(params: dict[str, Any]) -> int:
    """Bytes of the largest body of the case."""
    if params["size_distribution"] is None:
        return int(params["size"])
    return max(parse_sizes(params["size_distribution"]).values(ELEMENT_BYTES[params["payload"]]))
