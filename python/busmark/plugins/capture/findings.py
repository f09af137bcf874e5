"""Why samples were late, as packets prove it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
    title: str,
    cause: str,
    remedy: str,
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
        title=title,
        cause=cause,
        remedy=remedy,
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
    title="Late samples waited for a delayed acknowledgement",
    cause="A segment of the message was held back by the sender's TCP (Nagle's algorithm) "
    "until the segment before it was acknowledged, and the receiver delayed that "
    "acknowledgement, by 40 ms or more on Linux, to send it along with data. The "
    "packets show both: the acknowledgement without data, and the segment right "
    "after it.",
    remedy="Set TCP_NODELAY on the sending side, in the middleware's configuration and in "
    "the broker's if there is one, or send each message with one call.",
    explains=("nagle-delayed-ack", "bimodal", "rate-not-held", "non-stationary", "rounds-disagree"),
)


LATE_RETRANSMISSION = _late_rule(
    "late-retransmission",
    "tcp-retransmission",
    "rtps-retransmission",
    "fragment-resent",
    "xrce-retransmission",
    title="Late samples waited for a retransmission",
    cause="The sample, a part of it, or one before it was lost or came too late, and was sent "
    "again: by TCP, or because a reader asked for it by ACKNACK or NACK_FRAG. TCP, a reliable "
    "reader of RTPS and a reliable stream of DDS-XRCE deliver in order, so that later samples wait "
    "as well.",
    remedy="Look for the loss: `udp-drops` and `tcp-retransmits` have the kernel's counters, "
    "`fragments-lost` and `link-loss` what the network lost. Best effort does not wait for what is "
    "lost.",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)


LATE_TCP_WINDOW = _late_rule(
    "late-tcp-window",
    title="Late samples waited in TCP behind earlier bytes",
    cause="When the sample was written, bytes before it had not been sent, or were not "
    "acknowledged: it left behind them, or right after an acknowledgement. TCP sends no more "
    "than the window of the receiver and of the network allow; after a loss the latter is small.",
    remedy="Lower rate or size; look for retransmissions; raise the receive buffer of the reader.",
    explains=("bimodal", "rate-not-held"),
)


LATE_HEARTBEAT_WAIT = _late_rule(
    "late-heartbeat-wait",
    title="Late samples were recovered only after a heartbeat",
    cause="The sample, or one before it, was lost or came too late, and its reader learned of it "
    "by a later HEARTBEAT of the writer: more than half of the wait was for this heartbeat. The "
    "rest is the reader's ACKNACK and the writer's second copy.",
    remedy="Look for the loss first. A shorter heartbeat period, or a heartbeat with "
    "every sample, shortens the wait, at the cost of packets; the adapter's "
    "options name them where the middleware has such.",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)


LATE_XRCE_UNREPEATED = _late_rule(
    "late-xrce-unrepeated",
    title="Lost samples of DDS-XRCE were asked for and not sent again",
    cause="Client or agent asked by ACKNACK for the message with the sample, or for one before it "
    "in its reliable stream, and the capture has no second copy. The stream is read in order: what "
    "comes after that message waits for it.",
    remedy="Look for the loss: `udp-drops` has what the kernel dropped at sockets, `link-loss` "
    "what the network lost. `busmark capture explain` has the packets of the worst: with them ask "
    "those who make the client or the agent that did not send it again.",
    explains=("loss-under-reliable", "overwritten", "loss-in-latency"),
)


LATE_FRAGMENTS = _late_rule(
    "late-fragments",
    title="Late samples waited for their last fragment",
    cause="The sample is larger than a packet. The time from its first fragment to its "
    "last, of RTPS or of IP, is at least half of the delay; or fragments completed "
    "no datagram, and the sample was lost.",
    remedy="A faster link, a larger MTU or smaller samples; middleware that sends "
    "fragments of RTPS need not repeat a whole datagram for a fragment of IP.",
    explains=("bimodal",),
)


LATE_REORDERING = _late_rule(
    "late-reordering",
    title="Late samples were overtaken on the way",
    cause="A packet with a later sample of the same writer, or a segment of TCP with "
    "later bytes, passed the interface before the packet of the sample, and nothing "
    "was sent again: the network changed the order. A reader that delivers in order "
    "holds the later ones back.",
    remedy="Look for several paths, or a queue with jitter; in a lab `link.jitter` "
    "changes the order.",
    severity="note",
)


LATE_BEFORE_MATCH = _late_rule(
    "late-before-match",
    title="Samples were written before any reader was known",
    cause="No other participant had announced a reader on the wire when the sample was "
    "written. A volatile writer does not keep such a sample; a durable one delivers "
    "it when the reader is there.",
    remedy="Wait for the match before writing, or ask for durability transient local.",
    explains=("loss-in-latency", "loss-under-reliable", "overwritten"),
)


LATE_IN_RELAY = _late_rule(
    "late-in-relay",
    title="Late samples stayed in an agent or broker",
    cause="The sample went into a process between writer and reader with one packet and "
    "left it with another: at least half of the delay lies between the two. It "
    "waited in a queue there, or the process had no CPU.",
    remedy="Give the agent or broker a CPU of its own; look at its options for batches, "
    "intervals and threads.",
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
    title="Late samples were not looked at",
    cause="What a capture lost, or what was not read, may be the packet that explains the delay: "
    "for such a round no cause is named.",
    remedy="Make the capture complete: `capture.snap_length = 256`, a greater "
    "`capture.buffer_bytes`, a CPU for dumpcap. `busmark capture explain` reads more packets than "
    "a campaign does at its end.",
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
    title="Late samples spent their time outside the protocols",
    cause="No retransmission, no fragment and no acknowledgement explains these samples. "
    "Their packets only divide the delay: before the write, from the write to the "
    "wire, between two hosts, in the answering process, or from the wire to the "
    "reading. What passes within a host is its processes and their scheduling; "
    "packets do not distinguish the two.",
    remedy="Read which part it is in the evidence, then look at that process: `busmark "
    "show DIRECTORY --findings` names CPUs that others used, page faults and "
    "throttling; `busmark capture explain` shows the packets.",
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
    title="Discovery was on the wire while late samples were under way",
    cause="Participants announced themselves or their endpoints while these samples were under "
    "way, more often than during other samples. It coincides: packets do not prove that it is the "
    "reason.",
    remedy="Measure longer after the match; look at the announcement period of the middleware and "
    "for further participants in the domain.",
    check_case=late_discovery,
    early=None,
    concerns=("tail",),
)
