"""What changes in the middle of a round, settled for a case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from busmark.adapters import Adapter
from busmark.model.entry import SEARCHES
from busmark.model.flow import TimelineChange
from busmark.model.parameters import POLICIES, Parameters
from busmark.plan.flows import Flows, PlannedFlow, flows
from busmark.scenario import Scenario

MOST_IN_WORDS = 6
"""Changes that the timeline in words lists at most."""


def timeline(scenario: Scenario) -> dict[str, Any]:
    """Return the parameters `timeline`, in words, and `changes` of every case, in the order of
    time; none where the scenario has no timeline."""
    if not scenario.timeline:
        return {}
    changes = [
        TimelineChange(
            at_s=each.at_s,
            flow=each.flow,
            rate_hz=each.rate_hz,
            qos=each.qos.model_dump(exclude_none=True),
            **({"link": each.link} if each.link else {}),
            **({"server": each.server} if each.server else {}),
        )
        for each in sorted(scenario.timeline, key=lambda each: each.at_s)
    ]
    first, more = changes[:MOST_IN_WORDS], len(changes) - MOST_IN_WORDS
    words = [*map(in_words, first), *([f"and {more} more"] if more > 0 else [])]
    return {"timeline": "; ".join(words), "changes": changes}


def in_words(change: TimelineChange) -> str:
    """Describe a change in words."""
    of = f" of {change.flow}" if change.flow else ""
    return f"at {change.at_s:g} s {', '.join(values(change))}{of}"


def values(change: TimelineChange) -> Iterator[str]:
    """Yield what it sets."""
    if change.link:
        yield f"link = {change.link}"
    if change.server:
        yield f"server = {change.server}"
    if change.rate_hz is not None:
        yield f"rate_hz = {change.rate_hz:g}"
    for name, value in change.qos.items():
        yield f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"


def phases(params: Parameters) -> list[tuple[float, list[TimelineChange]]]:
    """Group changes by their time: each time begins a phase, the first of them phase 1."""
    found: dict[float, list[TimelineChange]] = {}
    for change in params.changes:
        found.setdefault(change.at_s, []).append(change)
    return list(found.items())


def changed(change: TimelineChange, case: Flows) -> list[PlannedFlow]:
    """Return the flows of a case to which a change applies, in all topics and directions."""
    return [flow for flow in case.flows if _applies(change, flow)]


def _applies(change: TimelineChange, flow: PlannedFlow) -> bool:
    if change.link:
        return True
    if change.server and flow.kind != "service":
        return False
    if change.flow is None:
        return not flow.background
    return re.fullmatch(rf"{re.escape(change.flow)}(_\d+)?(_back)?", flow.name) is not None


def mean_rate_hz(flow: PlannedFlow, params: Parameters, seconds: float) -> float:
    """Return what each writer of a flow is to send per second on average of a round of this length;
    0 where it has no rate."""
    rate = flow.rate_hz
    if not rate or not seconds:
        return rate
    total, since = 0.0, 0.0
    for at_s, changes in phases(params):
        total += rate * (min(at_s, seconds) - since)
        since = min(at_s, seconds)
        rates = [each.rate_hz for each in changes if _applies(each, flow)]
        rate = next(filter(None, reversed(rates)), rate)
    return (total + rate * (seconds - since)) / seconds


def highest_rate_hz(flow: PlannedFlow, params: Parameters) -> float:
    """Return the highest rate that a flow has at any time."""
    rates = (each.rate_hz or 0.0 for each in params.changes if _applies(each, flow))
    return max(flow.rate_hz, *rates, 0.0)


def unsupported_timeline(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Return why the case cannot be changed so; None if it can."""
    if not params.changes:
        return None
    if params.test in SEARCHES:
        return "timeline: a trial of a search is at one rate"
    case = flows(params)
    for change in params.changes:
        if change.link and params.network != "lab":
            return "timeline: link is of the lab's links, and this case is not in the lab"
        of = changed(change, case)
        if not of:
            what = f"flow {change.flow}" if change.flow else "service"
            return f"timeline: the case has no {what}"
        if change.server and (reason := _found_once(of, adapters)):
            return f"timeline: {reason}"
        for flow in of:
            if change.rate_hz is not None and not flow.rate_hz:
                how = "at full speed" if flow.kind == "stream" else "in a closed loop"
                return f"timeline: {flow.name} has no rate to change: it runs {how}"
            for name in dict.fromkeys(end.participant.adapter for end in flow.ends):
                if reason := _fixed(change.qos, adapters[name]):
                    return f"timeline: {reason}"
    return None


def _found_once(of: list[PlannedFlow], adapters: dict[str, Adapter]) -> str | None:
    """Return why clients would not find a server that is made anew; None if they do."""
    for name in dict.fromkeys(end.participant.adapter for flow in of for end in flow.ends):
        features = (adapters[name].capabilities or {}).get("features", [])
        if "locators" in features and "server" not in features:
            return (
                f"a new server of {name} has another locator, which Busmark carries to clients "
                "before the measurement only"
            )
    return None


def _fixed(qos: dict[str, Any], adapter: Adapter) -> str | None:
    """Return why the adapter cannot change one of these on an endpoint in use; None: it can."""
    mutable = (adapter.capabilities or {}).get("qos_mutable", [])
    for name in qos:
        if POLICIES[name].needs not in mutable:
            can = [key for key, each in POLICIES.items() if each.needs in mutable]
            return (
                f"{adapter.name} cannot change {name} while it runs; it can change "
                f"{', '.join(can) or 'no QoS'}"
            )
    return None
