"""Why the late samples of rounds are late."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from busmark.plugins.capture.late.causes import BESIDE, CAUSES, WHERE, proofs
from busmark.plugins.capture.late.model import CAUSES as NAMES
from busmark.plugins.capture.late.model import (
    PROVED,
    Cause,
    Explained,
    Late,
    RoundLeft,
    Share,
    Shown,
)
from busmark.plugins.capture.late.samples import Chosen, Sample
from busmark.plugins.capture.late.trace import Counters, Evidence, Proof, Trace, trace
from busmark.plugins.capture.late.wire import Wire

UNEXPLAINED: Cause = "unexplained"


@dataclass(frozen=True)
class OfRound:
    """A round that was looked at."""

    number: int
    chosen: Chosen
    late: list[Late]
    traces: list[Trace]
    """One for each of them."""
    ordinary: list[Late]
    files: list[str]


def of_round(number: int, chosen: Chosen, wire: Wire, counters: Counters | None = None) -> OfRound:
    """Looks at the chosen samples of a round."""
    wanted = {each.seq for each in (*chosen.examined, *chosen.ordinary)}
    seen = wire.sightings(wanted)
    by_seq: dict[int, dict[tuple[int, int, int], list[int]]] = {}
    for key, rows in seen.items():
        by_seq.setdefault(key[1], {})[key] = rows

    def traced(samples: Sequence[Sample]) -> list[Trace]:
        return [trace(each, wire, by_seq.get(each.seq, {}), counters) for each in samples]

    traces, ordinary = traced(chosen.examined), traced(chosen.ordinary)
    return OfRound(
        number, chosen, [why(each) for each in traces], traces, [why(each) for each in ordinary],
        [file.name for file in wire.files],
    )  # fmt: skip


def why(one: Trace) -> Late:
    """The cause of one sample's delay."""
    proved = proofs(one, CAUSES)
    found = proved or proofs(one, WHERE)
    best = found[0] if found else None
    sample = one.sample
    names = [NAMES[NAMES.index(_name(one, each))] for each in found]
    lost = sample.read_ns is None
    return Late(
        round=sample.round, writer=sample.writer, reader=sample.reader, seq=sample.seq,
        latency_ns=sample.latency_ns, cause=names[0] if names else UNEXPLAINED,
        wait_ns=None if best is None or lost else best.wait_ns,
        said=best.said if best else nothing(one), evidence=_shown(one, best),
        also=list(dict.fromkeys(name for name in names[1:] if name != names[0])) if proved else [],
        discovery=next(iter(_shown(one, next(iter(proofs(one, BESIDE)), None))), None),
        last_seen=last_seen(one),
    )  # fmt: skip


def _name(one: Trace, proof: Proof) -> str:
    """In a capture alone, what it is that was repeated is the cause."""
    return "behind-retransmission" if one.path and proof.of_another else proof.cause


def last_seen(one: Trace) -> Shown | None:
    """The last packet that carries the sample, or the answer to it, until it was read."""
    last = max((leg.last for leg in one.legs if leg.last), key=lambda p: p.time_ns, default=None)
    if last is None:
        return None
    flow = one.wire.flows[last.flow or 0]
    what = f"{last.kind or last.protocol} from {flow.source} to {flow.destination}"
    return _packet(one, Evidence(last, what))


def nothing(one: Trace) -> str:
    """Why nothing is said of a sample."""
    if one.several_ways:
        return "it went to several readers, whose packets cannot be distinguished"
    if not any(leg.packets for leg in one.legs):
        return "no packet has it"
    if one.sample.read_ns is None:
        return "its packets are there, and nothing shows why it was not read"
    return "no part of its way covers half of the delay"


def _shown(one: Trace, proof: Proof | None) -> list[Shown]:
    return [_packet(one, each) for each in (proof.evidence if proof else ())]


def _packet(one: Trace, each: Evidence) -> Shown:
    return Shown(file=one.wire.files[each.packet.file].name, packet=each.packet.packet,
                 at_ns=each.packet.time_ns - one.sample.sent_ns, what=each.what)  # fmt: skip


def together(
    case: str, rounds: Sequence[OfRound], left: Iterable[RoundLeft], worst: int
) -> Explained:
    """All rounds of a case."""
    late = [each for one in rounds for each in one.late]
    ordinary = [each for one in rounds for each in one.ordinary]
    first = rounds[0].chosen if rounds else None
    order = sorted(late, key=lambda each: (each.latency_ns is not None, -(each.latency_ns or 0)))
    rest = [each for each in late if each.cause not in PROVED and each.latency_ns is not None]
    return Explained(
        case=case, rounds=[one.number for one in rounds], left=list(left),
        samples=sum(one.chosen.samples for one in rounds),
        lost=sum(one.chosen.lost for one in rounds), late=sum(one.chosen.late for one in rounds),
        median_ns=first.median_ns if first else None, limit_ns=first.limit_ns if first else None,
        examined_lost=sum(each.latency_ns is None for each in late),
        examined_late=sum(each.latency_ns is not None for each in late),
        ordinary=len(ordinary), causes=_shares(late, ordinary),
        unproved=len(rest), discovery_late=sum(each.discovery is not None for each in rest),
        discovery_ordinary=sum(each.discovery is not None for each in ordinary),
        discovery_packet=next((each.discovery for each in rest if each.discovery), None),
        files=list(dict.fromkeys(name for one in rounds for name in one.files)),
        worst=order[:worst],
    )  # fmt: skip


def _shares(late: Sequence[Late], ordinary: Sequence[Late]) -> list[Share]:
    found = []
    for cause in NAMES:
        own = [each for each in late if each.cause == cause]
        if not own:
            continue
        times = [each.latency_ns for each in own if each.latency_ns is not None]
        found.append(Share(
            cause=cause, lost=len(own) - len(times), late=len(times),
            least_ns=min(times, default=None), most_ns=max(times, default=None),
            median_ns=float(np.median(times)) if times else None,
            ordinary=sum(each.cause == cause for each in ordinary),
        ))  # fmt: skip
    return sorted(found, key=lambda each: -(each.lost + each.late))
