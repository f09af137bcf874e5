"""What the slides state of throughput: theoretical by sequence numbers, against read."""

from __future__ import annotations

from busmark.documents.checks import Each
from busmark.documents.claim import ALL, Claim
from busmark.documents.document import Statement
from busmark.documents.pother_2008.places import ADAPTERS, part_of
from busmark.documents.select import Select, cases
from busmark.documents.values import expected, received
from busmark.estimate.case import CaseSummary

FEWER = Claim(0.0, 0.999)
"""More than one in a thousand was not read."""


def overloaded(case: CaseSummary) -> bool:
    """Whether samples are overwritten where the reader does not keep up: keep-last 1, at full
    speed."""
    qos = case.params.qos or {}
    last = qos.get("history") == "keep_last" and (qos.get("depth") or 1) == 1
    return part_of(case) == "throughput" and last and not case.params.rate_hz


def _paced(case: CaseSummary) -> bool:
    return part_of(case) == "throughput" and bool(case.params.rate_hz)


def paced(adapter: str) -> Select:
    """Transmitters with a defined size and frequency."""
    return cases(_paced, test="throughput", adapter=adapter)


def overload(adapter: str) -> Select:
    """As fast as it goes, to a reader that keeps one sample."""
    return cases(overloaded, test="throughput", adapter=adapter)


THROUGHPUT = (
    Statement(
        "Scalability benchmarks: Throughput",
        "Receivers report the theoretical throughput, by sequence numbers, and the one that was "
        "read. Where the system carries the load, they are the same.",
        tuple(
            Each(f"read over theoretical, defined size and frequency, {adapter}", paced(adapter),
                 received, expected, ALL)
            for adapter in ADAPTERS
        ),
        part="throughput",
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "They differ where a reader cannot keep up: with keep-last and a depth of 1, newer samples "
        "replace older ones.",
        tuple(
            Each(f"read over theoretical, keep-last 1 at full speed, {adapter}", overload(adapter),
                 received, expected, FEWER)
            for adapter in ADAPTERS
        ),
        part="throughput",
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "They differ too where samples are lost on the way, which receivers report as errors.",
        untold="Where samples are lost is reported with each case, as far as its counters "
        "distinguish it.",
        part="throughput",
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "All receivers of a node together read 80 MB/s on a Xeon of 2.0 GHz, and 450 MB/s on two "
        "Opterons.",
        untold="A figure of those machines. The table has what all receivers together read here.",
        part="throughput",
    ),
)  # fmt: skip
