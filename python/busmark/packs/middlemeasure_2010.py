"""MiddleMeasure: a master's thesis of 2010 that compares DDS, CORBA, TCP and UDP."""

from __future__ import annotations

from busmark.packs.checks import Bend, Ratio, Trend
from busmark.packs.claim import above, alike, below
from busmark.packs.document import Document, StandIn, Statement
from busmark.packs.select import Select, cases

KEEP_LAST_INFINITE = {"qos_history": "keep_last", "qos_lifespan_s": 0.0}
KEEP_ALL_INFINITE = {"qos_history": "keep_all", "qos_lifespan_s": 0.0}
KEEP_ALL_FINITE = {"qos_history": "keep_all", "qos_lifespan_s": 10.0}
SINGLE = {"publishers": 1, "subscribers": 1}

NDDS, INTERCOM, TAO = "rti", "fastdds", "omniorb"
"""Adapters in the places of the thesis's middleware; see `STAND_INS`."""


def latency(adapter: str, **params: object) -> Select:
    """Single-receiver latency with octets, unless `params` say otherwise."""
    return cases(**{"test": "latency", "adapter": adapter, "payload": "octet", **SINGLE, **params})


def throughput(adapter: str, **params: object) -> Select:
    """Single-receiver throughput with octets, unless `params` say otherwise."""
    return cases(
        **{"test": "throughput", "adapter": adapter, "payload": "octet", **SINGLE, **params}
    )


STAND_INS = (
    StandIn("RTI NDDS", "RTI Connext DDS over UDP (rti)",
            "the same vendor's DDS of today, of the same design: RTPS over UDP"),
    StandIn("Gallium InterCOM DDS", "Fast DDS over TCP (fastdds)",
            "InterCOM is no longer sold; the thesis explains its results by its use of TCP, and "
            "Fast DDS is the DDS here whose TCP transport finds its partners in every round"),
    StandIn("PrismTech OpenSplice DDS (§7.2, proposed)", "Eclipse Cyclone DDS (cyclonedds)",
            "written by OpenSplice's authors after it; measured beside, no statement rests on it"),
    StandIn("ACE TAO", "omniORB (omniorb)",
            "a CORBA ORB that distributions still package; oneway calls, IIOP over TCP"),
    StandIn("TCP, UDP", "tcp, udp", "plain sockets as there"),
)  # fmt: skip

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
                latency(NDDS, qos_reliability="best_effort", **KEEP_LAST_INFINITE),
                latency(other, **qos),
                below(),
                alike_in=("test", "size", "payload", "placement"),
            )
            for place, other, qos in (
                (
                    "InterCOM's", INTERCOM,
                    {"qos_reliability": "best_effort", **KEEP_LAST_INFINITE},
                ),
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
                latency(
                    INTERCOM, qos_reliability="best_effort", **KEEP_LAST_INFINITE,
                    where=lambda case: (case.size or 0) >= 1024,
                ),
                latency(TAO, load=None),
                below(),
                alike_in=("test", "size", "payload", "placement"),
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 16",
        "At the larger payloads the latencies of the two DDS converge.",
        (
            Trend(
                "InterCOM's place over NDDS's, at the smallest size over the largest",
                latency(INTERCOM, qos_reliability="best_effort", **KEEP_LAST_INFINITE),
                latency(NDDS, qos_reliability="best_effort", **KEEP_LAST_INFINITE),
                "size",
                above(),
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With reliable, keep last, infinite lifespan NDDS has the lowest latency below 2048 bytes.",
        (
            Ratio(
                "latency below 2 KiB, NDDS's place over InterCOM's",
                latency(
                    NDDS, qos_reliability="reliable", **KEEP_LAST_INFINITE,
                    where=lambda case: (case.size or 0) < 2048,
                ),
                latency(INTERCOM, qos_reliability="reliable", **KEEP_LAST_INFINITE),
                below(),
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With the same QoS InterCOM is ahead at the largest payload.",
        (
            Ratio(
                "latency, InterCOM's place over NDDS's",
                latency(
                    INTERCOM, qos_reliability="reliable", **KEEP_LAST_INFINITE, size=16384
                ),
                latency(NDDS, qos_reliability="reliable", **KEEP_LAST_INFINITE),
                below(),
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
                    adapter, payload=("char", "short", "float", "long", "struct"), load=None, **qos
                ),
                latency(adapter, load=None, **qos),
                alike(),
            )
            for place, adapter, qos in (
                ("NDDS's place", NDDS,
                 {"qos_reliability": "best_effort", **KEEP_LAST_INFINITE}),
                ("InterCOM's place", INTERCOM,
                 {"qos_reliability": "best_effort", **KEEP_LAST_INFINITE}),
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
                latency(
                    INTERCOM, subscribers=3, qos_reliability="best_effort", **KEEP_ALL_FINITE
                ),
                latency(INTERCOM, subscribers=3, qos_reliability="reliable", **KEEP_ALL_FINITE),
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
                latency(adapter, load=None, **qos),
                latency(socket),
                above(),
                alike_in=("test", "size", "payload", "placement"),
            )
            for place, adapter, socket, qos in (
                ("NDDS's place", NDDS, "udp",
                 {"qos_reliability": "best_effort", **KEEP_LAST_INFINITE}),
                ("InterCOM's place", INTERCOM, "tcp",
                 {"qos_reliability": "reliable", **KEEP_LAST_INFINITE}),
                ("TAO's place", TAO, "tcp", {}),
            )
        ),
    ),
)  # fmt: skip

THROUGHPUT = (
    Statement(
        "§6.2.1, Figure 14",
        "Throughput of the ORB is mostly stable but dips at 1024 bytes.",
        (
            Bend(
                "throughput at 1 KiB over that at half and twice the size, TAO's place",
                throughput(TAO, payload="struct", load=None),
                1024,
                below(),
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
                throughput(
                    TAO, payload="struct", load="disk 20MB",
                    where=lambda case: case.size not in (512, 4096),
                ),
                throughput(TAO, payload="struct", load=None),
                alike(),
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
                throughput(
                    adapter, qos_reliability="best_effort", **KEEP_LAST_INFINITE,
                    where=lambda case: (case.size or 0) >= 1024,
                ),
                throughput(TAO, load=None),
                above(),
                alike_in=("test", "size", "payload", "batch", "placement"),
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
                throughput(
                    INTERCOM, publishers=n, qos_reliability="reliable", **KEEP_ALL_INFINITE,
                    where=lambda case: (case.size or 0) >= 1024,
                ),
                throughput(NDDS, publishers=n, qos_reliability="reliable", **KEEP_ALL_INFINITE),
                above(),
            )
            for n in (3, 5)
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "With reliable, keep all, finite lifespan InterCOM carries more than NDDS to few receivers.",
        (
            Ratio(
                "throughput to one receiver, InterCOM's place over NDDS's",
                throughput(INTERCOM, qos_reliability="reliable", placement="free",
                           **KEEP_ALL_FINITE),
                throughput(NDDS, qos_reliability="reliable", placement="free", **KEEP_ALL_FINITE),
                above(),
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "That gap narrows as receivers are added.",
        (
            Trend(
                "InterCOM's place over NDDS's, to one receiver over to five",
                throughput(INTERCOM, subscribers=(1, 5), qos_reliability="reliable",
                           placement="free", **KEEP_ALL_FINITE),
                throughput(NDDS, subscribers=(1, 5), qos_reliability="reliable",
                           placement="free", **KEEP_ALL_FINITE),
                "subscribers",
                above(),
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figure 23",
        "Throughput to several receivers is almost identical with best effort.",
        tuple(
            Ratio(
                f"throughput, best effort over reliable, {place}",
                throughput(adapter, subscribers=(1, 2, 3, 4, 5), qos_reliability="best_effort",
                           placement="free", **KEEP_ALL_FINITE),
                throughput(adapter, subscribers=(1, 2, 3, 4, 5), qos_reliability="reliable",
                           placement="free", **KEEP_ALL_FINITE),
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
                "throughput, TCP over UDP", throughput("tcp"), throughput("udp"), above()
            ),
        ),
    ),
)  # fmt: skip

ELSEWHERE = (
    Statement(
        "§6.2.2, Figures 19 and 24",
        "With Linux, throughput is slightly higher and latency lower than with Windows XP.",
        untold="Busmark runs on Linux.",
    ),
    Statement(
        "Introduction; §6.2.3, Figures 25 and 26",
        "Latency between two nodes with the real-time system INtime is some 40 times better than "
        "from Windows XP to INtime, and still has spikes.",
        untold="Busmark runs on Linux.",
    ),
)

MIDDLEMEASURE = Document(
    title="MiddleMeasure",
    source="A benchmarking suite for real-time platforms and middleware: master's thesis, "
    "Carleton University, 2010",
    stand_ins=STAND_INS,
    deviations=(
        "One machine stands for seven. The quick pack runs on its loopback interface with two "
        "participants on two CPUs; the full pack gives each participant a network namespace with a "
        "link of 1 Gbit/s. Two of the thesis's nodes had cards of 100 Mbit/s; here all are alike.",
        "Linux only. Statements about Windows XP and INtime cannot be repeated.",
        "Throughput batches are announced, started and ended with acknowledgements, as there; "
        "single samples within a batch are not acknowledged, which the thesis's steps for several "
        "receivers have (§5.2.4) and its repeat count for one does not (§5.2.3).",
        "DDS throughput uses the vendors' own tuning (profile tuned): as shipped, a reliable "
        "writer that keeps all may wait 3 s for a heartbeat.",
        "CORBA and sockets take no QoS: wherever the thesis sets one, theirs is what they have.",
        "Structures are 16 bytes, so sizes 4 and 8 have none.",
        "Sizes are of the body; 64 bytes of header are added to each sample.",
    ),
    statements=LATENCY + THROUGHPUT + ELSEWHERE,
)
