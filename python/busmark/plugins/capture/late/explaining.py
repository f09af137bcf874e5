"""Why the late samples of rounds and of a case are late, and one's way as a sequence of packets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from busmark.errors import UserError
from busmark.plugins.capture.late.causes import BESIDE, CAUSES, WHERE, proofs
from busmark.plugins.capture.late.model import CAUSES as NAMES
from busmark.plugins.capture.late.model import (
    PROVED,
    SENT_AGAIN,
    Cause,
    Diagram,
    Event,
    Late,
    LateSamples,
    PacketShown,
    RoundLeft,
    Share,
)
from busmark.plugins.capture.late.reading import captures, read_round
from busmark.plugins.capture.late.trace import (
    ChosenSamples,
    Counters,
    Evidence,
    Proof,
    Sample,
    Trace,
    choose,
    trace,
)
from busmark.plugins.capture.late.wire import NO_ROWS, Packet, Wire
from busmark.plugins.capture.wire import HEADER_BYTES
from busmark.store.manifest import Case
from busmark.store.result import Result

UNEXPLAINED: Cause = "unexplained"


@dataclass(frozen=True)
class OfRound:
    """A round that was looked at."""

    number: int
    chosen: ChosenSamples
    late: list[Late]
    traces: list[Trace]
    """Trace of each late sample."""
    ordinary: list[Late]
    files: list[str]
    again: int = 0
    """Late ones that are not among the latest 5 %: they were sent again."""


def of_round(
    number: int, chosen: ChosenSamples, wire: Wire, counters: Counters | None = None
) -> OfRound:
    """Explain the chosen samples of a round."""
    wanted = {each.seq for each in (*chosen.examined, *chosen.ordinary, *chosen.slower)}
    seen = wire.sightings(wanted)
    by_seq: dict[int, dict[tuple[int, int, int], list[int]]] = {}
    for key, rows in seen.items():
        by_seq.setdefault(key[1], {})[key] = rows

    def traced(samples: Sequence[Sample]) -> list[Trace]:
        return [trace(each, wire, by_seq.get(each.seq, {}), counters) for each in samples]

    traces = traced(chosen.examined)
    late = [why(each) for each in traces]
    again = sent_again(traced(chosen.slower))
    known = {(each.writer, each.seq) for each, _ in again}
    ordinary = [why(each) for each in traced(chosen.ordinary)]
    return OfRound(
        number,
        chosen,
        [*late, *(each for each, _ in again)],
        [*traces, *(one for _, one in again)],
        [each for each in ordinary if (each.writer, each.seq) not in known],
        [file.name for file in wire.files],
        len(again),
    )


def sent_again(traces: Iterable[Trace]) -> list[tuple[Late, Trace]]:
    """Return the samples that packets carry again, and that waited for it: they are late, however
    many there are."""
    found = ((why(one), one) for one in traces)
    return [(late, one) for late, one in found if late.cause in SENT_AGAIN]


def why(one: Trace) -> Late:
    """Find the cause of one sample's delay."""
    proved = proofs(one, CAUSES)
    found = proved or proofs(one, WHERE)
    best = found[0] if found else None
    sample = one.sample
    names = [NAMES[NAMES.index(_name(one, each))] for each in found]
    lost = sample.read_ns is None
    return Late(
        round=sample.round,
        writer=sample.writer,
        reader=sample.reader,
        seq=sample.seq,
        latency_ns=sample.latency_ns,
        cause=names[0] if names else UNEXPLAINED,
        wait_ns=None if best is None or lost else best.wait_ns,
        said=best.said if best else nothing(one),
        evidence=_shown(one, best),
        also=list(dict.fromkeys(name for name in names[1:] if name != names[0])) if proved else [],
        discovery=next(iter(_shown(one, next(iter(proofs(one, BESIDE)), None))), None),
        last_seen=last_seen(one),
    )


def _name(one: Trace, proof: Proof) -> str:
    """Return the cause that a proof shows. Only a capture alone distinguishes a sample that waited
    for the repetition of an earlier one."""
    return "behind-retransmission" if one.path and proof.of_another else proof.cause


def last_seen(one: Trace) -> PacketShown | None:
    last = one.last
    if last is None:
        return None
    flow = one.wire.flows[last.flow or 0]
    what = f"{last.kind or last.protocol} from {flow.source} to {flow.destination}"
    return _packet(one, Evidence(last, what))


def nothing(one: Trace) -> str:
    """Return why nothing is said of a sample."""
    if one.several_ways:
        return "it went to several readers, whose packets cannot be distinguished"
    if not any(segment.packets for segment in one.segments):
        return "no packet has it"
    if one.sample.read_ns is None:
        return "its packets are there, and nothing shows why it was not read"
    return "no part of its way covers half of the delay"


def _shown(one: Trace, proof: Proof | None) -> list[PacketShown]:
    return [_packet(one, each) for each in (proof.evidence if proof else ())]


def _packet(one: Trace, each: Evidence) -> PacketShown:
    return PacketShown(
        file=one.wire.files[each.packet.file].name,
        packet=each.packet.packet,
        at_ns=each.packet.time_ns - one.sample.sent_ns,
        what=each.what,
    )


def together(
    case: str, rounds: Sequence[OfRound], left: Iterable[RoundLeft], worst: int
) -> LateSamples:
    """Combine all rounds of a case."""
    late = [each for one in rounds for each in one.late]
    ordinary = [each for one in rounds for each in one.ordinary]
    first = rounds[0].chosen if rounds else None
    order = sorted(late, key=lambda each: (each.latency_ns is not None, -(each.latency_ns or 0)))
    rest = [each for each in late if each.cause not in PROVED and each.latency_ns is not None]
    return LateSamples(
        case=case,
        rounds=[one.number for one in rounds],
        left=list(left),
        samples=sum(one.chosen.samples for one in rounds),
        lost=sum(one.chosen.lost for one in rounds),
        late=sum(one.chosen.late + one.again for one in rounds),
        again=sum(one.again for one in rounds),
        median_ns=first.median_ns if first else None,
        limit_ns=first.limit_ns if first else None,
        limit_by=first.limit_by if first else None,
        examined_lost=sum(each.latency_ns is None for each in late),
        examined_late=sum(each.latency_ns is not None for each in late),
        ordinary=len(ordinary),
        causes=_shares(late, ordinary),
        unproved=len(rest),
        discovery_late=sum(each.discovery is not None for each in rest),
        discovery_ordinary=sum(each.discovery is not None for each in ordinary),
        discovery_packet=next((each.discovery for each in rest if each.discovery), None),
        files=list(dict.fromkeys(name for one in rounds for name in one.files)),
        worst=order[:worst],
    )


def _shares(late: Sequence[Late], ordinary: Sequence[Late]) -> list[Share]:
    found = []
    for cause in NAMES:
        own = [each for each in late if each.cause == cause]
        if not own:
            continue
        times = [each.latency_ns for each in own if each.latency_ns is not None]
        found.append(
            Share(
                cause=cause,
                lost=len(own) - len(times),
                late=len(times),
                least_ns=min(times, default=None),
                most_ns=max(times, default=None),
                median_ns=float(np.median(times)) if times else None,
                ordinary=sum(each.cause == cause for each in ordinary),
            )
        )
    return sorted(found, key=lambda each: -(each.lost + each.late))


MOST_PACKETS = 4_000_000
"""Packets of a case that are read, round by round: some ten seconds for each million."""
MOST_WORST = 10
STATUSES = ("ok", "marked")


def is_captured(result: Result, case: Case) -> bool:
    """Return whether any round of it has a capture."""
    return any(captures(result.directory, case.id, n) for n in _numbers(result, case))


def _numbers(result: Result, case: Case) -> list[int]:
    return sorted(n for status in STATUSES for n in result.rounds(case.id, status=status))


def of_case(
    result: Result,
    case: Case,
    worst: int = MOST_WORST,
    *,
    diagrams: bool = False,
    most_packets: int = MOST_PACKETS,
) -> LateSamples:
    """Explain the samples of captured rounds that ran to their end, up to `most_packets` in all."""
    looked: list[OfRound] = []
    left: list[RoundLeft] = []
    packets = 0
    for number in _numbers(result, case):
        rows = result.cases.filter((pl.col("case") == case.id) & (pl.col("round") == number))
        row = rows.row(0, named=True)
        files = captures(result.directory, case.id, number)
        if not files:
            continue
        try:
            packets += int(row.get("captured") or 0)
            found = _round(result, case, number, row, allowed=packets <= most_packets)
        except UserError as error:
            left.append(RoundLeft(round=number, late=0, why=error.message))
            continue
        if isinstance(found, RoundLeft):
            left.append(found)
        else:
            looked.append(found)
    explained = together(case.id, looked, left, worst)
    if diagrams:
        _draw(explained, looked)
    return explained


def _draw(explained: LateSamples, looked: list[OfRound]) -> None:
    by_sample = {
        (each.round, each.writer, each.reader, each.seq): one
        for of in looked
        for each, one in zip(of.late, of.traces, strict=True)
    }
    explained.diagrams = [
        diagram(each, by_sample[each.round, each.writer, each.reader, each.seq])
        for each in explained.worst
    ]


def _round(
    result: Result, case: Case, number: int, row: dict[str, Any], *, allowed: bool
) -> OfRound | RoundLeft:
    one_clock = row.get("one_clock") is not False
    samples = result.samples(case.id, number)
    echoed = case.params.probe_echo is not False
    chosen = choose(number, samples, one_clock=one_clock, echoed=echoed)
    late = chosen.late + chosen.lost
    if dropped := row.get("capture_dropped"):
        why = f"the capture lost {dropped} packets, so that the cause may be among them"
        return RoundLeft(round=number, late=late, why=why)
    if not allowed:
        why = "with it more packets of this case would be read than are read at once"
        return RoundLeft(round=number, late=late, why=why)
    participants = result.participants(case.id, number)
    if participants is None:
        raise UserError("the round has no pair of clocks, by which packets are put beside samples")
    node = None
    if chosen.examined:
        own = participants.filter(pl.col("participant") == chosen.examined[0].participant)
        node = own["node"][0] if own.height else None
    wire = read_round(
        captures(result.directory, case.id, number),
        result.manifest.cookie,
        participants,
        node,
        one_clock=one_clock,
        sample_bytes=_sample_bytes(result, case, number, samples),
    )
    return of_round(number, chosen, wire, _counters(case, row))


def _sample_bytes(result: Result, case: Case, number: int, samples: pl.DataFrame) -> dict[int, int]:
    """Return the bytes of header and body of a sample, for each writer whose samples are all alike;
    answers are as large as what they answer."""
    known = (
        samples.drop_nulls(["writer", "size"])
        .group_by("writer")
        .agg(pl.col("size").min().alias("least"), pl.col("size").max().alias("most"))
    )
    alike = {w: HEADER_BYTES + most for w, least, most in known.iter_rows() if least == most}
    hops = result.table("hops", case.id, number)
    if hops is not None:
        pairs = hops.drop_nulls("answered").select("writer", "answered").unique()
        answers = {w: alike[of] for w, of in pairs.iter_rows() if of in alike and w not in alike}
        return {**alike, **answers}
    return alike


def _counters(case: Case, row: dict[str, Any]) -> Counters:
    drops = row.get("udp_socket_drops")
    loss = case.params.link_loss if case.params.network == "lab" else None
    return Counters(int(drops) if isinstance(drops, int) else 0, str(loss) if loss else None)


MOST_DRAWN = 40
"""Packets in a diagram; what proves a cause and what carries the sample come first."""
AFTER_NS = 100_000
"""How long after the reading packets are shown."""
WRITER, ANSWERER, READER = "writer", "answerer", "reader"


def diagram(late: Late, one: Trace) -> Diagram:
    """Draw stamps of the processes and packets of the captures, in the order of time."""
    sample = one.sample
    other = ANSWERER if sample.round_trip else READER
    files = [f"{each.node or ''} {each.interface}".strip() for each in one.wire.files]
    shown, omitted = _packets(late, one)
    events = [*_stamps(one, other), *(_event(one, late, packet, files) for packet in shown)]
    events.sort(key=lambda each: each.at_ns)
    return Diagram(sample=late, lanes=[WRITER, *files, other], events=events, omitted=omitted)


def _stamps(one: Trace, other: str) -> list[Event]:
    sample = one.sample
    named = [
        (sample.intended_ns, WRITER, "was to be written"),
        (sample.sent_ns, WRITER, "write"),
        (sample.written_ns, WRITER, "write returned"),
        (sample.echo_delivered_ns, other, "announced"),
        (sample.echo_read_ns, other, "read"),
        (sample.echo_sent_ns, other, "write of the answer"),
        (sample.delivered_ns, WRITER if sample.round_trip else other, "announced"),
        (sample.read_ns, WRITER if sample.round_trip else other, "read"),
    ]
    if sample.intended_ns == sample.sent_ns:
        named = named[1:]
    return [
        Event(
            at_ns=when - sample.sent_ns,
            lane=lane,
            towards=None,
            file=None,
            packet=None,
            what=what,
            proves=False,
        )
        for when, lane, what in named
        if when is not None
    ]


def _packets(late: Late, one: Trace) -> tuple[list[Packet], int]:
    """Return packets that prove the cause, then the sample's, then others of the same flows
    meanwhile, and how many are left out."""
    wire, sample = one.wire, one.sample
    names = {file.name: number for number, file in enumerate(wire.files)}
    wanted = {(names[each.file], each.packet) for each in late.evidence}
    own = {(p.file, p.packet): p for segment in one.segments for p in segment.packets}
    end = one.segments[-1].end_ns + AFTER_NS
    flows = {p.flow for p in own.values() if p.flow is not None}
    flows |= {wire.reverse[flow] for flow in flows if flow in wire.reverse}
    rows = [wire.within(wire.of_flow.get(flow, NO_ROWS), sample.sent_ns, end) for flow in flows]
    beside = np.sort(np.concatenate(rows)) if rows else NO_ROWS
    first = [row for file, packet in wanted for row in wire.row_of(file, packet)]
    first += [p.row for p in own.values() if p.time_ns <= end]
    order = list(dict.fromkeys([*(wire.first_row(row) for row in first), *beside.tolist()]))
    kept = order[:MOST_DRAWN]
    return wire.packets(kept), len(order) - len(kept)


def _event(one: Trace, late: Late, packet: Packet, files: list[str]) -> Event:
    wire = one.wire
    name = wire.files[packet.file].name
    proofs = [e.what for e in late.evidence if (e.file, e.packet) == (name, packet.packet)]
    parts = [part for each in wire.parts(packet) if (part := describe(each))]
    what = ", ".join(dict.fromkeys(parts)) or _plain(packet)
    return Event(
        at_ns=packet.time_ns - one.sample.sent_ns,
        lane=files[packet.file],
        towards=_towards(one, packet),
        file=name,
        packet=packet.packet,
        what=f"{'; '.join(proofs)} ({what})" if proofs else what,
        proves=bool(proofs),
    )


def _towards(one: Trace, packet: Packet) -> str | None:
    """Return the lane to which it goes, by the flows of the sample and of its answer; else None."""
    there, back = (
        {p.flow for segment in one.segments if segment.direction == way for p in segment.packets}
        for way in ("there", "back")
    )
    other = ANSWERER if one.sample.round_trip else READER
    opposite = one.wire.reverse.get(-1 if packet.flow is None else packet.flow)
    if packet.flow in there or opposite in back:
        return other
    if packet.flow in back or opposite in there:
        return WRITER
    return None


def describe(packet: Packet) -> str:
    """Describe a row in words; return an empty text for one that says nothing."""
    span = _span(packet)
    again = " again" if packet.repeated else ""
    if packet.sample_seq is not None:
        kind = packet.kind if packet.kind not in (None, "SAMPLE") else ""
        named = (
            f"answer to sample {packet.sample_seq}"
            if packet.answered
            else f"sample {packet.sample_seq}"
        )
        return f"{kind} {span} ({named}){again}".strip() if kind else named + again
    if packet.kind in ("DATA", "DATA_FRAG"):
        of = "discovery " if packet.builtin else ""
        number = f" fragment {packet.fragment}" if packet.fragment is not None else ""
        return f"{of}{packet.kind} {span}{number}{again}"
    if packet.kind in ("ACKNACK", "NACK_FRAG"):
        asks = (
            f" asks for {packet.missing} from {packet.first_seq}"
            if packet.missing
            else f" up to {(packet.first_seq or 1) - 1}"
        )
        return f"{packet.kind}{asks}"
    if packet.kind in ("HEARTBEAT", "HEARTBEAT_FRAG", "GAP"):
        return f"{packet.kind} {span}"
    return "" if packet.kind is None or packet.kind.startswith("INFO_") else packet.kind


def _span(packet: Packet) -> str:
    first, last = packet.first_seq, packet.last_seq
    if last is None:
        return ""
    return str(last) if first in (None, last) else f"{first} to {last}"


def _plain(packet: Packet) -> str:
    """Return the name of a packet that completes no message."""
    if packet.protocol == "fragment":
        return "IP fragment"
    if packet.tcp_bytes is not None:
        again = " again" if packet.retransmission else ""
        return f"segment of {packet.tcp_bytes} B{again}" if packet.tcp_bytes else "acknowledgement"
    return (packet.protocol or "packet").upper()
