"""What MiddleMeasure states of latency."""

from __future__ import annotations

from busmark.plugins.papers.along import Bend
from busmark.plugins.papers.checks import Convergence, Ratio
from busmark.plugins.papers.claim import ABOVE, BELOW, alike
from busmark.plugins.papers.document import Statement
from busmark.plugins.papers.middlemeasure_2010.selections import (
    BEST_EFFORT_ALL_FINITE,
    BEST_EFFORT_LAST,
    INTERCOM,
    NDDS,
    RELIABLE_ALL_FINITE,
    RELIABLE_LAST,
    TAO,
    WHATEVER_QOS,
    below_2_kib,
    from_1_kib,
    latency,
)

LATENCY = (
    Statement(
        "§6.2.1, Figure 13",
        "Round-trip latency of the ORB hardly differs between reliable and best effort.",
        untold="CORBA has no reliability to choose; here it is not offered as one.",
    ),
    Statement(
        "§6.2.1, Figure 16",
        "With best effort, keep last, infinite lifespan NDDS has the lowest latency.",
        tuple(
            Ratio(
                f"latency, NDDS's place over {place}",
                latency(NDDS, **BEST_EFFORT_LAST),
                latency(other, **asked),
                BELOW,
                alike_in=WHATEVER_QOS,
            )
            for place, other, asked in (
                ("InterCOM's", INTERCOM, BEST_EFFORT_LAST),
                ("TAO's", TAO, {"load": None}),
            )
        ),
    ),
    Statement(
        "§6.2.1, Figure 16",
        "InterCOM comes second: for larger payloads its latency is lower than TAO's.",
        (
            Ratio(
                "latency from 1 KiB on, InterCOM's place over TAO's",
                latency(INTERCOM, **BEST_EFFORT_LAST, where=from_1_kib),
                latency(TAO, load=None),
                BELOW,
                alike_in=WHATEVER_QOS,
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 16",
        "At the larger payloads the latencies of the two DDS converge.",
        (
            Convergence(
                "distance between InterCOM's place and NDDS's, at the smallest size over the "
                "largest",
                latency(INTERCOM, **BEST_EFFORT_LAST),
                latency(NDDS, **BEST_EFFORT_LAST),
                "size",
                ABOVE,
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With reliable, keep last, infinite lifespan NDDS has the lowest latency below 2048 bytes.",
        (
            Ratio(
                "latency below 2 KiB, NDDS's place over InterCOM's",
                latency(NDDS, **RELIABLE_LAST, where=below_2_kib),
                latency(INTERCOM, **RELIABLE_LAST),
                BELOW,
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With the same QoS InterCOM is ahead at the largest payload.",
        (
            Ratio(
                "latency, InterCOM's place over NDDS's",
                latency(INTERCOM, **RELIABLE_LAST, size=16384),
                latency(NDDS, **RELIABLE_LAST),
                BELOW,
            ),
        ),
    ),
    Statement(
        "§6.2.1, of Figures 13 to 17",
        "Where throughput dips at 1024 bytes, latency rises.",
        tuple(
            Bend(
                f"latency at 1 KiB over that at half and twice the size, {place}",
                latency(adapter, load=None, **asked),
                1024,
                ABOVE,
            )
            for place, adapter, asked in (
                ("TAO's place", TAO, {}),
                ("InterCOM's place", INTERCOM, BEST_EFFORT_LAST),
                ("NDDS's place", NDDS, BEST_EFFORT_LAST),
            )
        ),
        untold="Laid there to a default of Windows XP, which Linux does not have.",
    ),
    Statement(
        "§6.2.2, Figure 18",
        "No payload type is quicker or slower than another.",
        tuple(
            Ratio(
                f"latency of other kinds over octets, {place}",
                latency(
                    adapter,
                    payload=("char", "short", "float", "long", "struct"),
                    load=None,
                    **asked,
                ),
                latency(adapter, load=None, **asked),
                alike(),
            )
            for place, adapter, asked in (
                ("NDDS's place", NDDS, BEST_EFFORT_LAST),
                ("InterCOM's place", INTERCOM, BEST_EFFORT_LAST),
                ("TAO's place", TAO, {}),
            )
        ),
    ),
    Statement(
        "§6.2.2, Figure 24",
        "Latency with three receivers is similar for the other combinations of QoS.",
        (
            Ratio(
                "latency with three receivers, best effort over reliable, InterCOM's place",
                latency(INTERCOM, subscribers=3, **BEST_EFFORT_ALL_FINITE),
                latency(INTERCOM, subscribers=3, **RELIABLE_ALL_FINITE),
                alike(),
            ),
        ),
    ),
    Statement(
        "§5.3.3, expected there",
        "DDS and CORBA have some overhead in latency over plain TCP and UDP.",
        tuple(
            Ratio(
                f"latency, {place} over plain {socket.upper()}",
                latency(adapter, load=None, **asked),
                latency(socket),
                ABOVE,
                alike_in=WHATEVER_QOS,
            )
            for place, adapter, socket, asked in (
                ("NDDS's place", NDDS, "udp", BEST_EFFORT_LAST),
                ("InterCOM's place", INTERCOM, "tcp", RELIABLE_LAST),
                ("TAO's place", TAO, "tcp", {}),
            )
        ),
    ),
)
