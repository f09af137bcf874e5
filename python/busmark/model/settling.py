"""How the default of a parameter settles: from what a scenario asks for to what a case has.

A function is the `settle` of fields of `Parameters`. Its arguments are what the scenario asks for
(`UNSTATED` where it cannot ask) and the case so far; it returns the value of the case, or
`UNSTATED`. What one expression does stands in the field itself.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from busmark.carriers import process_only
from busmark.model.entry import EXCHANGES, SEARCHES, SERVED, SERVICES, STREAMS
from busmark.model.units import ELEMENT_BYTES, FILE_SIZE, parse_sizes

UNSTATED: Final = object()
"""Marker for a parameter that the case does not state."""

DEEPEST = 4096
"""Samples that history keeps for one writer by default: more are memory that few have."""

DISCOVERY_DEPTH = 10
"""Samples that history keeps in a discovery test: 10 ms at its rate. More would be memory that each
new endpoint sets up, in the time that is measured."""

DISCOVERY_HZ = 1000.0
"""Rate of the writers of a discovery test by default: as in the document of 2008."""

ROS_PROFILES: dict[str, dict[str, Any]] = {
    name: {"reliability": reliability, "history": "keep_last", "depth": depth}
    for name, reliability, depth in (
        ("default", "reliable", 10),
        ("sensor_data", "best_effort", 5),
        ("services_default", "reliable", 10),
        ("parameters", "reliable", 1000),
        ("parameter_events", "reliable", 1000),
    )
}
"""Policies of QoS profiles by their names in ROS (`rmw/qos_profiles.h`), all of them volatile, as
endpoints are. `system_default` is not here, for it states none."""


@dataclass(frozen=True, slots=True)
class World:
    """Facts that a default may depend on besides the parameters of the case."""

    capabilities: Mapping[str, Mapping[str, Any]]
    """Capabilities of the adapters, by name; empty: an adapter that cannot be used."""
    lab_nodes: tuple[str, ...]
    user_nodes: tuple[str, ...]
    """Names of `[nodes]`."""
    fifo: int
    """`run.fifo`"""
    secured: bool
    """Whether any case of the scenario has a security profile."""
    body_bytes: int
    """Size of `measure.body_file`."""
    statistic: str
    """`rounds.statistic`"""

    def offers(self, adapter: str, what: str) -> list[str]:
        """Return what the adapter lists under a key of its capabilities."""
        found: list[str] = self.capabilities[adapter].get(what, [])
        return found


class SettlingPoint(dict[str, Any]):
    """The values of a case so far, in the order of the fields; for a later field, what is asked."""

    def __init__(self, asked: Mapping[str, Any], world: World) -> None:
        super().__init__()
        self.asked = asked
        self.world = world

    def __missing__(self, name: str) -> Any:
        return self.asked[name]

    @property
    def has_probes(self) -> bool:
        """Return whether samples of a stream may be probes."""
        return self["test"] in STREAMS and not self["batch"]


def transport(value: str, point: SettlingPoint, side: str = "adapter") -> str:
    offered = point.world.offers(point[side], "transports")
    return offered[0] if value == "default" and offered else value


def peer_transport(value: str, point: SettlingPoint) -> str | None:
    if point["peer"] is None:
        return None
    return transport(point.asked["transport"] if value == "same" else value, point, "peer")


def size(value: int | str, point: SettlingPoint) -> int:
    """Return bytes; for a distribution, its mean."""
    if point["payload"] == "empty":
        return 0
    if isinstance(value, int):
        return value
    if value == FILE_SIZE:
        return point.world.body_bytes
    element = ELEMENT_BYTES[point["payload"]]
    values = parse_sizes(value).values(element)
    return round(sum(values) / len(values) / element) * element


def size_distribution(_: object, point: SettlingPoint) -> str | None:
    asked = point.asked["size"]
    return None if isinstance(asked, int) or asked == FILE_SIZE else parse_sizes(asked).text


def wait(value: str, point: SettlingPoint) -> str:
    if value == "default" and point["test"] == "action":
        return ACTION_WAIT
    if value == "default" and point["test"] in SERVICES:
        return next(iter(service_offers(point, point["adapter"], "waits")), SERVICE_WAITS[0])
    offered = point.world.offers(point["adapter"], "waits")
    return next(iter(offered), "listener") if value == "default" else value


def peer_wait(_: object, point: SettlingPoint) -> str | None:
    if point["peer"] is None:
        return None
    if point["test"] in SERVED:
        offered = service_offers(point, point["peer"], "waits")
    else:
        offered = point.world.offers(point["peer"], "waits")
    return point["wait"] if point["wait"] in offered else next(iter(offered), "listener")


def rate_hz(value: float, point: SettlingPoint) -> float | None:
    return value or (DISCOVERY_HZ if point["test"] == "discovery" else None)


def of_discovery(value: Any, point: SettlingPoint) -> Any:
    """Settle what only a discovery test has."""
    return value if point["test"] == "discovery" else UNSTATED


def of_service(value: Any, point: SettlingPoint) -> Any:
    """Settle what only a service test has."""
    return value if point["test"] in SERVICES else UNSTATED


def of_action(value: Any, point: SettlingPoint) -> Any:
    """Settle what only an action test has."""
    return value if point["test"] == "action" else UNSTATED


def clients(value: int, point: SettlingPoint) -> Any:
    """Return the participants that ask a server."""
    return value if point["test"] in SERVED else UNSTATED


def goals(value: int, point: SettlingPoint) -> Any:
    """Return the goals under way of each client: at a rate there is no limit."""
    return value if point["test"] == "action" and not point["rate_hz"] else UNSTATED


def cancel_every(value: int, point: SettlingPoint) -> Any:
    return value if point["test"] == "action" and value else UNSTATED


def outstanding(value: int, point: SettlingPoint) -> Any:
    """Return the requests under way of each client: at a rate there is no limit."""
    return value if point["test"] == "service" and not point["rate_hz"] else UNSTATED


def response_size(value: int | str, point: SettlingPoint) -> Any:
    """Return the bytes of a response that is not as large as its request."""
    known = point["test"] in SERVICES and isinstance(value, int) and value != point["size"]
    return int(value) if known else UNSTATED


SERVICE_WAITS = ("waitset", "poll")
"""Wait strategies of a service, preferred first."""

ACTION_WAIT = "waitset"
"""The wait strategy of an action: its server waits until the next feedback is due."""

SERVICE_DEPTH = 10
"""Requests and responses that history keeps by default where a service goes by two topics: as in
ROS's profile for services."""


SEARCHED_DEPTH = 1000
"""The same where a rate is searched: requests that wait are to end a trial by their time, not by
being overwritten."""


def service_offers(point: SettlingPoint, adapter: str, what: str) -> list[str]:
    """Return the wait strategies or QoS of an adapter's services, or of its topics where it has
    none: a service then goes by two of them."""
    native = "services" in point.world.offers(adapter, "features")
    offered = point.world.offers(adapter, f"service_{what}" if native else what)
    return [one for one in SERVICE_WAITS if one in offered] if what == "waits" else offered


def action_offers(point: SettlingPoint, adapter: str) -> list[str]:
    """Return the QoS that both services and topics of an adapter offer: an action has both."""
    topics = point.world.offers(adapter, "qos")
    return [one for one in topics if one in service_offers(point, adapter, "qos")]


def server_time(value: float, point: SettlingPoint) -> Any:
    return value if point["test"] in SERVICES and value else UNSTATED


def server_times(value: str, point: SettlingPoint) -> Any:
    return value if point.get("server_time_s") else UNSTATED


def resident_counts(_: object, point: SettlingPoint) -> Any:
    """Return whether the endpoint that is there already counts its matches."""
    if point["test"] != "discovery":
        return UNSTATED
    there = (point["new"] == "writer" and point["peer"]) or point["adapter"]
    return "matched" in point.world.offers(there, "features")


def nodes(value: str, point: SettlingPoint) -> str | None:
    """Return the nodes of publishers or of subscribers; applications have the same for both."""
    present = point.world.lab_nodes or point.world.user_nodes
    if point["applications"]:
        value = point.asked["applications_on"] or "+".join(present)
    return (value or None) if present else None


def network(_: object, point: SettlingPoint) -> str | None:
    """Return what participants are on: the lab, the user's nodes, or this machine alone (null)."""
    if point["writer_on"] is None:
        return None
    return "lab" if point["writer_on"].split("+")[0] in point.world.lab_nodes else "nodes"


def deployment(_: object, point: SettlingPoint) -> str:
    """Return whether all participants are in one process, or each in its own."""
    name = point["adapter"]
    confined = process_only(name, point["transport"], point.world.capabilities[name])
    return "one" if confined and point["peer"] is None else "separate"


def qos(value: Mapping[str, Any], point: SettlingPoint) -> dict[str, Any]:
    return policies(point, value, _honoured(point))


def stream_qos(_: object, point: SettlingPoint) -> Any:
    """Return the QoS of the background stream."""
    if not point["stream_hz"]:
        return UNSTATED
    return policies(point, point.asked["qos"], _honoured(point), {"test": "throughput"})


def _service_depth(asked: int, case: Mapping[str, Any]) -> int:
    """Return how many requests history keeps: as asked for, else as many as ROS's services keep, or
    as can be under way."""
    if asked != 1:
        return asked
    if case["test"] in SEARCHES:
        return SEARCHED_DEPTH
    rate: float = case["rate_hz"] or 0.0
    of_action = case["test"] == "action"
    lasts_s = case["timeout_s"] + (case["goal_time_s"] if of_action else 0.0)
    closed = case["goals"] if of_action else case["outstanding"]
    each: int = ceil(rate * lasts_s) if rate else closed
    clients: int = case["clients"]
    return min(max(SERVICE_DEPTH, clients * each), DEEPEST)


def _honoured(point: SettlingPoint) -> list[str]:
    """Return the QoS that the adapters of both sides offer."""
    names = [name for name in (point["adapter"], point["peer"]) if name]
    if point["test"] == "action":
        sides = [action_offers(point, name) for name in names]
    elif point["test"] in SERVICES:
        sides = [service_offers(point, name, "qos") for name in names]
    else:
        sides = [point.world.offers(name, "qos") for name in names]
    return [value for value in sides[0] if value in sides[-1]]


def policies(
    point: SettlingPoint,
    asked: Mapping[str, Any],
    honoured: Collection[str],
    differs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the QoS of a flow, which `differs` from the case in some parameters: what is asked
    for, with reliability and history settled.

    Reliability is reliable if the adapter has it. History keeps all samples where none may be
    overwritten: in a stream, and in an open loop, where pings that wait for a delayed reader are
    the ones that matter. In a closed loop there is one ping at a time, so it keeps the last (with
    several participants one each, because their answers come together). So it does of a service,
    where several may be under way. An open loop without
    keep-all keeps as many of the last samples as it takes for none to be overwritten before it has
    timed out. In a discovery test it keeps a few of the last.
    """
    case = ChainMap(differs or {}, point)
    named = ROS_PROFILES.get(asked["profile"], {})
    # A policy that the case names takes precedence over its profile.
    unnamed = {name for name in named if asked[name] == (1 if name == "depth" else "default")}
    asked = {**asked, "profile": "", **{name: named[name] for name in unnamed}}
    found = {name: value for name, value in asked.items() if value not in ("default", 0, "")}
    if "reliability" not in found:
        offers = [v for v in ("reliable", "best_effort") if v in honoured]
        found.update({"reliability": offers[0]} if offers else {})
    if "history" not in found and case["test"] == "discovery":
        # A writer that waits for a reader that has gone would send too little to the next.
        if "keep_last" in honoured:
            found |= {"history": "keep_last", "depth": max(asked["depth"], DISCOVERY_DEPTH)}
    elif "history" not in found and case["test"] in SERVED:
        if "keep_last" in honoured:
            found |= {"history": "keep_last", "depth": _service_depth(asked["depth"], case)}
    elif "history" not in found:
        latency, reliable = case["test"] == "latency", found.get("reliability") == "reliable"
        open_loop = latency and case["arrivals"] != "closed"
        all_of_them = not latency or (open_loop and asked["depth"] == 1)
        if all_of_them and reliable and "keep_all" in honoured:
            found["history"] = "keep_all"
        elif latency and "keep_last" in honoured:
            found["history"] = "keep_last"
            depth = max(asked["depth"], case["publishers"], case["subscribers"])
            if open_loop and asked["depth"] == 1:
                depth *= min(ceil(case["rate_hz"] * case["timeout_s"]), DEEPEST)
            found["depth"] = depth
    if found.get("history") != "keep_last":
        found.pop("depth", None)
    return found


def statistic(_: object, point: SettlingPoint) -> str:
    """Return what decides how many rounds the case needs."""
    if point["test"] in ("discovery", "action"):
        return "median"
    return point.world.statistic if point["test"] in EXCHANGES else "goodput"
