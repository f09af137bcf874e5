"""The secured run of RTI Perftest, which a master's thesis of 2023 planned and could not do."""

from __future__ import annotations

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Ratio, for_each
from busmark.plugins.papers.document import Checks
from busmark.plugins.papers.evidence import ABOVE, BELOW
from busmark.plugins.papers.perftest_2023 import PLACES, latency, throughput
from busmark.plugins.papers.published import document
from busmark.plugins.papers.select import WORKLOAD, of_latency, samples_per_s

OVER_UDP = [place for place in PLACES if place.transport == "udp"]
"""The thesis's vendor, and the two that have security here."""

ALIKE = (*WORKLOAD, "transport")

median = of_latency(lambda of: of.median_ns)


def one_vendor(case: CaseSummary) -> bool:
    """Return whether both ends are of one vendor."""
    return case.params.peer is None


CHECKS: Checks = {
    "latency": for_each(
        OVER_UDP,
        Ratio,
        "median latency in latency mode, all protected over plain",
        latency(one_vendor, security="all"),
        latency(one_vendor, security="none"),
        ABOVE,
        ALIKE,
        median,
    ),
    "throughput": for_each(
        OVER_UDP,
        Ratio,
        "samples/s in throughput mode, all protected over plain",
        throughput(one_vendor, security="all"),
        throughput(one_vendor, security="none"),
        BELOW,
        ALIKE,
        samples_per_s,
    ),
}


SECURED = document(__file__, "secured_2023.toml", CHECKS)
