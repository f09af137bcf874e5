"""Why a case cannot run, before anything does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.carriers import SHARED_MEMORY, carrier, host_only, process_only
from busmark.errors import UserError
from busmark.facts import adapter_facts, of_ros, unmatched
from busmark.host.needs import missing
from busmark.links import Links, links
from busmark.load import missing_tool
from busmark.load import parse as parse_load
from busmark.model.entry import SERVICES
from busmark.model.parameters import Parameters
from busmark.model.text import joined
from busmark.model.units import ELEMENT_BYTES, file_size
from busmark.plan.background import unsupported_background
from busmark.plan.flows import PlannedFlow, PlannedParticipant, flows
from busmark.plan.lacking import lacking
from busmark.plan.placement import placement_problem
from busmark.plan.timeline import unsupported_timeline
from busmark.scenario import nodes_of
from busmark.scenario.section import UNSECURED

SHIPPED = "shipped"
"""The transport that every implementation of ROS's rmw has."""

LINK = ("rate", "loss", "delay", "jitter", "burst", "reassembly")
"""Lists of `[matrix.link]`."""

FIXED_IN_DISCOVERY = {
    "topics": 1,
    "writers": 1,
    "readers": 1,
    "publishers": 1,
    "subscribers": 1,
    "topology": "one_way",
    "batch": None,
    "stream_hz": None,
    "filter_below": None,
}
"""Parameters that have one value only where one new endpoint finds its counterpart."""


def unsupported(
    params: Parameters, adapters: dict[str, Adapter], absent: Sequence[str] = ()
) -> str | None:
    """Return why this case cannot run; None if it can. `absent` are implementations of rmw that are
    missing for any case of the scenario: one command installs them all."""
    reason = lacking(params, adapters[params.adapter])
    if reason is None and params.peer is not None:
        reason = _lacking_peer(params, adapters)
    return (
        reason
        or _no_discovery(params, adapters)
        or _contradiction(params)
        or placement_problem(params, adapters[params.adapter].capabilities or {})
        or _unreachable(params, adapters)
        or unsupported_background(params, adapters)
        or unsupported_timeline(params, adapters)
        or _unsecured(params, adapters)
        or _never_matched(params, adapters)
        or _no_rmw(params, adapters, absent)
        or _no_load(params)
        or _no_file(params)
        or _machine_lacks(params, adapters)
    )


def _never_matched(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return who would wait for a match that does not come: samples go one way, answers the
    other."""
    if not params.peer and not params.participants:
        return None
    found = flows(params).flows
    there = (
        (writer, reader) for flow in found for writer in flow.writers for reader in flow.readers
    )
    back = (
        (reader, writer)
        for flow in found
        if flow.answers
        for reader in flow.answering
        for writer in flow.writers
    )
    pairs = {(w.participant.adapter, r.participant.adapter): None for w, r in (*there, *back)}
    profile = params.security or UNSECURED
    for writer, reader in pairs:
        if of_ros(writer) != of_ros(reader):
            return f"{writer} → {reader}: ROS has topics and types of its own; the two never match"
        version = (adapters[writer].capabilities or {}).get("middleware_version", "")
        if why := unmatched(writer, version, reader, profile):
            secured = "" if profile == UNSECURED else f"security {profile}: "
            return f"{secured}{writer} → {reader}: {why}"
    return None


def _no_discovery(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why there is no discovery to be measured, or not like this."""
    if params.test != "discovery":
        return None
    for name, alone in FIXED_IN_DISCOVERY.items():
        if getattr(params, name) != alone:
            return f"{name}: a discovery test has one new endpoint, and one that is there"
    if params.arrivals == "poisson":
        return "arrivals poisson: samples of a discovery test come at a constant rate"
    for name in dict.fromkeys((params.adapter, params.peer or params.adapter)):
        can = adapters[name].capabilities or {}
        if {"locators", "writer_locators"} & {*can.get("features", [])}:
            return (
                f"no discovery: endpoints of {name} are connected by locators, which Busmark "
                "carries from one to the other"
            )
    if params.creates == "publisher":
        return (
            "creates publisher: the adapter's contract makes publisher and subscriber with the "
            "participant or with the endpoint, so that they cannot be distinguished"
        )
    if params.deployment == "one":
        return f"transport {params.transport}: it works within one process only"
    return None


def _unsecured(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why the case cannot be secured so; None if it can, or need not."""
    profile = params.security_profile
    if profile is None:
        return None
    reasons = (
        _no_profile(profile, adapters[name]) or _unprotected(profile, name, transport, options)
        for name, transport, options in params.attachments
    )
    return next(filter(None, reasons), None)


def _unprotected(profile: str, adapter: str, transport: str, options: dict[str, str]) -> str | None:
    listed = adapter_facts().get(adapter)
    chosen = {"transport": transport, **options}
    for setting, why in (listed.unsecured_by if listed else {}).items():
        name, _, value = setting.partition("=")
        if chosen.get(name) == value:
            return f"security {profile}: {adapter}, {name} {value}: {why}"
    return None


def _no_profile(profile: str, adapter: Adapter) -> str | None:
    offered = (adapter.capabilities or {}).get("security", [])
    if profile in offered:
        return None
    listed = adapter_facts().get(adapter.name)
    if offered:
        why = (
            listed and listed.lacks_security.get(profile)
        ) or f"it offers {', '.join(offered)} only"
    else:
        why = (listed and listed.no_security) or "the adapter has none"
    return f"no security profile {profile}: {adapter.name}: {why}"


def absent_rmw(cases: Iterable[Parameters], adapters: dict[str, Adapter]) -> list[str]:
    """Return the implementations of ROS's rmw that cases name and that are not here, each once."""
    missing = (
        chosen
        for params in cases
        if params.network != "nodes"
        for name, _, settings in params.attachments
        if (chosen := _chosen_rmw(name, settings)) and not _has_rmw(chosen, adapters[name])
    )
    return [*dict.fromkeys(missing)]


def _chosen_rmw(adapter: str, settings: Mapping[str, Any]) -> str:
    """Return the implementation that options choose; empty: the one that the adapter has."""
    facts = adapter_facts().get(adapter)
    chosen = facts.ros.implementation(settings) if facts and facts.ros else ""
    return "" if facts and facts.ros and chosen == facts.ros.linked else chosen


def _has_rmw(implementation: str, adapter: Adapter) -> bool:
    """Return whether its library is in the ROS 2 that is sourced, or beside the adapter's."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    places = [Path(prefix, "lib") for prefix in prefixes if prefix]
    places += [Path(folder) for folder in folders if folder]
    if library := adapter.path:
        places.append(Path(library).parent.parent / "middleware" / adapter.name / "lib")
    return any((place / f"lib{implementation}.so").is_file() for place in places)


def _no_rmw(params: Parameters, adapters: dict[str, Adapter], absent: Sequence[str]) -> str | None:
    """Return why the implementation of ROS's rmw that a case names cannot be loaded here."""
    for name, transport, settings in params.attachments:
        chosen, facts = _chosen_rmw(name, settings), adapter_facts().get(name)
        if not chosen or not facts or not facts.ros:
            continue
        if transport != SHIPPED and not fnmatchcase(chosen, facts.ros.every_transport):
            return f"{name}: {chosen} has the transport {SHIPPED} only"
        if params.network != "nodes" and not _has_rmw(chosen, adapters[name]):
            missing = absent or [chosen]
            packages = ",".join(each.replace("_", "-") for each in missing)
            packages = f"{{{packages}}}" if len(missing) > 1 else packages
            return (
                f"no {joined(missing, 'or')} is here; run `apt-get install "
                f"ros-$ROS_DISTRO-{packages}`, source that ROS 2, then run `make adapters`"
            )
    return None


def _no_file(params: Parameters) -> str | None:
    """Return why the user's own configuration of a middleware cannot be read here."""
    for name, _, settings in params.attachments:
        path = settings.get("config", "")
        if path in ("", "env") or path.startswith("<"):
            continue
        if not Path(path).is_absolute():
            return f"option {name}.config: {path} is no absolute path; participants run elsewhere"
        if params.network != "nodes" and not Path(path).is_file():
            return f"option {name}.config: no file {path} is here"
    return None


def _machine_lacks(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return what this machine would have to have; nodes and labs have their own."""
    if params.network is not None:
        return None
    carriers = (
        carrier(adapters[name].capabilities or {}, transport)
        for name, transport, _ in params.attachments
    )
    return missing({each for each in carriers if each}, stored_bytes(params, adapters))


def _no_load(params: Parameters) -> str | None:
    """Return why the background load cannot be had here."""
    if params.network == "nodes":
        return None  # a node is asked for its tools when it is reached
    return missing_tool(parse_load(params.load or ""))


def _unreachable(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why the participants could not reach each other on their nodes."""
    if params.writer_on is None:
        return None
    try:
        links_of(params)
    except UserError as error:
        return str(error).splitlines()[0].removeprefix("--")
    if {*nodes_of(params.writer_on), *nodes_of(params.reader_on or "")} == {params.writer_on}:
        return None
    sides = (
        (params.adapter, params.transport),
        (params.peer or params.adapter, params.peer_transport or ""),
    )
    reasons = (host_only(name, by, adapters[name].capabilities or {}) for name, by in sides)
    return next(filter(None, reasons), None)


def links_of(params: Parameters) -> Links:
    """Return what a case asks of its lab's links."""
    rate, loss, delay, jitter = (getattr(params, f"link_{name}") or "" for name in LINK[:4])
    return links(
        rate, loss, delay, jitter, params.link_burst or 0.0, params.link_reassembly or "default"
    )


def _lacking_peer(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    peer = adapters[params.peer or ""]
    of_peer = {name: getattr(params, f"peer_{name}") for name in ("transport", "wait", "settings")}
    reason = lacking(params.changed(**of_peer), peer)
    if reason:
        return reason if reason.startswith(peer.name) else f"{peer.name}: {reason}"
    for adapter, transport in (
        (adapters[params.adapter], params.transport),
        (peer, params.peer_transport or ""),
    ):
        if confined := process_only(adapter.name, transport, adapter.capabilities or {}):
            return f"{confined} works within one process only"
    return None


def _contradiction(params: Parameters) -> str | None:
    """Return what no adapter could do."""
    element = ELEMENT_BYTES[params.payload]
    if (params.size or 0) % element:
        return f"size {params.size} B is not a whole number of {element}-byte elements"
    if params.payload == "type":
        path = params.body_file
        if not path or params.size_distribution or params.size != file_size(path):
            return 'payload type: needs size = "file", and the value in measure.body_file'
    elif params.body_file and params.payload not in ("octet", "any"):
        return f"payload {params.payload}: a file's bytes go with octet, any and type"
    if params.instances and params.payload != "octet":
        return f"payload {params.payload}: keyed topics carry octets"
    if params.filter_below and not params.instances:
        return "filter_below needs instances"
    if params.peer_fifo is not None and params.deployment == "one":
        return "peer_fifo: all participants are one process"
    if params.test == "latency":
        for name in ("writers", "readers"):
            if getattr(params, name) != 1:
                return f"{name} = {getattr(params, name)}: a latency test has one of each per topic"
        if params.filter_below:
            return "filter_below: a ping that is filtered has no answer"
        if params.batch:
            return "batch: a latency test sends one ping at a time"
    elif params.test in SERVICES:
        return _no_such_service(params)
    elif params.test == "action":
        return _not_one_server(params)
    elif params.stream_hz:
        return f"stream_hz: a {params.test} test is a stream already"
    if params.test == "capacity" and (params.rate_hz or params.batch):
        return "test capacity: the search sets the rate, of a stream that runs free"
    if params.batch and (params.filter_below or params.rate_hz):
        return "batch: goes with neither a filter nor a rate"
    return None


FIXED_IN_SERVICE = {
    "topics": 1,
    "readers": 1,
    "publishers": 1,
    "subscribers": 1,
    "topology": "one_way",
    "batch": None,
    "stream_hz": None,
    "ends_after": None,
}
"""Parameters that have one value where clients call a server."""


def _no_such_service(params: Parameters) -> str | None:
    """Return why there is no service like this."""
    if reason := _not_one_server(params):
        return reason
    if params.test == "service-capacity" and params.rate_hz:
        return "rate_hz: the search sets the rate"
    work_s = params.server_time_s or 0.0
    if params.server_times != "exponential" and work_s >= params.timeout_s:
        return (
            f"server_time_s = {work_s:g}: no request is answered within measure.timeout_s = "
            f"{params.timeout_s:g}"
        )
    return None


def _not_one_server(params: Parameters) -> str | None:
    """Return what contradicts that clients ask one server."""
    kind, article = ("action", "an") if params.test == "action" else ("service", "a")
    for name, alone in FIXED_IN_SERVICE.items():
        if getattr(params, name) != alone:
            more = "; `clients` are those that call it" if name == "publishers" else ""
            return f"{name}: {article} {kind} test has one {kind} with one server{more}"
    return None


LOANED = 2
"""Samples in the hands of writer and reader, beside those in the queue."""


def stored_bytes(params: Parameters, adapters: Mapping[str, Adapter]) -> int:
    """Return the bytes in use at most, all writers together, where the memory grows with the
    samples; 0 where it does not, or the adapter does not say."""
    if not any(_grows(adapters[name], transport) for name, transport, _ in params.attachments[:2]):
        return 0
    total = 0
    for flow in flows(params).flows:
        for end in flow.writers:
            total += _samples(flow, end.participant, adapters) * flow.size
        if flow.kind != "stream":
            own = [end.participant for end in flow.answering]
            total += flow.size * sum(_grows_for(each, adapters) for each in own)
    return total


def _grows(adapter: Adapter, transport: str) -> bool:
    can = adapter.capabilities or {}
    return bool(can.get("stored_samples")) and carrier(can, transport) == SHARED_MEMORY


def _grows_for(participant: PlannedParticipant, adapters: Mapping[str, Adapter]) -> bool:
    return _grows(adapters[participant.adapter], participant.transport)


def _samples(flow: PlannedFlow, writer: PlannedParticipant, adapters: Mapping[str, Adapter]) -> int:
    """Count one writer's samples in use. The queue fills up only where nothing paces the writer."""
    if not _grows_for(writer, adapters):
        return 0
    if flow.kind not in ("stream", "batches"):
        return 1
    if flow.rate_hz or writer.settings:
        return LOANED
    if flow.qos.get("history") != "keep_all":
        return int(flow.qos.get("depth", 1)) + LOANED
    can = adapters[writer.adapter].capabilities or {}
    fitting = can["stored_bytes"] // max(flow.size, 1)
    return int(min(max(fitting, 2), can["stored_samples"])) + LOANED
