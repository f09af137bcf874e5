"""What the thesis states of throughput mode: tests 1A, 1B, 3A and 3B."""

from __future__ import annotations

from busmark.plugins.papers.along import Second, Steps
from busmark.plugins.papers.checks import delivered
from busmark.plugins.papers.claim import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.document import Statement
from busmark.plugins.papers.perftest_2023.selections import (
    PLACES,
    from_16384,
    up_to_128,
    up_to_8192,
)
from busmark.plugins.papers.values import mbit_per_s, of_latency, samples_per_s

mean = of_latency(lambda of: of.mean_ns)
deviation = of_latency(lambda of: of.std_ns)

THROUGHPUT = (
    Statement(
        "§4.2.1, Table 0 (1A)",
        "In throughput mode latency falls as samples grow.",
        tuple(
            Steps(f"mean latency, each size over the one before, to 8192 bytes, {place.name}",
                  place.throughput(up_to_8192), BELOW, mean)
            for place in PLACES
        ),
        untold="There, samples below 8192 bytes wait until a batch is full. Nothing is batched "
        "here.",
    ),
    Statement(
        "§4.2.1, Table 0 (1A)",
        "The pattern switches in the last rows, where latency gets worse.",
        tuple(
            Steps(f"mean latency, each size over the one before, from 16384 bytes, {place.name}",
                  place.throughput(from_16384), ABOVE, mean)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.3.1, Figure 11",
        "The standard deviation of latency is high at the smallest sizes and low later.",
        tuple(
            Steps(f"standard deviation, 8192 bytes over 32, {place.name}",
                  place.throughput(up_to_8192), BELOW, deviation, ends=True)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.1, Table 1 (1B); Figure 15",
        "As samples grow, fewer of them arrive per second.",
        tuple(
            Steps(f"samples/s, each size over the one before, {place.name}",
                  place.throughput(), BELOW, samples_per_s)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.1, Table 1 (1B); Figure 16",
        "As samples grow, the throughput in Mbit/s rises.",
        tuple(
            Steps(f"Mbit/s, each size over the one before, {place.name}",
                  place.throughput(), ABOVE, mbit_per_s)
            for place in PLACES
        ),
    ),
    Statement(
        "Tables 1 and 3 (1B, 3B)",
        "No sample was lost.",
        tuple(
            delivered(f"samples received over sent, {place.name}", place.throughput(), ALL)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.2, Tables 0 and 2 (1A, 3A)",
        "In the second campaign latency is higher in the first three rows.",
        tuple(
            Second(f"mean latency, second campaign over first, to 128 bytes, {place.name}",
                   place.throughput(up_to_128), ABOVE, mean)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.3.3 and §4.3.4, Figures 19 to 26",
        "Otherwise the two campaigns nearly overlap; the first carried somewhat more.",
        tuple(
            Second(f"Mbit/s, second campaign over first, {place.name}",
                   place.throughput(), alike(), mbit_per_s)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.3.1, Figures 13 and 14",
        "The share of the twelve mean latencies below 1900 to 3500 µs is 0.82.",
        untold="A distribution over the sizes that were chosen, of one machine's figures.",
    ),
)  # fmt: skip
