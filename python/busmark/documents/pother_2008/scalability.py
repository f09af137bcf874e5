"""What the slides state of 1,600 endpoints on four nodes: throughput as calculated, and traffic."""

from __future__ import annotations

from busmark.documents.checks import Each
from busmark.documents.claim import about
from busmark.documents.document import Statement
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.places import SCALING, part_of
from busmark.documents.select import Select, cases
from busmark.documents.values import PerRound, per_round
from busmark.estimate.case import CaseSummary

NEARLY = 1.02
"""The slides call two throughputs of 96 MB/s the same: within as many whole ones."""


def _as_there(case: CaseSummary) -> bool:
    """The slides' size and rate, whatever the number of applications."""
    its_own = part_of(case) == "scalability"
    return its_own and (case.size, case.params.rate_hz) == (stated.SIZE, stated.EACH_HZ)


def system(adapter: str) -> Select:
    """Applications that each write and read all topics."""
    return cases(_as_there, test="throughput", adapter=adapter)


def read_per_s(case: CaseSummary) -> PerRound:
    """Samples that all readers together read, per second."""
    return per_round(case, lambda attempt: attempt.samples_per_s)


def calculated_per_s(case: CaseSummary) -> PerRound:
    """Samples that they were to read: what writers asked for, once for each reader."""
    return per_round(case, lambda attempt: attempt.theoretical_per_s)


SCALABILITY = (
    Statement(
        "Example benchmark: scalability; actual throughput",
        "400 writers of 1000 B at 2 Hz and 1,200 readers in 40 applications on 4 nodes: every "
        "reader reads all, 96 MB/s together, as calculated.",
        tuple(
            Each(f"read over calculated throughput of all readers, {adapter}", system(adapter),
                 read_per_s, calculated_per_s, about(1.0, NEARLY))
            for adapter in SCALING
        ),
        part="scalability",
    ),
    Statement(
        "Example benchmark: scalability; calculated throughput",
        "A reader is to read 80 kB/s (40 writers × 2 Hz × 1000 B), an application 2.4 MB/s (30 "
        "readers), a node 24 MB/s, the system 96 MB/s.",
        untold="Arithmetic. The table has the same of this campaign's applications, and what was "
        "read.",
        part="scalability",
    ),
    Statement(
        "Example benchmark: scalability; node/network impact",
        "A node sends 200 kB/s, each sample once for all (100 writers × 2 Hz × 1000 B), and "
        "receives 600 kB/s from the other three.",
        untold="Arithmetic without headers. The table has what the nodes' interfaces sent and "
        "received, with all headers, beside what was written.",
        part="scalability",
    ),
    Statement(
        "Example benchmark: scalability; node/network impact",
        "With a latency budget of 200 ms a node sends at 5 Hz instead of 200 Hz: 40 samples are "
        "packed together.",
        untold="The network scheduler of a federated DDS packs samples of all its applications. "
        "The table has samples written per packet sent, for each case.",
        part="scalability",
    ),
    Statement(
        "Example benchmark: scalability; actual throughput",
        "The load of the CPUs stays below 50 %, on blades with two Opterons of 2.4 GHz.",
        untold="A figure of those machines. The table has the CPUs that all nodes together kept "
        "busy; here they are nodes of one machine.",
        part="scalability",
    ),
)  # fmt: skip
