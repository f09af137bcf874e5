"""From a scenario to its cases: every point of the matrix, with all defaults settled."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from math import ceil, prod
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.model.parameters import ASKED, Parameters
from busmark.plan.beside import beside
from busmark.plan.discovery import settle_discovery
from busmark.plan.driven import control
from busmark.plan.intervals import interval_s
from busmark.plan.mesh import mesh
from busmark.plan.names import identifiers
from busmark.plan.reach import process_only
from busmark.plan.secured import security
from busmark.plan.timeline import timeline
from busmark.plan.unsupported import LINK, unsupported
from busmark.scenario import ELEMENT_BYTES, Scenario, nodes_of
from busmark.scenario.fitting import AUTO
from busmark.scenario.matrix import ROS_PROFILES, SAME, TABLES, Matrix, adapter_of
from busmark.scenario.sizes import FILE_SIZE, file_size, parse_sizes
from busmark.store import Case

DIMENSIONS = tuple(name for name in Matrix.model_fields if name not in TABLES)
"""Lists of the matrix besides QoS, links and options."""

RARE = {each.name: each.initial for each in ASKED if each.rare}
"""Parameters that most cases do not state, with the values that they then have."""

DEEPEST = 4096
"""Samples that history keeps for one writer by default: more are memory that few have."""

DISCOVERY_DEPTH = 10
"""Samples that history keeps in a discovery test: 10 ms at its rate. More would be memory that each
new endpoint sets up, in the time that is measured."""

MAX_CASES = 10_000
"""More would take days, and are a slip of the pen."""


def expand(scenario: Scenario, adapters: dict[str, Adapter]) -> list[Case]:
    """Every case of the scenario, in the order of the file; those that cannot run say why."""
    _check_size([matrix for _, matrix in scenario.matrices])
    if scenario.measure.body_file:
        file_size(scenario.measure.body_file)
    points = [
        {**params, **_side(scenario, side)}
        for side, matrix in scenario.matrices
        for params in _points(matrix, adapters, scenario)
    ]
    # Whatever the order in which the values of a QoS were settled.
    unique = list(
        {json.dumps(p, sort_keys=True, default=to_jsonable_python): p for p in points}.values()
    )
    cases = []
    for name, point in chosen(identifiers(unique), unique, scenario.only):
        params = Parameters.model_validate(point)
        complete = params.changed(**_measure(scenario, params))
        reason = unsupported(complete, adapters)
        if reason is None:
            complete = complete.changed(interval_s=interval_s(complete))
        cases.append(
            Case(
                id=name,
                params=complete,
                status="unsupported" if reason else "planned",
                reason=reason,
            )
        )
    return cases


def chosen(
    names: Sequence[str], points: Sequence[dict[str, Any]], only: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Names and points of the cases that are asked for, each with the name that it has among all.

    Raises:
        UserError: a word or pattern chooses none.
    """
    cases = list(zip(names, points, strict=True))
    for wanted in only:
        if not any(_is_meant(name, wanted) for name in names):
            raise UserError(
                f"{wanted!r} chooses none of {len(names)} cases",
                where="only",
                remedy=f"Cases have names such as {names[0]}; `busmark plan` lists them.",
            )
    return [case for case in cases if not only or any(_is_meant(case[0], each) for each in only)]


def _is_meant(name: str, wanted: str) -> bool:
    """A word is looked for in the name; a pattern stands for the whole of it."""
    return fnmatchcase(name, wanted) if set("*?[") & set(wanted) else wanted in name


def _side(scenario: Scenario, name: str | None) -> dict[str, Any]:
    """The side of a case, and how its processes are started; nothing where there are no sides."""
    if name is None:
        return {}
    side = scenario.sides[name]
    variables = " ".join(shlex.quote(f"{key}={v}") for key, v in side.environment.items())
    return {"side": name, "side_environment": variables or None, "side_prefix": side.prefix or None}


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
    unasked = {name for name, initial in RARE.items() if point[name] == initial}
    settled = {name: value for name, value in point.items() if name not in {"beside", *unasked}}
    for name, listed, otherwise in (
        ("transport", "transports", "default"),
        ("wait", "waits", "listener"),
    ):
        settled[f"peer_{name}"] = settled[name]
        if settled[name] == "default":
            settled[name] = next(iter(capabilities.get(listed, [])), otherwise)
    if point["peer_transport"] != SAME:
        settled["peer_transport"] = point["peer_transport"]
    settled |= _settle_peer(settled, adapters)
    for name in ("instances", "filter_below", "batch", "stream_hz"):
        settled[name] = settled[name] or None
    settled["batch_ack"] = settled["batch_ack"] if settled["batch"] else None
    settled |= _settle_size(settled, scenario)
    for name in ("writer_on", "reader_on", *(f"link_{name}" for name in LINK)):
        if name not in unasked:
            settled[name] = (
                (settled[name] or None) if scenario.lab.nodes or scenario.nodes else None
            )
    settled |= mesh(settled, scenario)
    settled["network"] = _network(settled["writer_on"], scenario)
    settled["load"] = settled["load"] or None
    settled["load_on"] = (settled["load"] and settled["load_on"]) or None
    settled |= _settle_priority(settled, scenario)
    driven = control(settled, scenario)
    secured = security(settled, scenario)
    spoken_of = ("control", "security")
    settled = {name: value for name, value in settled.items() if name not in spoken_of}
    settled |= driven | secured
    settled["rate_hz"] = settled["rate_hz"] or None
    settled = settle_discovery(settled, adapters)
    if settled["rate_hz"] is None:
        settled["arrivals"] = "closed"
    if settled["payload"] == "empty":
        settled["size"] = 0
    confined = process_only(settled["adapter"], settled["transport"], capabilities)
    settled["deployment"] = "one" if confined and settled["peer"] is None else "separate"
    honoured = capabilities.get("qos", [])
    if settled["peer"] is not None:
        of_peer = (adapters[settled["peer"]].capabilities or {}).get("qos", [])
        honoured = [value for value in honoured if value in of_peer]
    timeout_s = scenario.measure.timeout_s
    settled["qos"] = _settle_qos(qos, settled, honoured, timeout_s)

    def of_flow(
        asked: dict[str, Any], honoured: list[str], differs: dict[str, Any]
    ) -> dict[str, Any]:
        return _settle_qos(asked, {**settled, **differs}, honoured, timeout_s)

    if settled["stream_hz"]:
        settled["stream_qos"] = of_flow(qos, honoured, {"test": "throughput"})
    own = beside(scenario, settled, adapters, of_flow, point["beside"])
    return settled | own | timeline(scenario)


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
        "peer_transport": point["peer_transport"] if named else next(iter(transports), "default"),
        "peer_wait": wait,
    }


def _settle_priority(point: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """That of the subscribers only where it is another."""
    own = scenario.run.fifo if point["fifo"] == "default" else point["fifo"]
    peer = None if point["peer_fifo"] in (SAME, own) else point["peer_fifo"]
    return {"fifo": own, "peer_fifo": peer}


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
    asked: dict[str, Any], point: dict[str, Any], honoured: list[str], timeout_s: float
) -> dict[str, Any]:
    """Only what is asked for.

    Reliability is reliable if the adapter has it. History keeps all samples where none may be
    overwritten: in a stream, and in an open loop, where pings that wait for a delayed reader are
    the ones that matter. In a closed loop there is one ping at a time, so it keeps the last (with
    several participants one each, because their answers come together). An open loop without
    keep-all keeps as many of the last samples as it takes for none to be overwritten before it has
    timed out. In a discovery test it keeps a few of the last.
    """
    named = ROS_PROFILES.get(asked["profile"], {})
    # A policy that the case names goes before its profile.
    unnamed = {name for name in named if asked[name] == (1 if name == "depth" else "default")}
    asked = {**asked, "profile": "", **{name: named[name] for name in unnamed}}
    qos = {name: value for name, value in asked.items() if value not in ("default", 0, "")}
    if "reliability" not in qos:
        offers = [v for v in ("reliable", "best_effort") if v in honoured]
        qos.update({"reliability": offers[0]} if offers else {})
    if "history" not in qos and point["test"] == "discovery":
        # A writer that waits for a reader that has gone would send too little to the next.
        if "keep_last" in honoured:
            qos |= {"history": "keep_last", "depth": max(asked["depth"], DISCOVERY_DEPTH)}
    elif "history" not in qos:
        latency, reliable = point["test"] == "latency", qos.get("reliability") == "reliable"
        open_loop = latency and point["arrivals"] != "closed"
        all_of_them = not latency or (open_loop and asked["depth"] == 1)
        if all_of_them and reliable and "keep_all" in honoured:
            qos["history"] = "keep_all"
        elif latency and "keep_last" in honoured:
            qos["history"] = "keep_last"
            depth = max(asked["depth"], point["publishers"], point["subscribers"])
            if open_loop and asked["depth"] == 1:
                depth *= min(ceil(point["rate_hz"] * timeout_s), DEEPEST)
            qos["depth"] = depth
    if qos.get("history") != "keep_last":
        qos.pop("depth", None)
    return qos


def _measure(scenario: Scenario, params: Parameters) -> dict[str, Any]:
    """Every key of `[measure]` that bears on single cases, settled where it depends on the case."""
    measure = scenario.measure
    stream = params.test != "latency"
    return {
        **measure.model_dump(exclude={"system_interval_s", "echo_source", "probe_echo"}),
        # Plans without them are as they were before there was such a thing.
        **({"echo_source": True} if measure.echo_source and not stream else {}),
        **({} if measure.probe_echo or not _has_probes(params) else {"probe_echo": False}),
        # None: the run chooses it.
        "duration_s": None if measure.duration_s == AUTO else measure.duration_s,
        **({"samples": params.ends_after} if params.ends_after else {}),
        "probe_every": measure.probe_every if _has_probes(params) else 0,
        "body_file": str(Path(measure.body_file).absolute()) if measure.body_file else None,
        "statistic": _statistic(scenario, params),
    }


def _has_probes(params: Parameters) -> bool:
    """Whether samples of a stream may be probes."""
    return params.test not in ("latency", "discovery") and not params.batch


def _statistic(scenario: Scenario, params: Parameters) -> str:
    """What decides how many rounds a case needs."""
    if params.test == "discovery":
        return "median"
    return scenario.rounds.statistic if params.test == "latency" else "goodput"
