"""Latency of a single round: what a ratio between cases is made of, round by round."""

from __future__ import annotations

from pydantic import Field

from busmark.analysis.figures import Frozen


class LegOfRound(Frozen):
    """A part of a ping's way in one round; ns. Negative where the later stamp was taken first."""

    count: int
    mean_ns: float
    std_ns: float | None
    max_ns: float


class RoundLatency(Frozen):
    """Half the round trips of one round, of pings or of the probes in a stream; ns.

    A percentile that the count does not support is null; so are figures of one way where clocks
    differ.
    """

    count: int
    mean_ns: float
    std_ns: float | None
    min_ns: float
    max_ns: float
    p2_ns: float | None
    median_ns: float
    p98_ns: float | None
    jitter_ns: float | None = None
    """Mean absolute delay variation between consecutive samples (RFC 3393)."""
    jitter_p2_ns: float | None = None
    """Percentile of the signed variation: below 0."""
    jitter_p98_ns: float | None = None
    there_mean_ns: float | None = None
    """One way, from just before write to the ponger's hands."""
    there_std_ns: float | None = None
    there_max_ns: float | None = None
    legs: dict[str, LegOfRound] = Field(default={})
    """By name; only where the document states something of legs."""
