"""What MiddleMeasure states of throughput."""

from __future__ import annotations

from busmark.packs.along import Bend
from busmark.packs.checks import Ratio, Trend, delivered
from busmark.packs.claim import ABOVE, ALL, BELOW, alike
from busmark.packs.document import Statement
from busmark.packs.middlemeasure_2010.selections import (
    BEST_EFFORT_ALL_FINITE,
    BEST_EFFORT_LAST,
    INTERCOM,
    NDDS,
    RELIABLE_ALL,
    RELIABLE_ALL_FINITE,
    TAO,
    WHATEVER_QOS,
    from_1_kib,
    not_excepted,
    throughput,
)

THROUGHPUT = (
    Statement(
        "§6.2.1, Figure 14",
        "Throughput of the ORB is mostly stable but dips at 1024 bytes.",
        (
            Bend(
                "throughput at 1 KiB over that at half and twice the size, TAO's place",
                throughput(TAO, payload="struct", load=None),
                1024,
                BELOW,
            ),
        ),
        untold="Laid there to a default of Windows XP for datagrams (FastSendDatagramThreshold), "
        "which Linux does not have.",
    ),
    Statement(
        "§6.2.1, Figure 14",
        "Disk load does not change the ORB's throughput much, but for sizes 512 and 4096.",
        (
            Ratio(
                "throughput with disk load over without, TAO's place",
                throughput(TAO, payload="struct", load="disk 20MB", where=not_excepted),
                throughput(TAO, payload="struct", load=None),
                alike(),
            ),
        ),
    ),
    Statement(
        "Appendix B",
        "In 20 runs of 4000 structures the ORB lost none.",
        (
            delivered(
                "samples received over sent, TAO's place",
                throughput(TAO, payload="struct", load=None),
                ALL,
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 15",
        "With best effort, keep last, infinite lifespan both DDS carry more than CORBA at larger "
        "sizes.",
        tuple(
            Ratio(
                f"throughput from 1 KiB on, {place} over TAO's",
                throughput(adapter, **BEST_EFFORT_LAST, where=from_1_kib),
                throughput(TAO, load=None),
                ABOVE,
                alike_in=WHATEVER_QOS,
            )
            for place, adapter in (("NDDS's place", NDDS), ("InterCOM's place", INTERCOM))
        ),
    ),
    Statement(
        "§6.2.2, Figure 20",
        "With several publishers (reliable, keep all, infinite) InterCOM carries more than NDDS, "
        "at larger payloads, both with three and with five.",
        tuple(
            Ratio(
                f"throughput of {n} publishers from 1 KiB on, InterCOM's place over NDDS's",
                throughput(INTERCOM, publishers=n, **RELIABLE_ALL, where=from_1_kib),
                throughput(NDDS, publishers=n, **RELIABLE_ALL),
                ABOVE,
            )
            for n in (3, 5)
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "With reliable, keep all, finite lifespan InterCOM carries more than NDDS to few "
        "receivers.",
        (
            Ratio(
                "throughput to one receiver, InterCOM's place over NDDS's",
                throughput(INTERCOM, placement="free", **RELIABLE_ALL_FINITE),
                throughput(NDDS, placement="free", **RELIABLE_ALL_FINITE),
                ABOVE,
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "That gap narrows as receivers are added.",
        (
            Trend(
                "InterCOM's place over NDDS's, to one receiver over to five",
                throughput(INTERCOM, subscribers=(1, 5), placement="free", **RELIABLE_ALL_FINITE),
                throughput(NDDS, subscribers=(1, 5), placement="free", **RELIABLE_ALL_FINITE),
                "subscribers",
                ABOVE,
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figure 23",
        "Throughput to several receivers is almost identical with best effort.",
        tuple(
            Ratio(
                f"throughput, best effort over reliable, {place}",
                throughput(
                    adapter, subscribers=(1, 2, 3, 4, 5), placement="free", **BEST_EFFORT_ALL_FINITE
                ),
                throughput(
                    adapter, subscribers=(1, 2, 3, 4, 5), placement="free", **RELIABLE_ALL_FINITE
                ),
                alike(),
            )
            for place, adapter in (("NDDS's place", NDDS), ("InterCOM's place", INTERCOM))
        ),
    ),
    Statement(
        "§6.2.3, Figure 27",
        "TCP carries more than UDP to a single receiver, against what was expected.",
        (
            Ratio(
                "throughput, TCP over UDP",
                throughput("tcp"),
                throughput("udp"),
                ABOVE,
                alike_in=WHATEVER_QOS,
            ),
        ),
    ),
)
