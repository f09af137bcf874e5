"""Participants and flows of the scenario's own, settled for a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from busmark.adapters import Adapter
from busmark.carriers import host_only, meets_at_server, process_only
from busmark.model.flow import Flow, Participant
from busmark.model.parameters import FLOW, Parameters
from busmark.model.settling import SERVICE_WAITS
from busmark.plan.lacking import OF_A_TOPIC, lacking, service_can
from busmark.plan.placement import applications, is_mesh, numbers_of
from busmark.platform import usable_cpus
from busmark.scenario import Scenario, nodes_of
from busmark.scenario.matrix import ALL
from busmark.scenario.system import APPLICATION, FlowSection, ParticipantSection

Settle = Callable[[dict[str, Any], list[str], dict[str, Any]], dict[str, Any]]
"""The QoS of a flow, from what is asked, what its adapters offer, and in what it differs from the
case."""

NOBODY = "nobody"
"""Marker in the place of writers or readers that a flow does not have."""

OF_AN_ADAPTER = ("transport", "wait", "settings")
ASKED = [name for name in OF_A_TOPIC if name in Flow.model_fields]
"""Parameters of a topic that a flow has."""
UNASKED = dict.fromkeys({*OF_A_TOPIC} - {*ASKED})
"""Parameters that a background stream does not have; values of the case are not its own."""


def background(
    scenario: Scenario,
    point: dict[str, Any],
    adapters: dict[str, Adapter],
    settle_qos: Settle,
    chosen: str = ALL,
) -> dict[str, Any]:
    """Return the parameters `background`, `participants` and `flows` of a case; the first alone,
    and none, where it has no flow. With `chosen_flows` if not all of the scenario's are chosen, and
    without the participants of which none of these flows is; of a discovery test these are idle."""
    sections = [each for each in scenario.flow if chosen == ALL or each.name in chosen.split("+")]
    text = {} if chosen == ALL else {"chosen_flows": chosen}
    if not sections and point["test"] == "discovery" and point["existing"]:
        idle = [own for each in scenario.participant for own in _alike(each, point, adapters)]
        return {"background": None, **({"participants": idle} if idle else {})}
    if not sections:
        return {"background": None, **text}
    used = {name for each in sections for name in (*each.writers, *each.readers)}
    participants = [
        own
        for section in scenario.participant
        for own in _alike(section, point, adapters)
        if used & {section.name, own.name}
    ]
    adapter_of = {own.name: own.adapter for own in participants}
    # The participants for which each name stands.
    names = {each.name: each.names for each in scenario.participant}
    for _, name, count in _sides(Parameters.model_construct(**point)):
        names[name] = numbered(name, count)
    flows = []
    for section in sections:
        flow: dict[str, Any] = {each.name: getattr(section, each.name) for each in FLOW}
        for side in ("writers", "readers", "echo"):
            members = (name for given in flow[side] for name in names.get(given, [given]))
            flow[side] = [*dict.fromkeys(members)]
        writers, readers = flow["writers"], flow["readers"]
        of_ends = {adapter_of.get(name, point["adapter"]) for name in (*writers, *readers)}
        offered = [set(_offers(section, adapters[name])) for name in of_ends]
        differs = _differs(section, len(writers), len(readers))
        asked = {name: values[0] for name, values in section.qos.model_dump().items()}
        flow |= {
            "rate_hz": section.rate_hz or 0.0,
            "size": 0 if section.payload == "empty" else section.size,
            "qos": settle_qos(asked, sorted(set.intersection(*offered)), differs),
        }
        if section.kind == "service":
            waits = [service_can(adapters[name].capabilities or {}, "waits") for name in of_ends]
            known = (one for one in SERVICE_WAITS if all(one in each for each in waits))
            flow["wait"] = next(known, SERVICE_WAITS[0])
        # What a plain stream has is not stated.
        plain = {each.name for each in FLOW if flow[each.name] == each.default}
        plain -= {"batch_ack"} if section.batch else set()
        stated = {name: value for name, value in flow.items() if name not in plain}
        flows += [Flow(**{**stated, "name": name}) for name in section.names]
    words = "; ".join(map(_in_words, sections))
    return {"background": words, "participants": participants, "flows": flows, **text}


def _offers(section: FlowSection, adapter: Adapter) -> list[str]:
    """Return the QoS that an adapter offers a flow of this kind."""
    can = adapter.capabilities or {}
    found: list[str] = can.get("qos", [])
    return service_can(can, "qos") if section.kind == "service" else found


def _differs(section: FlowSection, writers: int, readers: int) -> dict[str, Any]:
    """Return what of a flow, on which its QoS depends, differs from the case."""
    if section.kind == "service":
        return {
            "test": "service",
            "rate_hz": section.rate_hz,
            "clients": writers,
            "outstanding": section.outstanding,
        }
    if section.kind != "pings":
        return {"test": "throughput"}
    return {
        "test": "latency",
        "rate_hz": section.rate_hz,
        "arrivals": section.arrivals if section.rate_hz else "closed",
        "publishers": writers,
        "subscribers": readers,
    }


def _in_words(section: FlowSection) -> str:
    topics = f"{section.topics} topics of " if section.topics > 1 else ""
    arrivals = ", Poisson" if section.arrivals == "poisson" else ""
    ends = [", ".join(names) or NOBODY for names in (section.writers, section.readers)]
    return f"{section.name}: {topics}{_what(section)}{arrivals}, from {ends[0]} to {ends[1]}" + (
        f", answered by {', '.join(section.echo)}" if section.echo else ""
    )


def _what(section: FlowSection) -> str:
    each = f"{section.size} B"
    if section.kind == "batches":
        return f"batches of {section.batch} samples of {each}"
    if section.kind == "service":
        return f"requests of {each} " + (
            f"at {section.rate_hz:g}/s" if section.rate_hz else "in a closed loop"
        )
    if section.kind == "pings":
        return f"pings of {each} " + (
            f"at {section.rate_hz:g}/s" if section.rate_hz else "in a closed loop"
        )
    rate = f"{section.rate_hz:g}/s of {each}" if section.rate_hz else f"{each} at full speed"
    return rate + (f" (one in {section.probe_every} a probe)" if section.probe_every else "")


def _sides(params: Parameters) -> tuple[tuple[str, str, int], ...]:
    """Return participants of the matrix: prefix of their parameters, their name, their number."""
    if is_mesh(params):
        return (("", APPLICATION, applications(params)),)
    return ("", "active", params.active), ("peer_", "passive", params.subscribers or 0)


def numbered(name: str, count: int) -> list[str]:
    """Return the names of identical participants, numbered if there are several."""
    return [f"{name}{number}" for number in range(1, count + 1)] if count > 1 else [name]


def _alike(
    section: ParticipantSection, point: dict[str, Any], adapters: dict[str, Adapter]
) -> Iterator[Participant]:
    """Yield a section's participants. An adapter of the case has the case's values as defaults."""
    adapter = section.adapter or point["adapter"]
    same = adapter == point["adapter"]
    side = "peer_" if adapter == point["peer"] else ""
    can = adapters[adapter].capabilities or {}
    transport, waits = section.transport, can.get("waits", [])
    if transport == "default":
        first = next(iter(can.get("transports", [])), "default")
        transport = point[f"{side}transport"] if same or side else first
    nodes = nodes_of(section.on) if section.on else [None]
    for index, name in enumerate(section.names):
        yield Participant(
            name=name,
            adapter=adapter,
            transport=transport,
            wait=point["wait"] if point["wait"] in waits else next(iter(waits), "listener"),
            settings={**(point[f"{side}settings"] if same or side else {}), **section.option},
            on=nodes[index % len(nodes)],
            cpus=section.cpus or None,
            fifo=point["fifo"] if section.fifo is None else section.fifo,
            **({"server": section.server} if section.server else {}),
        )


def unsupported_background(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why the case cannot have these participants and flows; None if it can."""
    known = {own.name: own for own in _all(params)}
    for own in params.participants:
        if reason := _place(own, params, adapters):
            return f"participant {own.name}: {reason}"
    for flow in params.flows:
        names = [*flow.writers, *flow.readers]
        for name in (*names, *flow.echo):
            if name not in known:
                return f"flow {flow.name}: the case has no participant {name}"
        if flow.probe_every and len(flow.echo) > 1:
            words = ", ".join(flow.echo)
            return f"flow {flow.name}: one reader echoes probes, echo names {words}"
        ends = [known[name] for name in names]
        for own in ends:
            adapter = adapters[own.adapter]
            asked = {name: getattr(own, name) for name in OF_AN_ADAPTER}
            asked |= {name: getattr(flow, name) for name in ASKED}
            if flow.kind == "service":
                asked |= {"test": "service", "wait": flow.wait}
            if reason := lacking(params.changed(**UNASKED, **asked), adapter):
                return f"flow {flow.name}: {own.adapter}: {reason}"
            reason = host_only(own.adapter, own.transport, adapter.capabilities or {})
            if reason and len({each.on for each in ends}) > 1:
                return f"flow {flow.name}: {reason}"
    return None


def _all(params: Parameters) -> Iterator[Participant]:
    """Yield participants of the case, the matrix's too, as far as flows must know them."""
    for side, name, count in _sides(params):
        nodes = nodes_of((params.reader_on if side else params.writer_on) or "") or [""]
        other = side if params.peer else ""
        for index, each in enumerate(numbered(name, count)):
            yield Participant(
                name=each,
                adapter=(params.peer or "") if other else params.adapter,
                **{key: getattr(params, f"{other}{key}") for key in OF_AN_ADAPTER},
                on=nodes[index % len(nodes)] or None,
                fifo=params.fifo,
            )
    yield from params.participants


def _place(own: Participant, params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why it cannot have its process, or be without one of its own."""
    adapter = adapters[own.adapter]
    if not adapter.usable:
        return adapter.reason
    together = params.deployment == "one" and own.adapter == params.adapter
    if together and (own.cpus or own.fifo != params.fifo):
        return f"cpus and fifo: all participants of {own.adapter} are one process"
    if own.server and not meets_at_server(adapter.capabilities, own.settings):
        return f"server: participants of {own.adapter} meet at none"
    missing = [cpu for cpu in numbers_of(own.cpus) if cpu not in usable_cpus()]
    if missing and params.network != "nodes":
        return f"CPU {', '.join(map(str, missing))} is not among those here"
    confined = process_only(adapter.name, own.transport, adapter.capabilities or {})
    return f"{confined} works within one process only" if confined and not together else None
