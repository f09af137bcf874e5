"""Late samples explained: `busmark capture explain --json`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from busmark.plugins.capture.model import Analysis

EXPLAIN_VERSION = 1

Cause = Literal[
    "delayed-ack", "tcp-retransmission", "tcp-window", "kernel-drop", "lab-link", "heartbeat-wait",
    "rtps-retransmission", "fragment-resent", "xrce-retransmission", "xrce-unrepeated",
    "fragments", "reordering", "before-match", "dropped-at-sender", "dropped-at-receiver",
    "dropped-by-agent", "overwritten", "behind-retransmission",
    "in-relay", "on-link", "written-late", "in-writer", "in-answerer", "in-reader",
    "not-in-capture", "unexplained",
]  # fmt: skip
"""Names of causes. What is from `on-link` on says where the time passed, not why."""

CAUSES: tuple[Cause, ...] = Cause.__args__  # type: ignore[attr-defined]
SENT_AGAIN: tuple[Cause, ...] = (
    "tcp-retransmission",
    "rtps-retransmission",
    "fragment-resent",
    "xrce-retransmission",
    "dropped-at-receiver",
)
"""Causes for which packets carry the sample again."""
PROVED = CAUSES[: CAUSES.index("on-link")]
"""Causes that packets can prove."""


class PacketShown(BaseModel):
    """A packet that shows something."""

    file: str
    packet: int
    """Number of the packet in its file, from 1."""
    at_ns: int
    """Time from the write of the sample."""
    what: str


class Late(BaseModel):
    """A late or lost sample, and what the packets say of it."""

    round: int
    writer: int
    reader: int | None
    seq: int | None
    """Sequence number; null for a sample that has no packet on its first hop."""
    latency_ns: int | None
    """Time from the intended time to the reading; null: lost."""
    cause: Cause
    wait_ns: int | None
    """How long it waited for that; null where nothing explains it, and for a lost sample."""
    said: str
    """Sentence on what the packets show."""
    evidence: list[PacketShown]
    also: list[Cause]
    """Further causes that would be enough."""
    discovery: PacketShown | None
    """The first packet of discovery that was on the wire meanwhile."""
    last_seen: PacketShown | None = None
    """The last packet that carries it; null: no packet does."""
    way: list[str] = []
    """Hops of its way, in a capture without a result."""
    last_hop: str | None = None
    """The last hop on which the sample was seen."""
    number: int | None = None
    """Sequence number on the first hop, where no packet has it."""


class Event(BaseModel):
    """A stamp of a process, or a packet."""

    at_ns: int
    """Time from the write of the sample."""
    lane: str
    towards: str | None
    """The lane to which a packet goes; null for a stamp, and where that is not known."""
    file: str | None
    packet: int | None
    what: str
    proves: bool
    """Whether it is evidence for the cause."""


class Diagram(BaseModel):
    """Packets of a sample between its processes."""

    sample: Late
    lanes: list[str]
    """The writer, each captured interface, the other end."""
    events: list[Event]
    """Events in the order of time."""
    omitted: int
    """Further packets of the same flows."""


class Share(BaseModel):
    """A cause in a case."""

    cause: Cause
    lost: int
    """Lost samples that it explains."""
    late: int
    """Late samples that it explains."""
    least_ns: int | None
    """Least latency of the late samples that the cause explains."""
    median_ns: float | None
    most_ns: int | None
    ordinary: int
    """Samples that are not late, and show it as well."""


class RoundLeft(BaseModel):
    """A round whose late samples were not looked at."""

    round: int
    late: int
    """Late and lost samples of the round."""
    why: str


class WayLimit(BaseModel):
    """Above which latency samples of a way are late."""

    way: list[str]
    """Hops of the way."""
    limit_ns: int
    limit_by: str
    """Name of the limit, in words."""
    late: int
    again: int
    """Samples that were sent again, and are not among the latest 5 %."""


class LateSamples(BaseModel):
    """Late samples of a case."""

    busmark_explain: int = EXPLAIN_VERSION
    case: str
    rounds: list[int]
    """Rounds that were looked at."""
    left: list[RoundLeft]
    samples: int
    """Samples that were measured in these rounds."""
    lost: int
    late: int
    """Above the limit of their round: its 99th percentile or three times its median, whichever is
    less, but its 95th percentile at least; and those `again`."""
    again: int = 0
    """Late ones at or below the 95th percentile, but above three times the median: packets show
    that they were sent again."""
    untimed: int = 0
    """Samples that a capture has on one hop alone, without the lost: they have no latency, and none
    of them can be late."""
    unfollowed: int = 0
    """Number of these samples that nothing confirms: whether they were received is not known."""
    median_ns: int | None
    """Median latency, of the first round."""
    limit_ns: int | None
    """Limit of the first round."""
    limit_by: str | None
    """Name of the limit, in words."""
    limits: list[WayLimit] = []
    """Limits of ways that have latencies, in a capture without a result."""
    examined_lost: int
    examined_late: int
    """Late samples that were examined, at most 500 of each round, lost ones included."""
    ordinary: int
    """Samples that are not late and were examined beside them."""
    causes: list[Share]
    """The most frequent first."""
    unproved: int
    """Late samples, without the lost, that no cause on the wire explains."""
    discovery_late: int
    """Unproved samples that had discovery on the wire meanwhile."""
    discovery_ordinary: int
    """Samples counted in `ordinary` that had discovery on the wire meanwhile."""
    discovery_packet: PacketShown | None
    """A packet of discovery that passed while one of the unproved samples was under way."""
    files: list[str]
    worst: list[Late]
    """The lost first, then the latest; as many as were asked for."""
    diagrams: list[Diagram] = []
    """Sequence diagram of each of the worst samples."""
    capture: Analysis | None = None
    """Further results where a capture was analysed without a result: latencies, losses, lengths,
    and what limits them."""
