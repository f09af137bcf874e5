"""What the thesis expects of a secured run. It has no figures of one."""

from __future__ import annotations

from busmark.documents.checks import Ratio
from busmark.documents.claim import ABOVE, BELOW
from busmark.documents.document import Statement
from busmark.documents.perftest_2023.selections import PLACES
from busmark.documents.select import WORKLOAD
from busmark.documents.values import of_latency, samples_per_s
from busmark.estimate.case import CaseSummary

SECURED = [place for place in PLACES if place.transport == "udp"]
"""Where the thesis's vendor would have been, and the two that have security here."""

ALIKE = (*WORKLOAD, "transport")

median = of_latency(lambda of: of.median_ns)


def one_vendor(case: CaseSummary) -> bool:
    """Not a pair of two vendors."""
    return case.params.peer is None


STATEMENTS = (
    Statement(
        "§5.3",
        "Security is likely to increase latency.",
        tuple(
            Ratio(f"median latency in latency mode, all protected over plain, {place.name}",
                  place.latency(one_vendor, security="all"),
                  place.latency(one_vendor, security="none"), ABOVE, ALIKE, median)
            for place in SECURED
        ),
    ),
    Statement(
        "§5.3",
        "Security is likely to impact throughput.",
        tuple(
            Ratio(f"samples/s in throughput mode, all protected over plain, {place.name}",
                  place.throughput(one_vendor, security="all"),
                  place.throughput(one_vendor, security="none"), BELOW, ALIKE, samples_per_s)
            for place in SECURED
        ),
    ),
    Statement(
        "§3.3.1",
        "With security no data could be collected.",
        untold="A fault of that set-up: the program asked for a governance document, and with one "
        "it collected nothing. What is collected here is in the report.",
    ),
)  # fmt: skip
