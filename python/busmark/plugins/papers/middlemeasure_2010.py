"""MiddleMeasure: a master's thesis of 2010 that compares DDS, CORBA, TCP and UDP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Bend, Convergence, Ratio, Trend, delivered, for_each
from busmark.plugins.papers.document import Document, StandIn, Statement
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.select import Select, Selects, Where, cases, sized


def qos(reliability: str, history: str, lifespan_s: float = 0.0) -> dict[str, Any]:
    """Return a combination of Table 4; a lifespan of 0 is infinite."""
    return {"qos_reliability": reliability, "qos_history": history, "qos_lifespan_s": lifespan_s}


BEST_EFFORT_LAST = qos("best_effort", "keep_last")
RELIABLE_LAST = qos("reliable", "keep_last")
RELIABLE_ALL = qos("reliable", "keep_all")
RELIABLE_ALL_FINITE = qos("reliable", "keep_all", 10.0)
BEST_EFFORT_ALL_FINITE = qos("best_effort", "keep_all", 10.0)

SINGLE = {"publishers": 1, "subscribers": 1}

ORB: dict[str, Any] = {"load": None}
"""Settings in the place of QoS, of which the ORB has none to choose: the cases without a load."""

WHATEVER_QOS = ("test", "size", "payload", "batch", "placement")
"""Parameters in which two cases must agree where one side has no QoS to choose."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one of the thesis's middleware; see the document's stand-ins."""

    name: str
    adapter: str
    policies: dict[str, Any] = field(default_factory=dict)
    """Best effort and keep last, where it has QoS to choose."""

    def latency(self, where: Where | None = None, **params: Any) -> Select:
        """Select single-receiver latency with octets, unless `params` say otherwise."""
        usual = {"test": "latency", "payload": "octet", **SINGLE}
        return cases(where, adapter=self.adapter, **{**usual, **params})

    def throughput(self, where: Where | None = None, **params: Any) -> Select:
        """Select single-receiver throughput with octets, unless `params` say otherwise."""
        return self.latency(where, **{"test": "throughput", **params})

    def __str__(self) -> str:
        return f"{self.name}'s place"


NDDS = Place("NDDS", "rti", BEST_EFFORT_LAST)
INTERCOM = Place("InterCOM", "fastdds", BEST_EFFORT_LAST)
TAO, TCP, UDP = Place("TAO", "omniorb"), Place("TCP", "tcp"), Place("UDP", "udp")


def unloaded(**params: Any) -> Selects:
    """Select the latency of each place without a load."""
    return Selects(lambda place: place.latency(**ORB, **place.policies, **params))


def throughput(**params: Any) -> Selects:
    """Select the throughput of each place."""
    return Selects(lambda place: place.throughput(**params))


def _excepted(case: CaseSummary) -> bool:
    """Return whether the thesis saw an effect of disk load at this size."""
    return case.size in (512, 4096)


LATENCY = (
    Statement(
        "§6.2.1, Figure 13",
        "Round-trip latency of the ORB hardly differs between reliable and best effort.",
        remark="CORBA has no reliability to choose; here it is not offered as one.",
    ),
    Statement(
        "§6.2.1, Figure 16",
        "With best effort, keep last, infinite lifespan NDDS has the lowest latency.",
        tuple(
            Ratio(f"latency, {NDDS} over {other.name}'s", NDDS.latency(**BEST_EFFORT_LAST),
                  other.latency(**policies), BELOW, WHATEVER_QOS)
            for other, policies in ((INTERCOM, BEST_EFFORT_LAST), (TAO, ORB))
        ),
    ),
    Statement(
        "§6.2.1, Figure 16",
        "InterCOM comes second: for larger payloads its latency is lower than TAO's.",
        (Ratio("latency from 1 KiB on, InterCOM's place over TAO's",
               INTERCOM.latency(sized(1024), **BEST_EFFORT_LAST), TAO.latency(**ORB), BELOW,
               WHATEVER_QOS),),
    ),
    Statement(
        "§6.2.1, Figure 16",
        "At the larger payloads the latencies of the two DDS converge.",
        (Convergence("distance between InterCOM's place and NDDS's, at the smallest size over the "
                     "largest", INTERCOM.latency(**BEST_EFFORT_LAST),
                     NDDS.latency(**BEST_EFFORT_LAST), "size", ABOVE),),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With reliable, keep last, infinite lifespan NDDS has the lowest latency below 2048 bytes.",
        (Ratio("latency below 2 KiB, NDDS's place over InterCOM's",
               NDDS.latency(sized(most=2047), **RELIABLE_LAST), INTERCOM.latency(**RELIABLE_LAST),
               BELOW),),
    ),
    Statement(
        "§6.2.1, Figure 17",
        "With the same QoS InterCOM is ahead at the largest payload.",
        (Ratio("latency, InterCOM's place over NDDS's",
               INTERCOM.latency(**RELIABLE_LAST, size=16384), NDDS.latency(**RELIABLE_LAST),
               BELOW),),
    ),
    Statement(
        "§6.2.1, on Figures 13 to 17",
        "Where throughput dips at 1024 bytes, latency rises.",
        for_each((TAO, INTERCOM, NDDS), Bend,
                 "latency at 1 KiB over latency at half and twice the size", unloaded(), 1024,
                 ABOVE),
        remark="Laid there to a default of Windows XP, which Linux does not have.",
    ),
    Statement(
        "§6.2.2, Figure 18",
        "No payload type is quicker or slower than another.",
        for_each((NDDS, INTERCOM, TAO), Ratio, "latency of other kinds over octets",
                 unloaded(payload=("char", "short", "float", "long", "struct")), unloaded(),
                 alike()),
    ),
    Statement(
        "§6.2.2, Figure 24",
        "Latency with three receivers is similar for the other combinations of QoS.",
        (Ratio("latency with three receivers, best effort over reliable, InterCOM's place",
               INTERCOM.latency(subscribers=3, **BEST_EFFORT_ALL_FINITE),
               INTERCOM.latency(subscribers=3, **RELIABLE_ALL_FINITE), alike()),),
    ),
    Statement(
        "§5.3.3, expected there",
        "DDS and CORBA have some overhead in latency over plain TCP and UDP.",
        tuple(
            Ratio(f"latency, {place} over plain {socket.name}",
                  place.latency(**{**ORB, **policies}), socket.latency(), ABOVE, WHATEVER_QOS)
            for place, socket, policies in (
                (NDDS, UDP, BEST_EFFORT_LAST), (INTERCOM, TCP, RELIABLE_LAST), (TAO, TCP, {}),
            )
        ),
    ),
)  # fmt: skip


FREE: dict[str, Any] = {"placement": "free"}
FIVE_BEST_EFFORT = {"subscribers": 5, **FREE, **BEST_EFFORT_ALL_FINITE}
FIVE_RELIABLE = {"subscribers": 5, **FREE, **RELIABLE_ALL_FINITE}
ONE_TO_FIVE = (1, 2, 3, 4, 5)

THROUGHPUT = (
    Statement(
        "§6.2.1, Figure 14",
        "Throughput of the ORB is mostly stable but dips at 1024 bytes.",
        (Bend("throughput at 1 KiB over throughput at half and twice the size, TAO's place",
              TAO.throughput(payload="struct", **ORB), 1024, BELOW),),
        remark="Laid there to a default of Windows XP for datagrams (FastSendDatagramThreshold), "
        "which Linux does not have.",
    ),
    Statement(
        "§6.2.1, Figure 14",
        "Disk load lowers the ORB's throughput at sizes 512 and 4096, and hardly changes it at "
        "the others.",
        tuple(
            Ratio(f"throughput with disk load over without, at {sizes}, TAO's place",
                  TAO.throughput(where, payload="struct", load="disk 20MB"),
                  TAO.throughput(payload="struct", **ORB), claim)
            for sizes, where, claim in (
                ("512 and 4096", _excepted, BELOW),
                ("other sizes", lambda case: not _excepted(case), alike()),
            )
        ),
    ),
    Statement(
        "Appendix B",
        "In 20 runs of 4000 structures the ORB lost none.",
        (delivered("samples received over sent, TAO's place",
                   TAO.throughput(payload="struct", **ORB), ALL),),
    ),
    Statement(
        "§6.2.1, Figure 15",
        "With best effort, keep last, infinite lifespan both DDS carry more than CORBA at larger "
        "sizes.",
        tuple(
            Ratio(f"throughput from 1 KiB on, {place} over TAO's",
                  place.throughput(sized(1024), **BEST_EFFORT_LAST), TAO.throughput(**ORB), ABOVE,
                  WHATEVER_QOS)
            for place in (NDDS, INTERCOM)
        ),
    ),
    Statement(
        "§7.1, on Figure 15",
        "With few subscribers InterCOM has the greatest throughput of all.",
        tuple(
            Ratio(f"throughput, InterCOM's place over {place.name}'s",
                  INTERCOM.throughput(**BEST_EFFORT_LAST), place.throughput(**policies), ABOVE,
                  WHATEVER_QOS)
            for place, policies in ((NDDS, BEST_EFFORT_LAST), (TAO, ORB))
        ),
        remark="The curves of Figure 15 itself are not described in words but for larger sizes.",
    ),
    Statement(
        "§6.2.2, Figure 20",
        "With several publishers (reliable, keep all, infinite) InterCOM carries more than NDDS, "
        "at larger payloads, both with three and with five; its advantage is with fewer "
        "publishers.",
        (
            *(Ratio(f"throughput of {n} publishers from 1 KiB on, InterCOM's place over NDDS's",
                    INTERCOM.throughput(sized(1024), publishers=n, **RELIABLE_ALL),
                    NDDS.throughput(publishers=n, **RELIABLE_ALL), ABOVE)
              for n in (3, 5)),
            Trend("InterCOM's place over NDDS's from 1 KiB on, at three publishers over at five",
                  INTERCOM.throughput(sized(1024), publishers=(3, 5), **RELIABLE_ALL),
                  NDDS.throughput(publishers=(3, 5), **RELIABLE_ALL), "publishers", ABOVE),
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "With reliable, keep all, finite lifespan InterCOM carries more than NDDS to few "
        "receivers.",
        (Ratio("throughput to one receiver, InterCOM's place over NDDS's",
               INTERCOM.throughput(**FREE, **RELIABLE_ALL_FINITE),
               NDDS.throughput(**FREE, **RELIABLE_ALL_FINITE), ABOVE),),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "That lead narrows as receivers are added.",
        (Convergence("lead of InterCOM's place over NDDS's, to one receiver over to five",
                     INTERCOM.throughput(subscribers=(1, 5), **FREE, **RELIABLE_ALL_FINITE),
                     NDDS.throughput(subscribers=(1, 5), **FREE, **RELIABLE_ALL_FINITE),
                     "subscribers", ABOVE, lead=True),),
    ),
    Statement(
        "§6.2.2, Figure 23",
        "Throughput to several receivers is almost identical with best effort.",
        for_each((NDDS, INTERCOM), Ratio, "throughput, best effort over reliable",
                 throughput(subscribers=ONE_TO_FIVE, **FREE, **BEST_EFFORT_ALL_FINITE),
                 throughput(subscribers=ONE_TO_FIVE, **FREE, **RELIABLE_ALL_FINITE), alike()),
    ),
    Statement(
        "§6.2.3, Figure 27",
        "TCP carries more than UDP to a single receiver, against what was expected.",
        (Ratio("throughput, TCP over UDP", TCP.throughput(), UDP.throughput(), ABOVE,
               WHATEVER_QOS),),
        remark="Explained there by Nagle's algorithm, among others. Busmark's TCP sockets have "
        "TCP_NODELAY set, so what is measured here is not that.",
    ),
    Statement(
        "§5.3.2, expected there",
        "With several receivers and best effort NDDS is ahead of InterCOM, with reliable InterCOM.",
        tuple(
            Ratio(f"throughput to five receivers, {name}, {first} over {second.name}'s",
                  first.throughput(**policies), second.throughput(**policies), ABOVE)
            for name, first, second, policies in (
                ("best effort", NDDS, INTERCOM, FIVE_BEST_EFFORT),
                ("reliable", INTERCOM, NDDS, FIVE_RELIABLE),
            )
        ),
    ),
    Statement(
        "§5.3.3, expected there",
        "CORBA is ahead of DDS from one sender to one receiver, DDS with several receivers.",
        tuple(
            check
            for place in (NDDS, INTERCOM)
            for check in (
                Ratio(f"throughput to one receiver, TAO's place over {place}",
                      TAO.throughput(**ORB), place.throughput(**BEST_EFFORT_LAST), ABOVE,
                      WHATEVER_QOS),
                Ratio(f"throughput to five receivers, {place} over TAO's",
                      place.throughput(**FIVE_BEST_EFFORT),
                      TAO.throughput(subscribers=5, **FREE), ABOVE, WHATEVER_QOS),
            )
        ),
        remark="The thesis's own Figure 15 shows otherwise for one receiver, at larger sizes.",
    ),
)  # fmt: skip


STAND_INS = (
    StandIn("RTI NDDS", "RTI Connext DDS over UDP (rti)",
            "the same vendor's DDS of today, of the same design: RTPS over UDP"),
    StandIn("Gallium InterCOM DDS", "Fast DDS over TCP (fastdds)",
            "InterCOM is no longer sold; the thesis explains its results by its use of TCP, and "
            "Fast DDS is the DDS here whose TCP transport finds its partners in every round"),
    StandIn("PrismTech OpenSplice DDS (§7.2, proposed)", "Eclipse Cyclone DDS (cyclonedds)",
            "written by OpenSplice's authors after it; measured in addition; no statement rests on "
            "it"),
    StandIn("ACE TAO", "omniORB (omniorb)",
            "a CORBA ORB that distributions still package; oneway calls, IIOP over TCP"),
    StandIn("TCP, UDP", "tcp, udp", "plain sockets as there"),
)  # fmt: skip

ELSEWHERE = (
    Statement(
        "§6.2.2, Figures 19 and 24",
        "With Linux, throughput is slightly higher and latency lower than with Windows XP.",
        remark="Busmark runs on Linux. The conclusions (§7.1) say on the same Figure 24 that "
        "latency is the same on Linux and Windows XP.",
    ),
    Statement(
        "Introduction; §6.2.3, Figures 25 and 26",
        "Latency between two nodes with the real-time system INtime is some 40 times better than "
        "from Windows XP to INtime, and still has spikes.",
        remark="Busmark runs on Linux.",
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
        "receivers have (§5.2.4) and its repeat count for one does not (§5.2.3). "
        '`batch_ack = "each"` in a scenario does that.',
        "DDS throughput uses the vendors' own tuning (profile tuned): as shipped, a reliable "
        "writer that keeps all may wait 3 s for a heartbeat.",
        "CORBA and sockets take no QoS: wherever the thesis sets one, theirs is what they have.",
        "TCP sockets have TCP_NODELAY set. The thesis leaves Nagle's algorithm on, and explains by "
        "it that TCP carried more than UDP.",
        "Structures are 16 bytes, so sizes 4 and 8 have none.",
        "Sizes are of the body; 64 bytes of header are added to each sample.",
    ),
    statements=LATENCY + THROUGHPUT + ELSEWHERE,
)
