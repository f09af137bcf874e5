"""What the thesis states of latency mode: tests 2A, 2B, 4A and 4B."""

from __future__ import annotations

from busmark.plugins.papers.along import Second, Steps
from busmark.plugins.papers.checks import Ratio, delivered
from busmark.plugins.papers.claim import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.document import Statement
from busmark.plugins.papers.perftest_2023.selections import (
    PLACES,
    WHATEVER_MODE,
    from_1024,
    from_8192,
    seventh_and_eighth,
    up_to_512,
)
from busmark.plugins.papers.values import mbit_per_s, of_latency, samples_per_s

mean = of_latency(lambda of: of.mean_ns)
median = of_latency(lambda of: of.median_ns)
greatest = of_latency(lambda of: of.max_ns)

COMPARABLE = 2.0
"""Within which the thesis calls columns somewhat comparable; in its tables they are within 1.7."""

LATENCY = (
    Statement(
        "§4.2.3, Tables 0 and 4 (1A, 2A)",
        "Latency is lower in latency mode than in throughput mode, at small sizes by far.",
        tuple(
            Ratio(f"mean latency to 512 bytes, latency mode over throughput mode, {place.name}",
                  place.latency(up_to_512), place.throughput(), BELOW, WHATEVER_MODE, mean)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.3, Tables 0 and 4 (1A, 2A)",
        "Percentiles of both modes are somewhat comparable in the 7th and 8th rows.",
        tuple(
            Ratio(f"median at 2048 and 4096 bytes, latency mode over throughput mode, {place.name}",
                  place.latency(seventh_and_eighth), place.throughput(), alike(COMPARABLE),
                  WHATEVER_MODE, median)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.3, Table 5 (2B); §4.4.2, Figure 31",
        "In latency mode far fewer samples arrive.",
        tuple(
            Ratio(f"samples/s to 512 bytes, latency mode over throughput mode, {place.name}",
                  place.latency(up_to_512), place.throughput(), BELOW, WHATEVER_MODE,
                  samples_per_s)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.4.2, Figures 16 and 32",
        "At large sizes latency mode carries more Mbit/s than throughput mode.",
        tuple(
            Ratio(f"Mbit/s from 8192 bytes on, latency mode over throughput mode, {place.name}",
                  place.latency(from_8192), place.throughput(), ABOVE, WHATEVER_MODE, mbit_per_s)
            for place in PLACES
        ),
        untold="A ping-pong cannot give that: 155 295 samples/s at a mean latency of 182 µs, of "
               "which a round trip each would take 56 s in every second. The pings here wait for "
               "their pongs.",
    ),
    Statement(
        "§4.4.1, Figure 27",
        "In latency mode latency starts at 180 µs and falls to the area of 60 µs as samples grow.",
        tuple(
            Steps(f"mean latency, 40000 bytes over 32, {place.name}",
                  place.latency(), BELOW, mean, ends=True)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.4.2 and §4.4.4, Figures 31 and 39",
        "In latency mode, too, samples/s dip and Mbit/s rise as samples grow.",
        tuple(
            check
            for place in PLACES
            for check in (
                Steps(f"samples/s, each size over the one before, {place.name}",
                      place.latency(), BELOW, samples_per_s),
                Steps(f"Mbit/s, each size over the one before, {place.name}",
                      place.latency(), ABOVE, mbit_per_s),
            )
        ),
    ),
    Statement(
        "Tables 5 and 7 (2B, 4B)",
        "No sample was lost.",
        tuple(
            delivered(f"pings answered over sent, {place.name}", place.latency(), ALL)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.4 and §4.4.3, Tables 4 and 6 (2A, 4A)",
        "In the second campaign mean latency is lower.",
        tuple(
            Second(f"mean latency, second campaign over first, {place.name}",
                   place.latency(), BELOW, mean)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.4, Table 6 (4A)",
        "In the second campaign the greatest latency stays below 300 µs, which it often did not in "
        "the first.",
        tuple(
            Second(f"greatest latency, second campaign over first, {place.name}",
                   place.latency(), BELOW, greatest)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.4, Tables 5 and 7 (2B, 4B)",
        "In the second campaign throughput is higher from the sixth row on.",
        tuple(
            Second(f"Mbit/s from 1024 bytes on, second campaign over first, {place.name}",
                   place.latency(from_1024), ABOVE, mbit_per_s)
            for place in PLACES
        ),
    ),
    Statement(
        "§4.2.3, Table 4 (2A)",
        "At 8192 bytes an outlier set all figures to 6256 µs.",
        untold="The test ended with a single ping: its standard deviation is 0, and 100 000 "
        "samples arrived where its neighbours have millions. A round like that is marked here "
        "and never averaged in.",
    ),
    Statement(
        "§5.1 and §5.3",
        "A second vendor, and the secured run, could not be measured.",
        untold="The second vendor and a third stand beside the first in every table here. The pack "
        "secured-2023 has the secured run.",
    ),
)  # fmt: skip
