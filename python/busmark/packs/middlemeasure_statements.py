"""What MiddleMeasure states of latency and throughput."""

from __future__ import annotations

from typing import Any

from busmark.analysis.model import CaseSummary
from busmark.packs.checks import Bend, Delivered, Ratio, Trend
from busmark.packs.claim import ABOVE, ALL, BELOW, alike
from busmark.packs.document import Statement
from busmark.packs.select import Select, Where, cases


def qos(reliability: str, history: str, lifespan_s: float = 0.0) -> dict[str, Any]:
    """A combination of Table 4; a lifespan of 0 is infinite."""
    return {"qos_reliability": reliability, "qos_history": history, "qos_lifespan_s": lifespan_s}


BEST_EFFORT_LAST = qos("best_effort", "keep_last")
RELIABLE_LAST = qos("reliable", "keep_last")
RELIABLE_ALL = qos("reliable", "keep_all")
RELIABLE_ALL_FINITE = qos("reliable", "keep_all", 10.0)
BEST_EFFORT_ALL_FINITE = qos("best_effort", "keep_all", 10.0)

SINGLE = {"publishers": 1, "subscribers": 1}

WHATEVER_QOS = ("test", "size", "payload", "batch", "placement")
"""In which cases are alike of which one has no QoS to choose."""

NDDS, INTERCOM, TAO = "rti", "fastdds", "omniorb"
"""Adapters in the places of the thesis's middleware; see the document's stand-ins."""


def latency(adapter: str, where: Where | None = None, **params: Any) -> Select:
    """Single-receiver latency with octets, unless `params` say otherwise."""
    usual = {"test": "latency", "payload": "octet", **SINGLE}
    return cases(where, adapter=adapter, **{**usual, **params})


def throughput(adapter: str, where: Where | None = None, **params: Any) -> Select:
    """Single-receiver throughput with octets, unless `params` say otherwise."""
    usual = {"test": "throughput", "payload": "octet", **SINGLE}
    return cases(where, adapter=adapter, **{**usual, **params})


def from_1_kib(case: CaseSummary) -> bool:
    """What is taken for larger payloads, of which the thesis speaks."""
    return (case.size or 0) >= 1024


def below_2_kib(case: CaseSummary) -> bool:
    """Payloads under 2048 bytes."""
    return (case.size or 0) < 2048


def not_excepted(case: CaseSummary) -> bool:
    """Sizes at which the thesis saw no effect of disk load."""
    return case.size not in (512, 4096)


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
        "InterCOM comes second: for larger payloads its latency is below that of TAO.",
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
            Trend(
                "InterCOM's place over NDDS's, at the smallest size over the largest",
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
            Delivered(
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
