"""Cases of the Pother slides by what the slides call them."""

from __future__ import annotations

from collections.abc import Iterable

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.plugins.papers.select import Selects, Where, cases

ADAPTERS = ("cyclonedds", "fastdds", "rti", "zerodds")
"""Adapters in the place of OpenSplice; the last two mark packets with the transport priority."""

DISCOVERING = ("cyclonedds", "fastdds")
"""Adapters of the discovery experiment."""

SCALING = (*ADAPTERS, "opendds", "rustdds", "dustdds")
"""Adapters of the scalability experiment."""

TIME_SHARING, REAL_TIME = 0, 30
"""Ordinary scheduling, and the SCHED_FIFO priority that the slides call RT/30."""

CLASSES = {TIME_SHARING: "time-sharing", REAL_TIME: "real-time 30"}

LOW, HIGH = 0, 100
"""Transport priorities: the default, and one in the highest band."""


THERE = "Figures of the slides, 2008, on the machines of then"
"""Group of the tables with the slides' own figures."""


def middleware(campaign: Campaign, case: CaseSummary) -> str:
    """Return the name of the middleware of a case."""
    return str(campaign.adapters.get(case.adapter, {}).get("title", case.adapter))


def by_middleware(campaign: Campaign, cases: Iterable[CaseSummary]) -> dict[str, list[CaseSummary]]:
    """Return the cases of each middleware, by its name."""
    groups: dict[str, list[CaseSummary]] = {}
    for case in cases:
        groups.setdefault(middleware(campaign, case), []).append(case)
    return groups


def part_of(case: CaseSummary) -> str:
    """Return the experiment that a case belongs to."""
    if case.test == "latency" and case.params.flows:
        return "determinism"
    # The scalability experiment is the one that is made of applications.
    return "scalability" if case.params.applications else case.test


def of_adapter(test: str, where: Where, **params: object) -> Selects:
    """Select the cases of a test, for each adapter."""
    return Selects(lambda adapter: cases(where, test=test, adapter=adapter, **params))


def trips(part: str, **params: int) -> Selects:
    """Select round trips of one experiment."""
    return of_adapter("latency", lambda case: part_of(case) == part, **params)
