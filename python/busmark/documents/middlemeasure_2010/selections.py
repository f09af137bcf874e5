"""Cases of MiddleMeasure by the names that the thesis has for them."""

from __future__ import annotations

from typing import Any

from busmark.documents.select import Select, Where, cases
from busmark.estimate.case import CaseSummary


def qos(reliability: str, history: str, lifespan_s: float = 0.0) -> dict[str, Any]:
    """A combination of Table 4; a lifespan of 0 is infinite."""
    return {"qos_reliability": reliability, "qos_history": history, "qos_lifespan_s": lifespan_s}


BEST_EFFORT_LAST = qos("best_effort", "keep_last")
RELIABLE_LAST = qos("reliable", "keep_last")
RELIABLE_ALL = qos("reliable", "keep_all")
RELIABLE_ALL_FINITE = qos("reliable", "keep_all", 10.0)
BEST_EFFORT_ALL_FINITE = qos("best_effort", "keep_all", 10.0)

SINGLE = {"publishers": 1, "subscribers": 1}

WHATEVER_QOS = ("test", "size", "payload", "batch", "placement")
"""In which cases are alike of which one has no QoS to choose."""

NDDS, INTERCOM, TAO = "rti", "fastdds", "omniorb"
"""Adapters in the places of the thesis's middleware; see the document's stand-ins."""


def latency(adapter: str, where: Where | None = None, **params: Any) -> Select:
    """Single-receiver latency with octets, unless `params` say otherwise."""
    usual = {"test": "latency", "payload": "octet", **SINGLE}
    return cases(where, adapter=adapter, **{**usual, **params})


def throughput(adapter: str, where: Where | None = None, **params: Any) -> Select:
    """Single-receiver throughput with octets, unless `params` say otherwise."""
    usual = {"test": "throughput", "payload": "octet", **SINGLE}
    return cases(where, adapter=adapter, **{**usual, **params})


def from_1_kib(case: CaseSummary) -> bool:
    """What is taken for larger payloads, of which the thesis speaks."""
    return (case.size or 0) >= 1024


def below_2_kib(case: CaseSummary) -> bool:
    """Payloads under 2048 bytes."""
    return (case.size or 0) < 2048


def excepted(case: CaseSummary) -> bool:
    """Sizes at which the thesis saw an effect of disk load."""
    return case.size in (512, 4096)


def not_excepted(case: CaseSummary) -> bool:
    """Sizes at which the thesis saw no effect of disk load."""
    return not excepted(case)
