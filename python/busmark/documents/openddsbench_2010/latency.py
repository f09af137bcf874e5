"""What OpenDDSBench states of latency and jitter."""

from __future__ import annotations

from busmark.documents.along import OnLine, Steps
from busmark.documents.checks import Each
from busmark.documents.claim import ABOVE, Claim, alike
from busmark.documents.document import Statement
from busmark.documents.openddsbench_2010.places import CHARTED, PLACES
from busmark.documents.values import of_latency
from busmark.estimate.rounds import RoundLatency

OF_A_HOP = Claim(0.5, 0.5**0.5)
"""Standard deviation of one hop over two hops': fully correlated, and not at all."""

LIKE_HALF = 1.1
"""Within which the mean of a hop is half of two hops."""

CLOSE = 1.25
"""Within which most delays are very close to the median; the article shows a chart."""


def _upper(of: RoundLatency) -> float | None:
    """From the median to the 98th percentile."""
    return None if of.p98_ns is None else of.p98_ns - of.median_ns


def _lower(of: RoundLatency) -> float | None:
    """From the 2nd percentile to the median."""
    return None if of.p2_ns is None else of.median_ns - of.p2_ns


def _tail(of: RoundLatency) -> float | None:
    """Where the upper 2 % begin, relative to the median."""
    return None if of.p98_ns is None else of.p98_ns / of.median_ns


def _jitter_below(of: RoundLatency) -> float | None:
    return None if of.jitter_p2_ns is None else -of.jitter_p2_ns


def _two_hops(of: RoundLatency) -> float | None:
    """Standard deviation of the whole round trip."""
    return None if of.std_ns is None else 2 * of.std_ns


LATENCY = (
    Statement(
        "Latency and Jitter, Summary Plots",
        "Latency is linear in the size of the message: the delay per bit is constant, and where "
        "the line meets size 0 is the overhead.",
        tuple(
            OnLine(f"median over the line through all sizes, {place.name}", place.latency(),
                   alike(CLOSE))
            for place in PLACES
        ),
        part="latency",
    ),
    Statement(
        "Intervals; Math class",
        "The mean of one hop is half of that measured over two.",
        tuple(
            Each(f"mean of one hop over half the round trip, {place.name}", place.latency(),
                 of_latency(lambda of: of.there_mean_ns), of_latency(lambda of: of.mean_ns),
                 alike(LIKE_HALF))
            for place in PLACES
        ),
        untold="On one machine one clock sees both hops, so what had to be assumed there is "
        "measured here.",
        part="latency",
    ),
    Statement(
        "Math class",
        "The standard deviation of one hop lies between 0.5 and 0.707 of that over two hops.",
        tuple(
            Each(f"standard deviation of one hop over two hops', {place.name}", place.latency(),
                 of_latency(lambda of: of.there_std_ns), of_latency(_two_hops), OF_A_HOP)
            for place in PLACES
        ),
        untold="It holds where both hops are alike and not negatively correlated. Few extreme "
        "samples can outweigh all others in a standard deviation.",
        part="latency",
    ),
    Statement(
        "Intervals",
        "Extremes of single hops cannot be had from two: that both hops of a sample are extreme is "
        "unlikely.",
        tuple(
            Each(f"maximum of one hop over half of two hops', {place.name}", place.latency(),
                 of_latency(lambda of: of.there_max_ns), of_latency(lambda of: of.max_ns), ABOVE)
            for place in PLACES
        ),
        untold="The extreme sample of a round may have met its delay on the way back.",
        part="latency",
    ),
    Statement(
        "Intervals; Shape; Histogram Plot",
        "Latency is skewed to the right.",
        tuple(
            Each(f"98th percentile to median over median to 2nd percentile, {place.name}",
                 place.latency(), of_latency(_upper), of_latency(_lower), ABOVE)
            for place in PLACES
        ),
        part="latency",
    ),
    Statement(
        "Quantile Plot",
        "98 % of delays are very close to the median (UDP, 1000 bytes).",
        tuple(
            Each(f"98th percentile over median, {place.name}", place.latency(size=1000),
                 of_latency(lambda of: of.p98_ns), of_latency(lambda of: of.median_ns),
                 alike(CLOSE))
            for place in CHARTED
        ),
        part="latency",
    ),
    Statement(
        "Shape; Density and Quantile Plots",
        "Jitter is centred on zero, with a tail of about 2 % to each side (UDP, 1000 bytes).",
        tuple(
            Each(f"2nd percentile of jitter, below zero, over 98th, {place.name}",
                 place.latency(size=1000), of_latency(_jitter_below),
                 of_latency(lambda of: of.jitter_p98_ns), alike(CLOSE))
            for place in CHARTED
        ),
        part="latency",
    ),
    Statement(
        "Quantile Plot",
        "The slope, and the point at which tails form, are the same at all ten sizes.",
        tuple(
            Steps(f"98th percentile relative to median, from size to size, {place.name}",
                  place.latency(), alike(CLOSE), of_latency(_tail))
            for place in CHARTED
        ),
        part="latency",
    ),
    Statement(
        "Summary Plots",
        "Relative to latency, jitter can be compared between sizes.",
        untold="A chart without a figure in words; the pack's tables have it for every size.",
        part="latency",
    ),
    Statement(
        "Timeline Plot",
        "Noise is periodic, with a spike at 11 s, presumably of other processes of a desktop.",
        untold="It concerns that machine; the report shows the timelines of this one.",
        part="latency",
    ),
)  # fmt: skip
