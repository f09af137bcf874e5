"""What captured packets show: why samples were late, and what captures cost and lack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING

from busmark.carriers import LOCAL, carrier, in_words
from busmark.errors import UserError
from busmark.facts import adapter_facts
from busmark.findings.rule import Observation, Rule, Severity, count, duration, listed, share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.plugins.capture.late import Late, LateSamples
    from busmark.plugins.capture.late.model import Share


MOST_LATE = 10_000
"""Late samples of a case that rules see."""
MOST_PACKETS = 500_000
"""Packets of a case that are read for them: the end of a campaign is not to take minutes."""


def explained_samples(view: CaseView) -> LateSamples | None:
    """Return why late samples of captured rounds are late; None where none was captured."""
    from busmark.plugins.capture.late import is_captured, of_case

    if not view.values("captured", only_ok=False) or not is_captured(view.result, view.case):
        return None
    return of_case(view.result, view.case, worst=MOST_LATE, most_packets=MOST_PACKETS)


def _late_rule(
    rule_id: str,
    *causes: str,
    severity: Severity = "warning",
    explains: tuple[str, ...] = (),
) -> Rule:
    """Return a rule that reports late samples with one of these causes; without any, with the one
    that it is named after."""
    causes = causes or (rule_id.removeprefix("late-"),)

    def check_case(view: CaseView) -> Iterator[Observation]:
        explained = view.once(explained_samples)
        if explained is None:
            return
        found = [each for each in explained.causes if each.cause in causes]
        if found:
            number = sum(each.lost + each.late for each in found)
            yield Observation(severity, evidence(explained, found), weight=number)

    return Rule(
        id=rule_id,
        check_case=check_case,
        early=None,
        explains=explains,
        concerns=("tail",),
    )


WHERE = {
    "on-link": "between the hosts",
    "written-late": "before the write",
    "in-writer": "from the write to the wire",
    "in-answerer": "in the answering process",
    "in-reader": "from the wire to the reading",
}
"""Parts of the way, in words."""


def evidence(explained: LateSamples, found: list[Share]) -> str:
    """Return how many samples of how many, by how much, and the packets of the worst."""
    causes = [each.cause for each in found]
    words = f"{_counts(explained, found)}; {_latencies(found)}"
    parts = [f"{whole(each.late)} {WHERE[each.cause]}" for each in found if each.cause in WHERE]
    if parts:
        words += f"; at least half of the delay: of {', of '.join(parts)}"
    elif ordinary := sum(each.ordinary for each in found):
        others = count(explained.ordinary, "other sample")
        words += f"; {whole(ordinary)} of {others} examined waited in the same way"
    worst = next((each for each in explained.worst if each.cause in causes), None)
    return words + (f". {_example(worst)}" if worst else "")


def _counts(explained: LateSamples, found: list[Share]) -> str:
    late, lost = sum(each.late for each in found), sum(each.lost for each in found)
    parts = []
    if late:
        of = count(explained.examined_late, "late sample")
        if explained.limit_ns is not None:
            of += f" (late: above {duration(explained.limit_ns)}, {explained.limit_by} of round "
            of += f"{explained.rounds[0]}"
            of += (
                f", and {whole(explained.again)} that were sent again)" if explained.again else ")"
            )
        parts.append(f"{whole(late)} of {of}, {share(late / explained.samples)} of all samples")
    if lost:
        parts.append(f"{whole(lost)} of {count(explained.examined_lost, 'lost sample')}")
    return " and ".join(parts)


def _latencies(found: list[Share]) -> str:
    least = min((each.least_ns for each in found if each.least_ns is not None), default=None)
    most = max((each.most_ns for each in found if each.most_ns is not None), default=None)
    if least is None or most is None:
        return "never read"
    if least == most:
        return f"latency {duration(most)}"
    return f"latencies {duration(least)} to {duration(most)}"


def _example(worst: Late) -> str:
    name = f"Sample {worst.seq} of writer {worst.writer} in round {worst.round}"
    if worst.latency_ns is None:
        said = f"{name}, lost: {worst.said}"
    else:
        waited = f", waited {duration(worst.wait_ns)}" if worst.wait_ns else ""
        said = f"{name}, latency {duration(worst.latency_ns)}{waited}: {worst.said}"
    packets = [each.packet for each in worst.evidence]
    if not packets:
        return said
    noun = "packet" if len(packets) == 1 else "packets"
    file = listed(list(dict.fromkeys(each.file for each in worst.evidence)))
    return f"{said} ({noun} {', '.join(map(str, packets))} of {file})"


LATE_DELAYED_ACK = _late_rule(
    "late-delayed-ack",
    explains=("nagle-delayed-ack", "bimodal", "rate-not-held", "non-stationary", "rounds-disagree"),
)


LATE_RETRANSMISSION = _late_rule(
    "late-retransmission",
    "tcp-retransmission",
    "rtps-retransmission",
    "fragment-resent",
    "xrce-retransmission",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)


LATE_TCP_WINDOW = _late_rule(
    "late-tcp-window",
    explains=("bimodal", "rate-not-held"),
)


LATE_HEARTBEAT_WAIT = _late_rule(
    "late-heartbeat-wait",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)


LATE_XRCE_UNREPEATED = _late_rule(
    "late-xrce-unrepeated",
    explains=("loss-under-reliable", "overwritten", "loss-in-latency"),
)


LATE_FRAGMENTS = _late_rule(
    "late-fragments",
    explains=("bimodal",),
)


LATE_REORDERING = _late_rule(
    "late-reordering",
    severity="note",
)


LATE_BEFORE_MATCH = _late_rule(
    "late-before-match",
    explains=("loss-in-latency", "loss-under-reliable", "overwritten"),
)


LATE_IN_RELAY = _late_rule(
    "late-in-relay",
    explains=("bimodal", "saturated-core"),
)


def late_not_examined(view: CaseView) -> Iterator[Observation]:
    explained = view.once(explained_samples)
    if explained is None or not explained.left:
        return
    rounds = [f"round {each.round}: {each.why}" for each in explained.left]
    late = sum(each.late for each in explained.left)
    yield Observation(
        "note",
        f"{count(late, 'late or lost sample')} in {count(len(rounds), 'round')} ({listed(rounds)})",
        weight=late,
    )


LATE_NOT_EXAMINED = Rule(
    id="late-not-examined",
    check_case=late_not_examined,
    early=None,
    concerns=("captured",),
)


LATE_ELSEWHERE = _late_rule(
    "late-elsewhere",
    "on-link",
    "written-late",
    "in-writer",
    "in-answerer",
    "in-reader",
    severity="note",
)


LEAST = 3
"""Late samples with discovery; fewer are accident."""
FACTOR = 3.0
"""How much more often than during other samples: a late sample is longer under way, so that more
passes meanwhile in any case."""


def late_discovery(view: CaseView) -> Iterator[Observation]:
    found = view.once(explained_samples)
    if found is None or found.discovery_late < LEAST or not found.ordinary:
        return
    late = found.discovery_late / found.unproved
    ordinary = found.discovery_ordinary / found.ordinary
    if late <= FACTOR * ordinary or found.discovery_packet is None:
        return
    packet = found.discovery_packet
    yield Observation(
        "note",
        f"{whole(found.discovery_late)} of {count(found.unproved, 'late sample')} without another "
        f"cause on the wire, {whole(found.discovery_ordinary)} of "
        f"{count(found.ordinary, 'other sample')}; such as packet {packet.packet} of {packet.file}",
        weight=late,
    )


LATE_DISCOVERY = Rule(
    id="late-discovery",
    check_case=late_discovery,
    early=None,
    concerns=("tail",),
)


def handshake_in_measurement(view: CaseView) -> Iterator[Observation]:
    if view.params.security in (None, "none") or view.params.test == "discovery":
        return
    seen: dict[int, int] = {}
    for number in view.values("captured"):
        with suppress(UserError):
            table = view.result.table("wire", view.case.id, number)
            if table is not None:
                rows = table.filter(purpose="handshake")
                seen[number] = int(rows["window_packets"].sum())
    rounds = [packets for packets in seen.values() if packets]
    if rounds:
        yield Observation(
            "warning",
            f"{whole(sum(rounds))} packets of handshakes within the measured time, in "
            f"{len(rounds)} of {count(len(seen), 'captured round')}",
            weight=sum(rounds),
        )


HANDSHAKE_IN_MEASUREMENT = Rule(
    id="handshake-in-measurement",
    check_case=handshake_in_measurement,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("latency", "tail"),
)


EACH_BY_ITSELF = ("rtps_sign", "rtps_encrypt", "metadata_encrypt", "all")
"""Profiles by which messages or submessages are protected. A payload is protected whole, before it
is cut."""

MIN_PACKETS = 4.0
"""Packets for each sample; acknowledgements and heartbeats are among them."""


def small_fragments(view: CaseView) -> Iterator[Observation]:
    size = view.params.size
    if view.params.security not in EACH_BY_ITSELF or not isinstance(size, int):
        return
    packets, bytes_ = view.values("wire_packets"), view.values("wire_bytes")
    latency = view.params.test == "latency"
    samples = view.values("samples" if latency else "received")
    each = [
        (packets[n] / exchanged, bytes_[n] / packets[n])
        for n in packets.keys() & bytes_.keys() & samples.keys()
        if (exchanged := samples[n] * (2 if latency else 1)) and packets[n]
    ]
    if not each:
        return
    per_sample = median(many for many, _ in each)
    length = median(long for _, long in each)
    if per_sample >= MIN_PACKETS and length * 2 < size:
        yield Observation(
            "note",
            f"{per_sample:.1f} packets of {whole(round(length))} B on average for each sample of "
            f"{whole(size)} B, in {count(len(each), 'captured round')}",
            weight=per_sample,
            remedy=_larger(view.params.adapter),
        )


def _larger(adapter: str) -> str:
    facts = adapter_facts().get(adapter)
    named = f" ({facts.larger_fragments})" if facts and facts.larger_fragments else ""
    return LARGER.format(named)


LARGER = (
    "Let the middleware send larger fragments{}, where the network carries them, or protect "
    "payloads alone (data_encrypt): these are encrypted before they are cut."
)

SMALL_FRAGMENTS = Rule(
    id="small-fragments",
    remedy=LARGER.format(""),
    check_case=small_fragments,
)


def capture_dropped(view: CaseView) -> Iterator[Observation]:
    dropped = {n: gone for n, gone in view.values("capture_dropped", only_ok=False).items() if gone}
    if dropped:
        total = sum(dropped.values())
        taken = sum(view.values("captured", only_ok=False)[number] for number in dropped)
        yield Observation(
            "warning",
            f"{whole(total)} packets ({share(total / (total + taken))}) missing in the captures of "
            f"{count(len(dropped), 'round')}",
            weight=total / (total + taken),
        )


CAPTURE_DROPPED = Rule(
    id="capture-dropped",
    check_case=capture_dropped,
    of_trials=True,
    concerns=("captured",),
)


def capture_nothing(view: CaseView) -> Iterator[Observation]:
    if not view.result.manifest.scenario.get("capture") or not view.finished.height:
        return
    carried = carrier(view.capabilities, view.params.transport)
    if carried in LOCAL and not view.values("captured", only_ok=False):
        transport = view.params.transport
        yield Observation("note", f"transport {transport}: {in_words(transport, carried)}")


CAPTURE_NOTHING = Rule(
    id="capture-nothing",
    check_case=capture_nothing,
    of_trials=True,
    early=None,
)
