"""From a scenario to its cases: the matrix, and what is unsupported before anything runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter, known
from busmark.errors import UserError
from busmark.links import Links, links
from busmark.load import missing_tool
from busmark.load import parse as parse_load
from busmark.plan.placement import placement_problem
from busmark.scenario import ELEMENT_BYTES, Scenario
from busmark.scenario.model import SAME, Matrix, adapter_of
from busmark.scenario.sizes import FILE_SIZE, parse_sizes
from busmark.store import Case

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


DIMENSIONS = (
    "test", "adapter", "peer", "transport", "profile", "payload", "size", "wait", "placement",
    "rate_hz", "arrivals", "topics", "writers", "readers", "instances", "filter_below",
    "writer_on", "reader_on", "load",
)  # fmt: skip
"""Lists of the matrix besides QoS, links and options."""

LINK = ("rate", "loss", "delay", "jitter")
"""Lists of `[matrix.link]`."""

LOCAL_TRANSPORTS = ("shm", "unix", "ipc", "inproc", "local", "memory", "pipe")
"""Transports that never cross a network, whatever else the adapter has."""

MAX_CASES = 10_000
"""More would take days, and are a slip of the pen."""


def expand(scenario: Scenario, adapters: dict[str, Adapter]) -> list[Case]:
    """Every case of the scenario, in the order of the file; those that cannot run say why."""
    matrices = [scenario.matrix, *scenario.also]
    _check_size(matrices)
    points = [params for matrix in matrices for params in _points(matrix, adapters, scenario)]
    unique = list({repr(sorted(p.items(), key=str)): p for p in points}.values())
    shown = _varying(unique)
    cases = []
    for index, params in enumerate(unique):
        complete = {**params, **_measure(scenario, params)}
        reason = unsupported(complete, adapters)
        cases.append(
            Case(
                id=_identifier(index, complete, shown),
                params=complete,
                status="unsupported" if reason else "planned",
                reason=reason,
            )
        )
    return cases


def _check_size(matrices: list[Matrix]) -> None:
    total = 0
    for matrix in matrices:
        common = prod(len(getattr(matrix, name)) for name in DIMENSIONS if name != "adapter")
        common *= prod(len(getattr(matrix.qos, name)) for name in type(matrix.qos).model_fields)
        common *= prod(len(getattr(matrix.link, name)) for name in LINK)
        total += sum(
            common * prod(len(values) for values in _options(matrix, adapter).values())
            for adapter in matrix.adapter
        )
    if total > MAX_CASES:
        raise UserError(
            f"{total} cases, at most {MAX_CASES}",
            where="matrix",
            remedy="Every list multiplies the cases: shorten some, or split the scenario.",
        )


def _options(matrix: Matrix, adapter: str) -> dict[str, list[str]]:
    """Dimensions of the adapter's own."""
    return {
        name.rpartition(".")[2]: values
        for name, values in matrix.option.items()
        if adapter_of(name) == adapter
    }


def _points(
    matrix: Matrix, adapters: dict[str, Adapter], scenario: Scenario
) -> Iterator[dict[str, Any]]:
    """Points of one matrix, with everything that was left to a default settled."""
    dimensions = {name: getattr(matrix, name) for name in DIMENSIONS}
    dimensions |= {f"link_{name}": getattr(matrix.link, name) for name in LINK}
    qos = {name: getattr(matrix.qos, name) for name in type(matrix.qos).model_fields}
    for values in itertools.product(*dimensions.values()):
        point = dict(zip(dimensions, values, strict=True))
        options = _options(matrix, point["adapter"])
        other = {} if _same(point) else _options(matrix, point["peer"])
        for qos_values in itertools.product(*qos.values()):
            asked = dict(zip(qos, qos_values, strict=True))
            for settings in itertools.product(*options.values()):
                for peer_settings in itertools.product(*other.values()):
                    chosen = {
                        "settings": dict(zip(options, settings, strict=True)),
                        "peer_settings": dict(zip(other, peer_settings, strict=True)),
                    }
                    yield _settle({**point, **chosen}, asked, adapters, scenario)


def _same(point: dict[str, Any]) -> bool:
    return point["peer"] in (SAME, point["adapter"])


def _settle(
    point: dict[str, Any], qos: dict[str, Any], adapters: dict[str, Adapter], scenario: Scenario
) -> dict[str, Any]:
    """Defaults become what they stand for, so that the case says what was run."""
    capabilities = adapters[point["adapter"]].capabilities or {}
    settled = dict(point)
    for name, listed, otherwise in (
        ("transport", "transports", "default"),
        ("wait", "waits", "listener"),
    ):
        settled[f"peer_{name}"] = settled[name]
        if settled[name] == "default":
            settled[name] = next(iter(capabilities.get(listed, [])), otherwise)
    settled |= _settle_peer(settled, adapters)
    for name in ("instances", "filter_below"):
        settled[name] = settled[name] or None
    settled |= _settle_size(settled, scenario)
    for name in ("writer_on", "reader_on", *(f"link_{name}" for name in LINK)):
        settled[name] = (settled[name] or None) if scenario.lab.nodes else None
    settled["load"] = settled["load"] or None
    settled["rate_hz"] = settled["rate_hz"] or None
    if settled["rate_hz"] is None:
        settled["arrivals"] = "closed"
    if settled["payload"] == "empty":
        settled["size"] = 0
    apart = settled["peer"] is not None or "host" in capabilities.get("reach", [])
    settled["deployment"] = "separate" if apart else "one"
    honoured = capabilities.get("qos", [])
    if settled["peer"] is not None:
        of_peer = (adapters[settled["peer"]].capabilities or {}).get("qos", [])
        honoured = [value for value in honoured if value in of_peer]
    settled["qos"] = _settle_qos(qos, settled["test"], honoured)
    return settled


def _settle_peer(point: dict[str, Any], adapters: dict[str, Adapter]) -> dict[str, Any]:
    """What the other side has of its own; nothing where it is the same adapter."""
    if _same(point):
        return dict.fromkeys(("peer", "peer_transport", "peer_wait", "peer_settings"))
    can = adapters[point["peer"]].capabilities or {}
    transports, waits = can.get("transports", []), can.get("waits", [])
    named = point["peer_transport"] != "default"
    wait = point["wait"] if point["wait"] in waits else next(iter(waits), "listener")
    return {
        "peer_transport": point["transport"] if named else next(iter(transports), "default"),
        "peer_wait": wait,
    }


def _settle_size(point: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """The size in bytes, of a distribution the mean; and the distribution."""
    size, element = point["size"], ELEMENT_BYTES[point["payload"]]
    if size == FILE_SIZE:
        return {"size": _file_size(scenario.measure.body_file), "size_distribution": None}
    if isinstance(size, int):
        return {"size": size, "size_distribution": None}
    sizes = parse_sizes(size)
    values = sizes.values(element)
    mean = round(sum(values) / len(values) / element) * element
    return {"size": mean, "size_distribution": sizes.text}


def _file_size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}",
            where="measure.body_file",
            remedy="Name a file that can be read; a relative path begins at the current folder.",
        ) from None


def _settle_qos(asked: dict[str, Any], test: str, honoured: list[str]) -> dict[str, Any]:
    """Only what is asked for.

    Reliability is reliable where the adapter has it; history keeps the last sample for latency (the
    newest counts) and all for throughput (none may be overwritten).
    """
    qos = {name: value for name, value in asked.items() if value not in ("default", 0, "")}
    if "reliability" not in qos:
        offers = [v for v in ("reliable", "best_effort") if v in honoured]
        qos.update({"reliability": offers[0]} if offers else {})
    if "history" not in qos:
        wanted = "keep_last" if test == "latency" else "keep_all"
        reliable = qos.get("reliability") == "reliable"
        if wanted in honoured and (wanted == "keep_last" or reliable):
            qos["history"] = wanted
    if qos.get("history") != "keep_last":
        qos.pop("depth", None)
    return qos


def _measure(scenario: Scenario, params: dict[str, Any]) -> dict[str, Any]:
    measure = scenario.measure
    throughput = params["test"] == "throughput"
    return {
        "duration_s": measure.duration_s,
        "warmup_s": measure.warmup_s,
        "samples": measure.samples,
        "max_samples": measure.max_samples,
        "probe_every": measure.probe_every if throughput else 0,
        "interval_s": measure.interval_s,
        "timeout_s": measure.timeout_s,
        "verify": measure.verify,
        "body_file": str(Path(measure.body_file).absolute()) if measure.body_file else None,
        "fifo": scenario.run.fifo,
    }


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
    return missing_tool(load) if load else None


def _unreachable(params: dict[str, Any], adapters: dict[str, Adapter]) -> str | None:
    """Why the participants could not reach each other on the nodes of a lab."""
    if params["writer_on"] is None:
        return None
    try:
        links_of(params)
    except UserError as error:
        return str(error).splitlines()[0].removeprefix("--")
    if params["writer_on"] == params["reader_on"]:
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
        if not path or params["size_distribution"] or params["size"] != _file_size(path):
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
    return None


def largest_size(params: dict[str, Any]) -> int:
    """Bytes of the largest body of the case."""
    if params["size_distribution"] is None:
        return int(params["size"])
    return max(parse_sizes(params["size_distribution"]).values(ELEMENT_BYTES[params["payload"]]))


def _varying(points: list[dict[str, Any]]) -> list[str]:
    """Dimensions with more than one value; they make up the case's name."""
    always = ("test", "adapter")
    names = (
        "peer", "transport", "payload", "size", "size_distribution", "wait", "placement", "profile",
        "rate_hz", "arrivals", "topics", "writers", "readers", "instances", "filter_below",
        "writer_on", "reader_on", *(f"link_{name}" for name in LINK), "load",
    )  # fmt: skip
    return [
        name
        for name in names
        if (name not in always and len({str(p[name]) for p in points}) > 1) or name == "size"
    ]


def _identifier(index: int, params: dict[str, Any], shown: list[str]) -> str:
    adapter = params["adapter"].rsplit("/", 1)[-1].removeprefix("libbusmark_").removesuffix(".so")
    parts = [f"{index:03d}", params["test"], adapter]
    for name in shown:
        value = params[name]
        if value is None or (name == "transport" and value == adapter):
            continue
        if name == "size" and params["size_distribution"]:
            continue
        unit = {
            "size": "B", "rate_hz": "Hz", "topics": "topics", "writers": "writers",
            "readers": "readers", "instances": "instances", "filter_below": "filter",
            "link_loss": "loss", "link_delay": "delay", "link_jitter": "jitter",
        }.get(name, "")  # fmt: skip
        parts.append(f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}")
    return "-".join(_for_file_names(str(part)) for part in parts)


def _for_file_names(text: str) -> str:
    for sign, word in (("+", "and"), (",", "to"), ("%", "pct")):
        text = text.replace(sign, word)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)
