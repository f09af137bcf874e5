"""From a scenario to its cases: the matrix, and what is unsupported before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod
from typing import Any

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.plan.placement import placement_problem
from busmark.scenario import ELEMENT_BYTES, Scenario
from busmark.scenario.model import Matrix, adapter_of
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
    "test", "adapter", "transport", "profile", "payload", "size", "wait", "placement", "rate_hz",
    "arrivals",
)  # fmt: skip
"""Lists of the matrix besides QoS and options."""

MAX_CASES = 10_000
"""More would take days, and are a slip of the pen."""


def expand(scenario: Scenario, adapters: dict[str, Adapter]) -> list[Case]:
    """Every case of the scenario, in the order of the file; those that cannot run say why."""
    matrices = [scenario.matrix, *scenario.also]
    _check_size(matrices)
    points = [params for matrix in matrices for params in _points(matrix, adapters)]
    unique = list({repr(sorted(p.items(), key=str)): p for p in points}.values())
    shown = _varying(unique)
    cases = []
    for index, params in enumerate(unique):
        adapter = adapters[params["adapter"]]
        complete = {**params, **_measure(scenario, params)}
        reason = unsupported(complete, adapter)
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


def _points(matrix: Matrix, adapters: dict[str, Adapter]) -> Iterator[dict[str, Any]]:
    """Points of one matrix, with everything that was left to a default settled."""
    dimensions = {name: getattr(matrix, name) for name in DIMENSIONS}
    qos = {name: getattr(matrix.qos, name) for name in type(matrix.qos).model_fields}
    for values in itertools.product(*dimensions.values()):
        point = dict(zip(dimensions, values, strict=True))
        options = _options(matrix, point["adapter"])
        for qos_values in itertools.product(*qos.values()):
            asked = dict(zip(qos, qos_values, strict=True))
            for settings in itertools.product(*options.values()):
                yield _settle(
                    {**point, "settings": dict(zip(options, settings, strict=True))},
                    asked,
                    adapters[point["adapter"]],
                )


def _settle(point: dict[str, Any], qos: dict[str, Any], adapter: Adapter) -> dict[str, Any]:
    """Defaults become what they stand for, so that the case says what was run."""
    capabilities = adapter.capabilities or {}
    settled = dict(point)
    if settled["transport"] == "default":
        settled["transport"] = next(iter(capabilities.get("transports", [])), "default")
    if settled["wait"] == "default":
        settled["wait"] = next(iter(capabilities.get("waits", [])), "listener")
    settled["rate_hz"] = settled["rate_hz"] or None
    if settled["rate_hz"] is None:
        settled["arrivals"] = "closed"
    if settled["payload"] == "empty":
        settled["size"] = 0
    settled["deployment"] = "separate" if "host" in capabilities.get("reach", []) else "one"
    settled["qos"] = _settle_qos(qos, settled["test"], capabilities.get("qos", []))
    return settled


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
        "writers": 1,
        "readers": 1,
        "fifo": scenario.run.fifo,
    }


def unsupported(params: dict[str, Any], adapter: Adapter) -> str | None:
    """Why this case cannot run; None if it can."""
    if not adapter.usable or adapter.capabilities is None:
        return adapter.reason
    can = adapter.capabilities
    checks = [
        (params["transport"] in can["transports"], "transport", params["transport"]),
        (params["payload"] in can["payloads"], "payload", params["payload"]),
        (params["wait"] in can["waits"], "wait strategy", params["wait"]),
    ]
    for supported, what, value in checks:
        if not supported:
            return f"{what} {value}"
    if params["size"] > can["max_body_bytes"]:
        return f"size {params['size']} B: at most {can['max_body_bytes']} B"
    element = ELEMENT_BYTES[params["payload"]]
    if params["size"] % element:
        return f"size {params['size']} B is not a whole number of {element}-byte elements"
    for name, value in params["qos"].items():
        needed = QOS_NUMBERS.get(name) or QOS_VALUES.get((name, str(value)))
        if needed and needed not in can["qos"]:
            return f"QoS {name} = {value}"
    known = {option["key"] for option in can["options"]}
    for key in params["settings"]:
        if key not in known:
            return f"option {key}: there are {', '.join(sorted(known)) or 'none'}"
    return placement_problem(params)


def _varying(points: list[dict[str, Any]]) -> list[str]:
    """Dimensions with more than one value; they make up the case's name."""
    always = ("test", "adapter")
    names = ("transport", "payload", "size", "wait", "placement", "profile", "rate_hz", "arrivals")
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
        unit = {"size": "B", "rate_hz": "Hz"}.get(name, "")
        parts.append(f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}")
    return "-".join(str(part).replace("_", "").replace("+", "and") for part in parts)
