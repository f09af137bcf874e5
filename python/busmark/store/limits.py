"""What a value of a stored table can be. Other values are damage: no clock, counter or middleware
gives them, and figures made of them would be wrong."""

from __future__ import annotations

from functools import cache

from busmark.store.columns import TABLES, Column

STAMP_NS = 2**62
"""146 years either way: what is within has differences that fit 64 bits."""
SPAN_NS = 30 * 86_400 * 10**9
"""Stamps of one clock in one round are no further apart: a round lasts an hour at most."""
COUNT = 2**62
BYTES = 2**50
SECONDS = 1e9
RATE = 1e15
"""Per second, or Mbit/s."""
PLAIN = 1e40
"""Limit for a figure without its own unit: a square of nanoseconds has to fit."""
ROUNDS = 10**6
TEXT = 10_000
"""Characters."""

Bounds = tuple[float, float]

OWN: dict[str, Bounds] = {
    "round": (0, ROUNDS),
    "attempt": (0, ROUNDS),
    "order": (0, 10**9),
    "size": (0, 2**41),
    **dict.fromkeys(
        ("topics", "writers", "readers", "publishers", "subscribers", "applications"), (1, 10**6)
    ),
    "flags": (0, 2**31),
    "percent": (0, 100),
    "drift_ppm": (-1e6, 1e6),
    "offset_bound_ns": (0, STAMP_NS),
    "realtime_bound_ns": (0, STAMP_NS),
    "duration_ns": (0, SPAN_NS),
    "median_ns": (0, STAMP_NS),
    "p99_ns": (0, STAMP_NS),
    "statistic_variance": (0, PLAIN),
    "statistic_variance_blocks": (0, PLAIN),
}
"""By name, in every table that has such a column."""

BY_UNIT: dict[str, Bounds] = {
    "ns": (-STAMP_NS, STAMP_NS),
    "B": (0, BYTES),
    "s": (0, SECONDS),
    "1/s": (0, RATE),
    "Mbit/s": (0, RATE),
}

REQUIRED = {
    "cases": ("case", "round", "status"),
    "summaries": ("case", "round", "quantity", "statistic"),
    "samples": ("seq",),
    "participants": ("round", "participant"),
    "flows": ("round", "flow", "writer", "sent", "received"),
    "batches": (
        "round", "writer", "reader", "number", "start_ns", "expected", "received", "bytes", "ended",
    ),
    "matches": ("round", "participant", "endpoint", "counterparts"),
    "hops": ("round", "writer", "seq", "hop", "repeated"),
    "wire": ("round", "purpose", "packets", "wire_bytes"),
    "discoveries": ("round", "repetition", "start_ns", "creation_ns", "received", "duration_ns"),
}  # fmt: skip
"""Columns without a null, by table."""

CHOICES = {
    "status": ("ok", "marked", "failed"),
    "test": ("latency", "throughput", "capacity", "discovery"),
}
"""Columns of the table `cases` with few values."""

STAMPS = (
    "intended_ns", "sent_ns", "written_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns",
    "delivered_ns", "read_ns", "start_ns",
)  # fmt: skip
"""Readings of one clock each, within one round."""


def bounds(table: str, column: Column) -> Bounds | None:
    """Least and greatest value of a column; None where it holds no numbers."""
    if column.kind in ("text", "bool"):
        return None
    if column.name in OWN:
        return OWN[column.name]
    if table == "system" and column.name != "start_ns" and column.unit == "ns":
        return (0, STAMP_NS)
    if column.unit in BY_UNIT:
        return BY_UNIT[column.unit]
    # A figure may be below zero, a count cannot.
    return (0, COUNT) if column.kind == "int" else (-PLAIN, PLAIN)


@cache
def bounds_of(table: str) -> dict[str, Bounds]:
    """Bounds of all columns of a table that hold numbers."""
    found = ((column.name, bounds(table, column)) for column in TABLES[table])
    return {name: limits for name, limits in found if limits is not None}
