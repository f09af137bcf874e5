"""The catalogue of figures: one file each, one line here.

Tables, workbook, frames, comparisons and the reference have their figures from these lists, in this
order. `entry` says what the catalogue knows of a figure; `latencies`, of which latencies a case has
statistics.
"""

from __future__ import annotations

from importlib import import_module

from busmark.analysis.catalogue.entry import (
    Compared,
    Described,
    Estimate,
    Explained,
    Heading,
    Number,
    Pooled,
    Statistic,
)
from busmark.analysis.catalogue.latencies import LATENCIES

FILES = (
    "median",
    "mean",
    "p90",
    "p99",
    "p999",
    "p9999",
    "mad",
    "std",
    "minimum",
    "maximum",
    "one_way_there",
    "one_way_back",
    "jitter_share",
    "goodput",
    "theoretical",
    "numbered",
    "written",
    "read",
    "drain",
    "samples",
    "sent",
    "received",
    "lost",
    "probes_sent",
    "probes_lost",
    "duplicated",
    "out_of_order",
    "foreign",
    "corrupted",
    "lost_share",
    "batches",
    "unacknowledged",
    "batch_time",
    "loss_share",
    "sustained_rate",
    "cpus_used",
    "memory",
    "captured",
    "capture_dropped",
    "wire_bytes",
    "wire_packets",
    "wire_overhead",
    "wire_control",
    "wire_repeated",
    "wire_discovery",
    "wire_discovery_packets",
    "discovery",
    "creation_time",
    "own_match",
    "peer_match",
    "first_sample",
    "own_match_after",
    "peer_match_after",
    "first_sample_after",
    "lost_before",
    "repetitions",
)

Entry = Statistic | Pooled | Estimate | Number

FIGURES: tuple[Entry, ...] = tuple(
    import_module(f"busmark.analysis.catalogue.{name}").FIGURE for name in FILES
)

STATISTICS = tuple(one for one in FIGURES if isinstance(one, Statistic))
"""Statistics of latencies of a round; the figures of comparisons are a subset."""

REPORTED = tuple(one for one in STATISTICS if one.reported)
"""Those that reports have: fields of `Distribution`."""

POOLED = tuple(one for one in FIGURES if isinstance(one, Pooled))
OF_CASES = tuple(one for one in FIGURES if isinstance(one, Estimate | Number))
ESTIMATES = tuple(one for one in OF_CASES if isinstance(one, Estimate) and one.pick)
NUMBERS = tuple(one for one in OF_CASES if isinstance(one, Number))

COMPARED = {
    one.compared.name: one.compared
    for one in OF_CASES
    if isinstance(one, Estimate) and one.compared
}
"""Besides statistics of latencies, by name."""

__all__ = [
    "COMPARED",
    "ESTIMATES",
    "FIGURES",
    "LATENCIES",
    "NUMBERS",
    "OF_CASES",
    "POOLED",
    "REPORTED",
    "STATISTICS",
    "Compared",
    "Described",
    "Entry",
    "Estimate",
    "Explained",
    "Heading",
    "Number",
    "Pooled",
    "Statistic",
]
