"""Which of the paper's tests a case is, and what its packets say."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from busmark.model.case import CaseSummary
from busmark.plugins.capture.route import Route, RouteRound
from busmark.plugins.papers.checks import Each, Ratio, delivered
from busmark.plugins.papers.document import Checks
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, Claim, alike
from busmark.plugins.papers.select import PerRound, Select, Value, cases
from busmark.plugins.papers.xrce_2022.published import Condition

XRCE = ("zerodds-xrce", "microxrcedds")
"""Adapters whose participants are XRCE clients."""
CONDITION: dict[tuple[str, str], Condition] = {
    ("udp", "reliable"): "UDP-R",
    ("tcp", "reliable"): "TCP-R",
    ("udp", "best_effort"): "UDP-BE",
    ("tcp", "best_effort"): "TCP-BE",
}


def deployment(case: CaseSummary) -> int | None:
    """Return 1: participant → agent → client; 2: client → two agents → client; 3: client → agent →
    client; None: none of them."""
    peer = case.params.peer or case.adapter
    if peer not in XRCE:
        return None
    if case.adapter not in XRCE:
        return 1
    agents = (case.params.settings or {}).get("agents", "1")
    return 2 if str(agents) == "2" else 3


def condition(case: CaseSummary) -> Condition | None:
    """Return transport and streams of the clients; None for any other."""
    params = case.params
    of_client = params.peer_transport if params.peer else params.transport
    return CONDITION.get((str(of_client), str((params.qos or {}).get("reliability"))))


def limit(case: CaseSummary) -> int:
    """Return the number of packets of the test."""
    return int(case.params.samples or 0)


def middleware(case: CaseSummary) -> str:
    """Return the middleware of both participants."""
    peer = case.params.peer
    return f"{case.adapter} to {peer}" if peer and peer != case.adapter else case.adapter


def route(case: CaseSummary) -> Route | None:
    """Return the route of the case's samples; None without a capture."""
    found = case.plugins.get("capture")
    return found.routes[0] if found and found.routes else None


def deployments(where: int | tuple[int, ...], *conditions: Condition) -> Select:
    """Select cases of these deployments and conditions; without conditions all."""
    wanted = where if isinstance(where, tuple) else (where,)

    def fits(case: CaseSummary) -> bool:
        return deployment(case) in wanted and (not conditions or condition(case) in conditions)

    return cases(where=fits)


def per_route(figure: Callable[[RouteRound], float | None]) -> Value:
    """Return a value that is a figure of each counted round's packets."""

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
    """Return a value that is the same figure for every round with a route."""
    return per_route(lambda _own: value)


DELAYED_ACK_NS = 40e6
"""Least time for which Linux puts an acknowledgement off."""
MUCH = Claim(12.0, inf)
"""Half of what averages there differ by, 14.6 against 0.6 ms. How many packets wait depends on
what else goes over the connection."""
FEW_LOST = Claim(1 - 3 / 50, 1 - 1 / 150)
"""One to three of 50 to 150."""
ALIKE = ("samples", "payload", "size", "adapter", "peer", "background", "settings.agents")
"""Parameters in which two conditions of one deployment are alike."""


LATENCY: Checks = {
    "tcp-two-families":
        (
            Ratio("average L, TCP-R over UDP-R",
                  deployments((1, 2, 3), "TCP-R"),
                  deployments((1, 2, 3), "UDP-R"), MUCH, ALIKE, mean),
            Each("greatest L of the others over 40 ms",
                 deployments((1, 2, 3), "UDP-R", "UDP-BE", "TCP-BE"), greatest,
                 fixed(DELAYED_ACK_NS), BELOW),
        ),
    "udp-reliable-alike":
        (Ratio("average, UDP-R over UDP-BE",
               deployments((1, 2, 3), "UDP-R"),
               deployments((1, 2, 3), "UDP-BE"), alike(), ALIKE, mean),),
    "tcp-best-effort-fastest":
        (Ratio("average, TCP-BE over UDP-R",
               deployments((1, 2, 3), "TCP-BE"),
               deployments((1, 2, 3), "UDP-R"), BELOW, ALIKE, mean),),
}  # fmt: skip

LENGTHS: Checks = {
    "tcp-longer": (
        Ratio(
            "bits of a sample on all hops, TCP-BE over UDP-BE",
            deployments((1, 2, 3), "TCP-BE"),
            deployments((1, 2, 3), "UDP-BE"),
            ABOVE,
            ALIKE,
            bits,
        ),
    ),
    "deployment-2-most-bits": (
        Ratio(
            "bits, deployment 2 over 3",
            deployments(2),
            deployments(3),
            ABOVE,
            ("samples", "payload", "size", "adapter", "peer", "transport", "qos.reliability"),
            bits,
        ),
    ),
}

LOSS: Checks = {
    "deployment-1-no-loss":
        (delivered("packets that arrived over those sent, deployment 1", deployments(1), ALL),),
    "first-packets-lost":
        (delivered("packets that arrived over those sent, deployments 2 and 3", deployments((2, 3)),
                   FEW_LOST),),
    "agent-passes-on":
        (Each("hops of a sample, deployment 3", deployments(3), hops, fixed(2.0), ALL),),
}  # fmt: skip

CHECKS = LATENCY | LENGTHS | LOSS
