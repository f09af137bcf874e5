"""What OpenDDSBench states of throughput."""

from __future__ import annotations

from busmark.documents.checks import Ratio, share
from busmark.documents.claim import ABOVE, BELOW, about, alike
from busmark.documents.document import Statement
from busmark.documents.select import Select, asks, cases
from busmark.estimate.capacity import rated_mbit_per_s, specified_mbit_per_s

ADAPTERS = ("opendds", "cyclonedds", "fastdds")
"""The article's own middleware, and two others beside it."""

WITHIN = 0.0, 0.55
"""Share of the rated capacity that is asked for, below the article's practical capacity."""

BEYOND = 1.1, 1e9
"""And well above."""

BOUNDED = 1.05
"""Within which throughput is that which was specified."""

LIKE_FTP = 1.15
"""Within which two limits are similar; the article shows lines in a chart."""

TOPOLOGIES = {
    "bidirectional": {"topology": "bidirectional", "subscribers": 1},
    "publication bound": {"topology": "one_way", "subscribers": 2},
}


def ascent(adapter: str, topology: str, share: tuple[float, float]) -> Select:
    """Cases of the steepest ascent that ask for this share of the rated capacity."""
    return cases(
        test="throughput", adapter=adapter, qos_reliability="best_effort",
        **TOPOLOGIES[topology], where=asks(*share),
    )  # fmt: skip


TRANSFER = cases(test="throughput", adapter="tcp")
"""The plain transfer that gives the practical capacity."""

THROUGHPUT = (
    Statement(
        "Throughput, ¶3",
        "The practical capacity of the network, by ftp, was 595 Mbit/s of 1 Gbit/s rated.",
        (
            share(
                "plain TCP transfer over the rated capacity",
                TRANSFER,
                rated_mbit_per_s,
                about(0.595, LIKE_FTP),
            ),
        ),
        part="throughput",
    ),
    Statement(
        "Throughput, ¶¶1 and 4",
        "Below the network's capacity, throughput is bounded by the rate that was specified, in "
        "both topologies.",
        tuple(
            share(
                f"throughput over specified rate, {adapter}, {topology}",
                ascent(adapter, topology, WITHIN),
                specified_mbit_per_s,
                alike(BOUNDED),
            )
            for adapter in ADAPTERS
            for topology in TOPOLOGIES
        ),
        part="throughput",
    ),
    Statement(
        "Throughput, ¶¶1 and 4",
        "At specified rates beyond the capacity, the capacity bounds throughput.",
        tuple(
            share(
                f"throughput over rated capacity, {adapter}, {topology}",
                ascent(adapter, topology, BEYOND),
                rated_mbit_per_s,
                BELOW,
            )
            for adapter in ADAPTERS
            for topology in TOPOLOGIES
        ),
        part="throughput",
    ),
    Statement(
        "Throughput, ¶4",
        "The limit of the bidirectional topology is similar to ftp's.",
        tuple(
            Ratio(
                f"throughput of one direction over plain TCP transfer, {adapter}",
                ascent(adapter, "bidirectional", BEYOND),
                TRANSFER,
                about(1.0, LIKE_FTP),
                alike_in=("link_rate",),
            )
            for adapter in ADAPTERS
        ),
        untold="There it is laid to collisions; the links here are full duplex, each direction has "
        "its own capacity.",
        part="throughput",
    ),
    Statement(
        "Throughput, ¶4",
        "The publication-bound topology reaches somewhat more of the rated capacity than the "
        "bidirectional one.",
        tuple(
            Ratio(
                f"throughput, publication bound over bidirectional, {adapter}",
                ascent(adapter, "publication bound", BEYOND),
                ascent(adapter, "bidirectional", BEYOND),
                ABOVE,
                alike_in=("rate_hz", "size", "link_rate"),
            )
            for adapter in ADAPTERS
        ),
        part="throughput",
    ),
    Statement(
        "Throughput, ¶4",
        "The publication-bound topology reaches more than ftp does.",
        tuple(
            Ratio(
                f"throughput over plain TCP transfer, publication bound, {adapter}",
                ascent(adapter, "publication bound", BEYOND),
                TRANSFER,
                ABOVE,
                alike_in=("link_rate",),
            )
            for adapter in ADAPTERS
        ),
        part="throughput",
    ),
)
