"""What the slides state of round trips beside heavy traffic: priority of data against priority of
processes."""

from __future__ import annotations

from busmark.plugins.papers.checks import Each, Ratio
from busmark.plugins.papers.claim import ABOVE, alike
from busmark.plugins.papers.document import Statement
from busmark.plugins.papers.pother_2008.latency import at_most, deviation, leg, mean
from busmark.plugins.papers.pother_2008.places import (
    ADAPTERS,
    CLASSES,
    HIGH,
    LOW,
    REAL_TIME,
    TIME_SHARING,
    trips,
)

UNMARKED = (
    "Eclipse Cyclone DDS and Fast DDS take the policy and announce it to readers, and send the "
    "same packets: their cases with a priority are unsupported here, and their checks open. The "
    "others mark packets with it (DSCP); that changes a latency only where a queue on the way, or "
    "a thread, serves marked packets first, and on one machine's loopback interface none does."
)

HARDLY = 1.05
"""Within which two averages are as near as 323 and 316 µs."""

DETERMINISM = (
    Statement(
        "Network latency figures on Linux (application on RT/30)",
        "The average round trip hardly depends on the transport priority: 323 µs at 0, 316 µs at "
        "100.",
        tuple(
            Ratio(f"average trip, priority 0 over 100, {CLASSES[REAL_TIME]}, {adapter}",
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=LOW),
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=HIGH),
                  alike(HARDLY), value=leg("trip", mean))
            for adapter in ADAPTERS
        ),
        untold=UNMARKED,
        part="determinism",
    ),
    Statement(
        "Network latency figures on Linux (application on RT/30)",
        "Jitter does: below 34 µs at priority 0, below 8 µs at 100.",
        tuple(
            Ratio(f"deviation of trips, priority 0 over 100, {CLASSES[REAL_TIME]}, {adapter}",
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=LOW),
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=HIGH),
                  ABOVE, value=leg("trip", deviation))
            for adapter in ADAPTERS
        ),
        untold="Jitter is there the deviation of all trips.",
        part="determinism",
    ),
    Statement(
        "Network latency figures on Linux (application on TS); Conclusion",
        "At transport priority 100 a time-sharing application has no more jitter than a real-time "
        "one: below 8 µs for both.",
        tuple(
            Ratio(f"deviation of trips, time-sharing over real-time 30, priority 100, {adapter}",
                  trips("determinism", adapter, fifo=TIME_SHARING, qos_transport_priority=HIGH),
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=HIGH),
                  alike(), value=leg("trip", deviation))
            for adapter in ADAPTERS
        ),
        part="determinism",
    ),
    Statement(
        "Goal of the determinism benchmark",
        "Under heavy load the deviation of round trips stays at 2.5 % of their average (8 of "
        "316 µs, priority 100, real-time 30).",
        tuple(
            Each(f"deviation over average, priority 100, {CLASSES[REAL_TIME]}, {adapter}",
                 trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=HIGH),
                 leg("trip", deviation), leg("trip", mean), at_most(8, 316))
            for adapter in ADAPTERS
        ),
        untold="The slides do not say how heavy the load was.",
        part="determinism",
    ),
    Statement(
        "Goal of the determinism benchmark",
        "Without a priority of data, the class of the process decides: beside real-time traffic a "
        "time-sharing application has more jitter than a real-time one.",
        tuple(
            Ratio(f"deviation of trips, time-sharing over real-time 30, priority 0, {adapter}",
                  trips("determinism", adapter, fifo=TIME_SHARING, qos_transport_priority=LOW),
                  trips("determinism", adapter, fifo=REAL_TIME, qos_transport_priority=LOW),
                  ABOVE, value=leg("trip", deviation))
            for adapter in ADAPTERS
        ),
        untold="The slides say it of DDS that is bound to processes, as all is that is measured "
        "here, without a figure.",
        part="determinism",
    ),
)  # fmt: skip
