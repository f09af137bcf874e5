"""Cases of the Pother slides by what the slides call them."""

from __future__ import annotations

from collections.abc import Iterable

from busmark.compare.campaign import Campaign
from busmark.documents.select import Select, Where, cases
from busmark.estimate.case import CaseSummary

ADAPTERS = ("cyclonedds", "fastdds", "rti", "zerodds")
"""In the place of OpenSplice; the last two mark packets with the transport priority."""

DISCOVERING = ("cyclonedds", "fastdds")
"""Those of the discovery experiment."""

SCALING = (*ADAPTERS, "opendds", "rustdds", "dustdds")
"""Those of the scalability experiment."""

MARKING = ("rti", "zerodds")
"""Those whose transport priority shows on the wire."""

TIME_SHARING, REAL_TIME = 0, 30
"""Ordinary scheduling, and the SCHED_FIFO priority that the slides call RT/30."""

CLASSES = {TIME_SHARING: "time-sharing", REAL_TIME: "real-time 30"}

LOW, HIGH = 0, 100
"""Transport priorities: not asked for, and in the highest band."""


THERE = "Stated on the slides, 2008, on the machines of then"
"""What tables of the slides' own figures have in common."""


def middleware(campaign: Campaign, case: CaseSummary) -> str:
    """Name of the middleware of a case."""
    return str(campaign.adapters.get(case.adapter, {}).get("title", case.adapter))


def by_middleware(campaign: Campaign, cases: Iterable[CaseSummary]) -> dict[str, list[CaseSummary]]:
    """Cases of each middleware, by its name."""
    groups: dict[str, list[CaseSummary]] = {}
    for case in cases:
        groups.setdefault(middleware(campaign, case), []).append(case)
    return groups


def part_of(case: CaseSummary) -> str:
    """The experiment that a case belongs to."""
    if case.test == "latency" and case.params.flows:
        return "determinism"
    # One of applications asks what all readers of a system get.
    return "scalability" if case.params.applications else case.test


def _of(part: str) -> Where:
    return lambda case: part_of(case) == part


def trips(part: str, adapter: str, **params: int) -> Select:
    """Round trips of one experiment."""
    return cases(_of(part), test="latency", adapter=adapter, **params)


def streams(adapter: str, **params: object) -> Select:
    """Transmitters and receivers."""
    return cases(_of("throughput"), test="throughput", adapter=adapter, **params)
