"""From a scenario to its cases: every point of the matrix, with all defaults settled."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.plan.unsupported import LINK, unsupported
from busmark.scenario import ELEMENT_BYTES, Scenario, nodes_of
from busmark.scenario.matrix import SAME, Matrix, adapter_of
from busmark.scenario.sizes import FILE_SIZE, file_size, parse_sizes
from busmark.store import Case

DIMENSIONS = (
    "test", "adapter", "peer", "transport", "profile", "payload", "size", "wait", "placement",
    "rate_hz", "arrivals", "topics", "writers", "readers", "publishers", "subscribers", "topology",
    "batch", "stream_hz", "instances", "filter_below", "writer_on", "reader_on", "load",
    "load_on",
)  # fmt: skip
"""Lists of the matrix besides QoS, links and options."""

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
    for name in ("instances", "filter_below", "batch", "stream_hz"):
        settled[name] = settled[name] or None
    settled |= _settle_size(settled, scenario)
    for name in ("writer_on", "reader_on", *(f"link_{name}" for name in LINK)):
        settled[name] = (settled[name] or None) if scenario.lab.nodes or scenario.nodes else None
    settled["network"] = _network(settled["writer_on"], scenario)
    settled["load"] = settled["load"] or None
    settled["load_on"] = (settled["load"] and settled["load_on"]) or None
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
    settled["qos"] = _settle_qos(qos, settled, honoured)
    if settled["stream_hz"]:
        settled["stream_qos"] = _settle_qos(qos, {**settled, "test": "throughput"}, honoured)
    return settled


def _network(node: str | None, scenario: Scenario) -> str | None:
    """What participants are on: nodes of the run's lab, the user's nodes, or this machine alone."""
    if node is None:
        return None
    return "lab" if nodes_of(node)[0] in scenario.lab_nodes else "nodes"


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
        return {"size": file_size(scenario.measure.body_file), "size_distribution": None}
    if isinstance(size, int):
        return {"size": size, "size_distribution": None}
    sizes = parse_sizes(size)
    values = sizes.values(element)
    mean = round(sum(values) / len(values) / element) * element
    return {"size": mean, "size_distribution": sizes.text}


def _settle_qos(
    asked: dict[str, Any], point: dict[str, Any], honoured: list[str]
) -> dict[str, Any]:
    """Only what is asked for.

    Reliability is reliable where the adapter has it; history keeps the last sample for latency (the
    newest counts; of several participants one each, for their answers come at once) and all for
    throughput (none may be overwritten).
    """
    qos = {name: value for name, value in asked.items() if value not in ("default", 0, "")}
    if "reliability" not in qos:
        offers = [v for v in ("reliable", "best_effort") if v in honoured]
        qos.update({"reliability": offers[0]} if offers else {})
    if "history" not in qos:
        wanted = "keep_last" if point["test"] == "latency" else "keep_all"
        reliable = qos.get("reliability") == "reliable"
        if wanted in honoured and (wanted == "keep_last" or reliable):
            qos["history"] = wanted
            if point["test"] == "latency":
                qos["depth"] = max(asked["depth"], point["publishers"], point["subscribers"])
    if qos.get("history") != "keep_last":
        qos.pop("depth", None)
    return qos


def _measure(scenario: Scenario, params: dict[str, Any]) -> dict[str, Any]:
    measure = scenario.measure
    stream = params["test"] != "latency"
    return {
        "duration_s": measure.duration_s,
        "warmup_s": measure.warmup_s,
        "samples": measure.samples,
        "max_samples": measure.max_samples,
        "probe_every": measure.probe_every if stream and not params["batch"] else 0,
        "interval_s": measure.interval_s,
        "timeout_s": measure.timeout_s,
        "verify": measure.verify,
        "body_file": str(Path(measure.body_file).absolute()) if measure.body_file else None,
        "fifo": scenario.run.fifo,
        "statistic": "goodput" if stream else scenario.rounds.statistic,
    }


def _varying(points: list[dict[str, Any]]) -> list[str]:
    """Dimensions with more than one value; they make up the case's name."""
    always = ("test", "adapter")
    names = (
        "peer", "transport", "payload", "size", "size_distribution", "wait", "placement", "profile",
        "rate_hz", "arrivals", "topics", "writers", "readers", "publishers", "subscribers",
        "topology", "batch", "stream_hz", "instances", "filter_below",
        "writer_on", "reader_on", *(f"link_{name}" for name in LINK), "load",
        "load_on",
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
            "readers": "readers", "publishers": "publishers", "subscribers": "subscribers",
            "batch": "batch", "stream_hz": "Hzstream", "instances": "instances",
            "filter_below": "filter",
            "link_loss": "loss", "link_delay": "delay", "link_jitter": "jitter",
        }.get(name, "")  # fmt: skip
        parts.append(f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}")
    return "-".join(_for_file_names(str(part)) for part in parts)


def _for_file_names(text: str) -> str:
    for sign, word in (("+", "and"), (",", "to"), ("%", "pct")):
        text = text.replace(sign, word)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)
