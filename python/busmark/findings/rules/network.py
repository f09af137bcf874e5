"""The network and its buffers: losses, retransmissions, fragments, packets of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isinf
from typing import TYPE_CHECKING

from busmark.carriers import LOCAL, MIXED, carrier, meets_at_server
from busmark.findings.params import (
    has_rate,
    is_reliable,
    remedy,
    settings,
)
from busmark.findings.rule import (
    Capabilities,
    Observation,
    Rule,
    count,
    duration,
    share,
    size,
    whole,
)
from busmark.model.naming import value_text

if TYPE_CHECKING:
    from busmark.findings.view import CaseView, Series
    from busmark.model.parameters import Parameters


def link_loss(view: CaseView) -> Iterator[Observation]:
    if not view.params.link_loss or view.params.network != "lab" or not view.finished.height:
        return
    lost, expected = view.total("lost"), view.total("expected") or view.total("sent")
    asked, burst = value_text("link_loss", view.params.link_loss), view.params.link_burst
    asked += f", in bursts of {burst:g}," if burst else ""
    words = f"; {whole(lost)} of {whole(expected)} samples lost ({share(lost / expected)})"
    yield Observation(
        "warning" if lost else "note",
        f"the lab's links lose {asked} of packets{words if expected else ''}",
        weight=lost / expected if expected else 0.0,
    )


LINK_LOSS = Rule(
    id="link-loss",
    check_case=link_loss,
    of_trials=True,
    explains=(
        "fragments-lost",
        "rounds-lost",
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "bimodal",
        "rounds-disagree",
        "rate-not-held",
        "duplicates-or-reorder",
        "non-stationary",
        "target-missed",
    ),
    accounts_for=("loss-in-latency", "loss-under-reliable", "overwritten"),
    concerns=("lost", "tail"),
)


def fragments_lost(view: CaseView) -> Iterator[Observation]:
    sent = view.values("ip_fragmented", only_ok=False)
    whole_again = view.values("ip_reassembled", only_ok=False)
    fails, lost = view.total("ip_reassembly_fails"), view.total("lost")
    # A group has several receivers of one datagram: there more are put together than were sent.
    short = sum(max(n - whole_again.get(number, 0), 0) for number, n in sent.items())
    if not lost or short + fails <= 0:
        return
    refused = f"; {whole(fails)} times one was given up or refused" if fails else ""
    yield Observation(
        "warning",
        f"{count(view.total('ip_fragmented'), 'datagram')} sent in fragments, "
        f"{whole(view.total('ip_reassembled'))} put together{refused}; {whole(lost)} samples lost",
        weight=short + fails,
    )


FRAGMENTS_LOST = Rule(
    id="fragments-lost",
    check_case=fragments_lost,
    explains=(
        "rounds-lost",
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "rounds-disagree",
        "non-stationary",
        "too-few-samples",
    ),
    concerns=("lost",),
)


OWN = "at sockets of the participants"
OF_NETWORK = "at all sockets of the network namespace"


def udp_drops(view: CaseView) -> Iterator[Observation]:
    drops, where = _drops(view)
    total = sum(drops.values())
    if total <= 0:
        return
    hit = sum(1 for dropped in drops.values() if dropped > 0)
    lost = view.total("lost")
    buffers = view.values("udp_buffer_bytes", only_ok=False)
    worst = buffers.get(max(drops, key=drops.__getitem__)) if where == OWN else None
    how = remedy(view.params, view.hosts, view.capabilities, worst)
    yield Observation(
        "warning" if lost or is_reliable(view.params, view.capabilities) else "note",
        f"{count(total, 'datagram')} dropped {where} in {view.of_rounds(hit, drops)}, "
        f"warm-up included{_buffer(worst)}; "
        f"{whole(view.total('expected'))} samples were to be received, {whole(lost)} were lost",
        weight=total,
        remedy=how,
        group=how,
    )


def _buffer(octets: int | None) -> str:
    """Return the limit in words; the kernel counts its own structures against it, too."""
    if octets is None:
        return ""
    return f"; the kernel's limit for what waits at the socket that dropped most is {size(octets)}"


def _drops(view: CaseView) -> tuple[dict[int, int], str]:
    """Return drops by round, and where they were. If nobody could look at the sockets, they are the
    whole network's count in rounds that lost samples, if the case sends datagrams."""
    own = view.values("udp_socket_drops", only_ok=False)
    if own:
        return own, OWN
    if carrier(view.capabilities, view.params.transport) != "udp":
        return {}, ""
    lost = view.values("lost", only_ok=False)
    seen = view.values("udp_rcvbuf_errors", only_ok=False)
    return {number: n for number, n in seen.items() if lost.get(number)}, OF_NETWORK


UDP_DROPS = Rule(
    id="udp-drops",
    check_case=udp_drops,
    explains=(
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "rounds-lost",
        "writers-waited",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
    ),
    concerns=("lost", "goodput_mbit_per_s"),
)


MANY = 0.001
"""Share of the segments sent: if fewer were lost and no timer expired, fast retransmission repaired
each within a few round trips, which does not show in a round's median or 99th percentile."""

LATE_NS, TIMER_NS = 2e6, 190e6
"""Delays of a sample that waited for a repair, at least: the sender waits for two ticks of the
kernel's timer (1 to 10 ms each) before it probes for a loss that no later segment shows, and for
200 ms (TCP_RTO_MIN, here with some room) until its timer expires."""


def tcp_retransmits(view: CaseView) -> Iterator[Observation]:
    kind = carrier(view.capabilities, view.params.transport)
    if kind != "tcp" or view.params.link_loss:
        return
    again, needless, sent, waits = (
        view.values(f"tcp_{column}", only_ok=False)
        for column in ("retransmits", "needless", "segments", "timeouts")
    )
    late = _late(view)
    hit: dict[int, int] = {}
    for number, segments in again.items():
        lost = segments - needless.get(number, 0)
        many = lost > MANY * sent.get(number, 0)
        if lost > 0 and (
            (many and late.get(number, 0.0) >= LATE_NS)
            or (waits.get(number) and late.get(number, 0.0) >= TIMER_NS)
        ):
            hit[number] = lost
    if not hit:
        return
    total, segments, spared, expired = (
        sum(own.get(number, 0) for number in hit) for own in (hit, sent, needless, waits)
    )
    worst = max(late[number] for number in hit)
    yield Observation(
        "warning",
        f"{count(total, 'segment')}"
        + (f" of {whole(segments)}" if segments else "")
        + f" sent again in {view.of_rounds(len(hit), again)}"
        + (f"; {whole(spared)} more of which nothing had been lost" if spared else "")
        + (f"; a sender's timer ran out {count(expired, 'time')}" if expired else "")
        + (
            "; samples never came back"
            if isinf(worst)
            else f"; the latest sample took {duration(worst)} longer than the median"
        ),
        weight=total,
    )


def _late(view: CaseView) -> dict[int, float]:
    """Return by how much the latest sample of each round was later than the median, ns; infinite
    where one never came back."""
    longest, usual, lost = (
        view.values(column, only_ok=False) for column in ("max_ns", "median_ns", "lost")
    )
    late = {number: ns - usual[number] for number, ns in longest.items() if number in usual}
    return {**late, **{number: inf for number, gone in lost.items() if gone > 0}}


TCP_RETRANSMITS = Rule(
    id="tcp-retransmits",
    check_case=tcp_retransmits,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("tail",),
)


WHERE = {
    "softnet_drops": "by the backlog of a CPU",
    "rx_drops": "by an interface in receiving",
    "tx_drops": "by an interface in sending",
}


def packets_dropped(view: CaseView) -> Iterator[Observation]:
    if carrier(view.capabilities, view.params.transport) in LOCAL:
        return  # nothing of it was a packet of this case
    dropped = {column: sum(view.system(column).values()) for column in WHERE}
    total = sum(dropped.values())
    if total > 0:
        words = ", ".join(f"{whole(n)} {WHERE[column]}" for column, n in dropped.items() if n)
        lost = whole(view.total("lost"))
        rounds = count(view.finished.height, "round")
        yield Observation(
            "warning" if view.total("lost") else "note",
            f"{count(total, 'packet')}, {words}, in {rounds}; {lost} samples lost",
            weight=total,
        )


PACKETS_DROPPED = Rule(
    id="packets-dropped",
    check_case=packets_dropped,
    explains=("loss-under-reliable", "overwritten", "rounds-lost"),
    concerns=("lost", "goodput_mbit_per_s"),
)


MS = 1e6

LOW_NS, HIGH_NS = 35.0 * MS, 100.0 * MS
"""Linux holds an acknowledgement back for 40 ms at least (TCP_DELACK_MIN); a round trip pays once
or twice, and the timer's tick and the rest of the way add up to a tenth."""

FAMILY_NS = (40.0 * MS, 44.0 * MS, 48.0 * MS, 80.0 * MS, 88.0 * MS)
"""Medians of round trips that paid for every sample, once or twice."""

TOLERANCE = 0.10
MIN_SHARE = 0.01
"""Share of the samples in the cluster, to be more than accident: it then decides the 99th
percentile."""

MAX_REST_NS = 10.0 * MS
"""Median of the other samples: on a slower path 40 ms is no sign of a timer."""

MIN_ALL_SHARE = 0.90
"""Share of the samples in the window when every sample pays; the rest are the first ones of a
connection, which the kernel acknowledges at once."""

VALLEY_NS = 20.0 * MS
MAX_VALLEY = 0.25
"""Samples from `VALLEY_NS` to `LOW_NS` over those in the cluster. A timer leaves a gap below it;
a long tail, or a queue that drains, does not."""

MIN_CLUSTER = 10
"""Fewest samples in the cluster, as for any percentile that is reported."""

MIN_HELD = 0.7
"""Share of a round's samples that arrived together with a later one: all but the last of each
segment. A reader or writer that waits for a CPU delays fewer."""

NO_DELAY = re.compile(r"no_?delay$", re.IGNORECASE)
"""Names of adapter options that switch Nagle's algorithm off."""


def nagle_delayed_ack(view: CaseView) -> Iterator[Observation]:
    kind = carrier(view.capabilities, view.params.transport)
    if kind in ("udp", MIXED, *LOCAL) or _switched_off(view):
        return
    found = list(_held_back(view)) if kind == "tcp" else []
    yield from found or _cluster(view)


def _switched_off(view: CaseView) -> bool:
    """Return whether the algorithm is off at both ends of every connection."""
    _, value = _option(view.params, view.capabilities)
    between = meets_at_server(view.capabilities, view.params.settings)
    return value == "true" and not between and not view.params.peer


def _held_back(view: CaseView) -> Iterator[Observation]:
    """Warn if Nagle's algorithm is left on, and samples of different times arrive at once."""
    name, value = _option(view.params, view.capabilities)
    if not has_rate(view.params) or value != "false":
        return
    explained = view.held_up
    held = {
        n: own for n, own in view.held_back.items() if own[0] >= MIN_HELD and n not in explained
    }
    if len(held) * 2 <= len(view.finished):
        return
    number, (part, waited) = max(held.items(), key=lambda each: each[1][0])
    remedy = _remedy(view.params, view.capabilities)
    yield Observation(
        "warning",
        f"`{view.params.adapter}.{name} = false`; {share(round(part, 3))} of the samples of "
        f"round {number} arrived together with one that was sent later, after {duration(waited)} "
        f"(median); likewise in {view.of_rounds(len(held), view.held_back)}",
        weight=part,
        title="Samples wait for Nagle's algorithm",
        cause="A sender with Nagle's algorithm keeps what does not fill a segment back until all "
        "before it is acknowledged, and the receiver delays acknowledgements by 40 ms or more "
        "where it has nothing to send. Samples collect meanwhile and go together.",
        remedy=remedy,
        group=remedy,
    )


def _cluster(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    explained = view.held_up
    rounds = [series for n, series in view.latencies.items() if n not in explained]
    if not rounds:
        return
    series = np.concatenate(rounds)
    inside = series[(series >= LOW_NS) & (series <= HIGH_NS)]
    part = inside.size / series.size
    if inside.size < MIN_CLUSTER or part < MIN_SHARE:
        return
    middle = float(np.median(inside))
    remedy = _remedy(view.params, view.capabilities)
    if part >= MIN_ALL_SHARE:
        proved = any(abs(middle - known) <= TOLERANCE * known for known in FAMILY_NS)
    else:
        rest = float(np.median(series[(series < LOW_NS) | (series > HIGH_NS)]))
        proved = rest < MAX_REST_NS and _is_cluster(series, inside.size) and _recurs(rounds)
    if proved:
        yield Observation(
            "warning",
            f"{share(part)} of {whole(series.size)} samples have a {view.quantity} of 35 to 100 ms "
            f"(median {duration(middle)})",
            weight=part,
            remedy=remedy,
            group=remedy,
        )


def _is_cluster(series: Series, inside: int) -> bool:
    """Return whether a gap lies below the window and no tail continues above it."""
    valley = int(((series >= VALLEY_NS) & (series < LOW_NS)).sum())
    above = int((series > HIGH_NS).sum())
    return valley <= MAX_VALLEY * inside and above <= inside


def _recurs(rounds: Sequence[Series]) -> bool:
    """Return whether most rounds have samples in the window: a socket's option is the same in all,
    while one participant that is suspended for a moment delays a row of samples in one."""
    found = [bool(((s >= LOW_NS) & (s <= HIGH_NS)).any()) for s in rounds]
    return sum(found) * 2 > len(found)


def _option(params: Parameters, capabilities: Capabilities) -> tuple[str, str]:
    """Return the adapter's option that switches the algorithm off, and its value in this case;
    empty where it has none, or leaves the choice to the middleware."""
    for each in capabilities.get("options") or []:
        if NO_DELAY.search(name := str(each.get("key", ""))):
            return name, settings(params).get(name, str(each.get("value", "")))
    return "", ""


def _remedy(params: Parameters, capabilities: Capabilities) -> str:
    name, value = _option(params, capabilities)
    if not name:
        return ""
    option = f"{params.adapter}.{name}"
    if value == "true":
        return (
            f"The option `{option}` is set: look for a peer, a proxy or a broker on the way "
            "that does not set TCP_NODELAY."
        )
    return f"Set `{option} = true` in [matrix.option]."


NAGLE_DELAYED_ACK = Rule(
    id="nagle-delayed-ack",
    check_case=nagle_delayed_ack,
    explains=("bimodal", "rate-not-held", "non-stationary", "rounds-disagree"),
    concerns=("latency",),
)


LEAST_BYTES = 1_000_000
"""Fewer bytes of bodies in a round prove nothing."""

SHARE = 0.5
"""Share of the bodies' bytes that must be seen: the first and the last interval may be cut
short."""

COVERED = 0.9
"""Share of the measured time that must have counters: bytes of a gap were sent, and nobody counted
them."""


def bytes_on_wire(view: CaseView) -> Iterator[Observation]:
    size = view.params.size
    kind = carrier(view.capabilities, view.params.transport)
    if view.params.applications:
        return  # how many of its readers are behind one link is not known of a sample
    if not isinstance(size, int) or kind not in ("udp", "tcp"):
        return
    # One datagram of a group serves all its readers.
    readers = max(1, int(view.params.subscribers or 1))
    received = view.values("received", only_ok=False)
    arrived, seen = 0, 0
    rounds = 0
    for number, sent in view.system("tx_bytes").items():
        if view.network_covered.get(number, 0.0) < COVERED:
            continue
        bodies = received.get(number, 0) * size // readers
        if bodies >= LEAST_BYTES and sent < SHARE * bodies:
            arrived, seen, rounds = arrived + bodies, seen + sent, rounds + 1
    if rounds:
        yield Observation(
            "error",
            f"{whole(seen)} B were sent by all interfaces in {count(rounds, 'round')} in which "
            f"{whole(arrived)} B of bodies arrived ({share(seen / arrived)})",
            weight=1.0 - seen / arrived,
        )


BYTES_ON_WIRE = Rule(
    id="bytes-on-wire",
    check_case=bytes_on_wire,
)


def foreign_traffic(view: CaseView) -> Iterator[Observation]:
    foreign = view.values("foreign", only_ok=False)
    total = sum(foreign.values())
    if total > 0:
        hit = sum(1 for seen in foreign.values() if seen > 0)
        yield Observation(
            "warning",
            f"{whole(total)} foreign samples in {view.of_rounds(hit, foreign)}",
            weight=total,
        )


FOREIGN_TRAFFIC = Rule(
    id="foreign-traffic",
    check_case=foreign_traffic,
    of_trials=True,
    explains=("rounds-disagree", "udp-drops", "rate-not-held"),
    concerns=("foreign",),
)
