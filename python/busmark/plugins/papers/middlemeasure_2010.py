"""MiddleMeasure: a master's thesis of 2010 that compares DDS, CORBA, TCP and UDP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Bend, Convergence, Ratio, Trend, delivered, for_each
from busmark.plugins.papers.document import Checks
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.published import document
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


LATENCY: Checks = {
    "ndds-lowest-latency":
        tuple(
            Ratio(f"latency, {NDDS} over {other.name}'s", NDDS.latency(**BEST_EFFORT_LAST),
                  other.latency(**policies), BELOW, WHATEVER_QOS)
            for other, policies in ((INTERCOM, BEST_EFFORT_LAST), (TAO, ORB))
        ),
    "intercom-second-latency":
        (Ratio("latency from 1 KiB on, InterCOM's place over TAO's",
               INTERCOM.latency(sized(1024), **BEST_EFFORT_LAST), TAO.latency(**ORB), BELOW,
               WHATEVER_QOS),),
    "dds-latencies-converge":
        (Convergence("distance between InterCOM's place and NDDS's, at the smallest size over the "
                     "largest", INTERCOM.latency(**BEST_EFFORT_LAST),
                     NDDS.latency(**BEST_EFFORT_LAST), "size", ABOVE),),
    "ndds-lowest-small-reliable":
        (Ratio("latency below 2 KiB, NDDS's place over InterCOM's",
               NDDS.latency(sized(most=2047), **RELIABLE_LAST), INTERCOM.latency(**RELIABLE_LAST),
               BELOW),),
    "intercom-ahead-largest-reliable":
        (Ratio("latency, InterCOM's place over NDDS's",
               INTERCOM.latency(**RELIABLE_LAST, size=16384), NDDS.latency(**RELIABLE_LAST),
               BELOW),),
    "latency-bend-1-kib":
        for_each((TAO, INTERCOM, NDDS), Bend,
                 "latency at 1 KiB over latency at half and twice the size", unloaded(), 1024,
                 ABOVE),
    "payload-types-alike":
        for_each((NDDS, INTERCOM, TAO), Ratio, "latency of other kinds over octets",
                 unloaded(payload=("char", "short", "float", "long", "struct")), unloaded(),
                 alike()),
    "three-receivers-qos-alike":
        (Ratio("latency with three receivers, best effort over reliable, InterCOM's place",
               INTERCOM.latency(subscribers=3, **BEST_EFFORT_ALL_FINITE),
               INTERCOM.latency(subscribers=3, **RELIABLE_ALL_FINITE), alike()),),
    "overhead-over-sockets":
        tuple(
            Ratio(f"latency, {place} over plain {socket.name}",
                  place.latency(**{**ORB, **policies}), socket.latency(), ABOVE, WHATEVER_QOS)
            for place, socket, policies in (
                (NDDS, UDP, BEST_EFFORT_LAST), (INTERCOM, TCP, RELIABLE_LAST), (TAO, TCP, {}),
            )
        ),
}  # fmt: skip


FREE: dict[str, Any] = {"placement": "free"}
FIVE_BEST_EFFORT = {"subscribers": 5, **FREE, **BEST_EFFORT_ALL_FINITE}
FIVE_RELIABLE = {"subscribers": 5, **FREE, **RELIABLE_ALL_FINITE}
ONE_TO_FIVE = (1, 2, 3, 4, 5)

THROUGHPUT: Checks = {
    "orb-throughput-dip":
        (Bend("throughput at 1 KiB over throughput at half and twice the size, TAO's place",
              TAO.throughput(payload="struct", **ORB), 1024, BELOW),),
    "orb-disk-load":
        tuple(
            Ratio(f"throughput with disk load over without, at {sizes}, TAO's place",
                  TAO.throughput(where, payload="struct", load="disk 20MB"),
                  TAO.throughput(payload="struct", **ORB), claim)
            for sizes, where, claim in (
                ("512 and 4096", _excepted, BELOW),
                ("other sizes", lambda case: not _excepted(case), alike()),
            )
        ),
    "orb-no-loss":
        (delivered("samples received over sent, TAO's place",
                   TAO.throughput(payload="struct", **ORB), ALL),),
    "dds-carry-more-than-corba":
        tuple(
            Ratio(f"throughput from 1 KiB on, {place} over TAO's",
                  place.throughput(sized(1024), **BEST_EFFORT_LAST), TAO.throughput(**ORB), ABOVE,
                  WHATEVER_QOS)
            for place in (NDDS, INTERCOM)
        ),
    "intercom-greatest-throughput":
        tuple(
            Ratio(f"throughput, InterCOM's place over {place.name}'s",
                  INTERCOM.throughput(**BEST_EFFORT_LAST), place.throughput(**policies), ABOVE,
                  WHATEVER_QOS)
            for place, policies in ((NDDS, BEST_EFFORT_LAST), (TAO, ORB))
        ),
    "intercom-several-publishers":
        (
            *(Ratio(f"throughput of {n} publishers from 1 KiB on, InterCOM's place over NDDS's",
                    INTERCOM.throughput(sized(1024), publishers=n, **RELIABLE_ALL),
                    NDDS.throughput(publishers=n, **RELIABLE_ALL), ABOVE)
              for n in (3, 5)),
            Trend("InterCOM's place over NDDS's from 1 KiB on, at three publishers over at five",
                  INTERCOM.throughput(sized(1024), publishers=(3, 5), **RELIABLE_ALL),
                  NDDS.throughput(publishers=(3, 5), **RELIABLE_ALL), "publishers", ABOVE),
        ),
    "intercom-few-receivers":
        (Ratio("throughput to one receiver, InterCOM's place over NDDS's",
               INTERCOM.throughput(**FREE, **RELIABLE_ALL_FINITE),
               NDDS.throughput(**FREE, **RELIABLE_ALL_FINITE), ABOVE),),
    "intercom-lead-narrows":
        (Convergence("lead of InterCOM's place over NDDS's, to one receiver over to five",
                     INTERCOM.throughput(subscribers=(1, 5), **FREE, **RELIABLE_ALL_FINITE),
                     NDDS.throughput(subscribers=(1, 5), **FREE, **RELIABLE_ALL_FINITE),
                     "subscribers", ABOVE, lead=True),),
    "best-effort-alike-several-receivers":
        for_each((NDDS, INTERCOM), Ratio, "throughput, best effort over reliable",
                 throughput(subscribers=ONE_TO_FIVE, **FREE, **BEST_EFFORT_ALL_FINITE),
                 throughput(subscribers=ONE_TO_FIVE, **FREE, **RELIABLE_ALL_FINITE), alike()),
    "tcp-over-udp":
        (Ratio("throughput, TCP over UDP", TCP.throughput(), UDP.throughput(), ABOVE,
               WHATEVER_QOS),),
    "five-receivers-expected":
        tuple(
            Ratio(f"throughput to five receivers, {name}, {first} over {second.name}'s",
                  first.throughput(**policies), second.throughput(**policies), ABOVE)
            for name, first, second, policies in (
                ("best effort", NDDS, INTERCOM, FIVE_BEST_EFFORT),
                ("reliable", INTERCOM, NDDS, FIVE_RELIABLE),
            )
        ),
    "corba-one-receiver-expected":
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
}  # fmt: skip


MIDDLEMEASURE = document(__file__, "middlemeasure_2010.toml", LATENCY | THROUGHPUT)
