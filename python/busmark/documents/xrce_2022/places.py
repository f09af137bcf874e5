"""Which of the paper's tests a case is, and what its packets say."""

from __future__ import annotations

from collections.abc import Callable

from busmark.documents.select import Select, cases
from busmark.documents.values import PerRound, Value
from busmark.documents.xrce_2022.stated import Condition
from busmark.estimate.case import CaseSummary
from busmark.estimate.route import Route, RouteRound

XRCE = ("zerodds-xrce", "microxrcedds")
"""Adapters whose participants are XRCE clients."""
CONDITION: dict[tuple[str, str], Condition] = {
    ("udp", "reliable"): "UDP-R",
    ("tcp", "reliable"): "TCP-R",
    ("udp", "best_effort"): "UDP-BE",
    ("tcp", "best_effort"): "TCP-BE",
}


def deployment(case: CaseSummary) -> int | None:
    """1: participant → agent → client; 2: client → two agents → client; 3: client → agent → client;
    None: none of them."""
    peer = case.params.peer or case.adapter
    if peer not in XRCE:
        return None
    if case.adapter not in XRCE:
        return 1
    agents = (case.params.settings or {}).get("agents", "1")
    return 2 if str(agents) == "2" else 3


def condition(case: CaseSummary) -> Condition | None:
    """Transport of the clients, and their streams."""
    params = case.params
    of_client = params.peer_transport if params.peer else params.transport
    return CONDITION.get((str(of_client), str((params.qos or {}).get("reliability"))))


def limit(case: CaseSummary) -> int:
    """Packets of the test."""
    return int(case.params.samples or 0)


def middleware(case: CaseSummary) -> str:
    """Who takes part."""
    peer = case.params.peer
    return f"{case.adapter} to {peer}" if peer and peer != case.adapter else case.adapter


def route(case: CaseSummary) -> Route | None:
    """The way of the case's samples; None without a capture."""
    return case.routes[0] if case.routes else None


def of(where: int | tuple[int, ...], *conditions: Condition) -> Select:
    """Cases of these deployments and conditions; without conditions all."""
    wanted = where if isinstance(where, tuple) else (where,)

    def fits(case: CaseSummary) -> bool:
        return deployment(case) in wanted and (not conditions or condition(case) in conditions)

    return cases(where=fits)


def per_route(figure: Callable[[RouteRound], float | None]) -> Value:
    """A figure of each counted round's packets."""

    def value(case: CaseSummary) -> PerRound:
        found = route(case)
        if found is None:
            return {}
        return {own.round: of for own in found.rounds if (of := figure(own))}

    return value


mean = per_route(lambda own: own.mean_ns)
"""Average L; of conditions without a confirmation the application's time, as in the paper."""
greatest = per_route(lambda own: own.greatest_ns)
bits = per_route(lambda own: own.bits_mean)
hops = per_route(lambda own: own.hops)


def fixed(value: float) -> Value:
    """The same figure for every round that has a route."""
    return per_route(lambda _own: value)
