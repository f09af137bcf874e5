"""The latencies of a case that have statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import Described

if TYPE_CHECKING:
    from busmark.analysis.figures import Distribution
    from busmark.analysis.model import CaseSummary


def _jitter(case: CaseSummary) -> Distribution | None:
    found = case.latency or case.throughput
    return found.jitter if found else None


PINGS = Described(
    "half_round_trip", "round trips of pings, halved", lambda case: case.rtt_2, "RTT/2"
)
PROBES = Described(
    "probe_one_way",
    "one-way latencies in a stream: of every sample of one at a rate, else of its probes",
    lambda case: case.throughput.probe_one_way if case.throughput else None,
    "one-way in stream",
)
PROBE_TRIPS = Described(
    "probe_round_trip",
    "round trips of probes in a stream",
    lambda case: case.throughput.probe_round_trip if case.throughput else None,
    "round trip in stream",
)
JITTER = Described(
    "jitter",
    "magnitudes of the change of that latency from a sample to the next (RFC 3393)",
    _jitter,
    "jitter",
)

LATENCIES = (PINGS, PROBES, PROBE_TRIPS, JITTER)
