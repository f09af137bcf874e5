"""Traffic of a case: who wrote and read how much, by participant, node, flow and phase, and what
passed the wire."""

from __future__ import annotations

from typing import Literal

from busmark.model.figure import Distribution, Figure, Frozen
from busmark.model.latency import LatencyByRound
from busmark.model.stream import Pairs

TotalScope = Literal["participant", "node", "system", "flow"]


class Total(Frozen):
    """Everything that one participant, one node, one flow or the whole case wrote and read, all its
    writers and readers together. Null where it has none of these.

    A rate is null, too, where a part of it is not known or not asked for: full speed, a closed
    loop. Pings count at whoever answers them, as read when they were answered; those that several
    answer count in the whole and in their flow alone.
    """

    scope: TotalScope
    name: str
    asked_per_s: float | None
    """Samples to be written, if every writer kept its rate."""
    written_per_s: Figure | None
    theoretical_per_s: float | None
    """Samples to be read, if besides none were lost."""
    read_per_s: Figure | None
    sent: int | None
    """Samples sent; this and the following counts are sums over the counted rounds."""
    expected: int | None
    received: int | None
    lost: int | None


class Way(Frozen):
    """Samples of one flow from one participant to another, all their writers and readers together.
    Pings go to all that answer."""

    flow: str
    sender: str
    sender_node: str | None
    receiver: str | None
    """Participant that reads; null for pings that several answer."""
    receiver_node: str | None
    writers: int
    readers: int | None
    theoretical_per_s: float | None
    """Samples to be read, if every writer kept its rate and none were lost."""
    written_per_s: Figure | None
    """Samples that all writers wrote; each is sent to each of its writer's readers."""
    read_per_s: Figure | None
    """Samples that all readers read; for pings, the rate at which they were answered."""
    sent: int
    """Samples sent; this and the following counts are sums over the counted rounds."""
    expected: int
    received: int
    lost: int


class OwnFlow(Frozen):
    """One flow of the scenario's own, in the background of what the case measures, whose figures
    do not count it."""

    name: str
    kind: str
    """stream, pings or batches."""
    size: int
    """B, of the body."""
    total: Total
    latency: Distribution | None
    """RTT/2 of pings; one-way latency of all samples of a stream at a rate, or of the probes of
    another, if one clock measures it, else RTT/2 of probes. Null if nothing is timed or answered,
    and if the median falls among the lost."""
    by_round: LatencyByRound | None
    """Statistics of the latency round by round; null if nothing is timed or answered."""
    asked: int | None
    """Pings, probes, or samples to be timed, of the counted rounds; null where there are none."""
    unanswered: int | None
    """Pings never answered; for probes with a one-way latency, never arrived. They are later than
    any that came."""
    pairs: Pairs | None = None
    """Pairs of a writer and a reader; null unless all samples are timed, and for a single writer
    with a single reader."""

    @property
    def hidden(self) -> bool:
        """Return whether the median falls among the lost."""
        return self.latency is None and bool(self.asked) and bool(self.unanswered)


LevelScope = Literal["reader", "participant", "node", "system"]

ENOUGH = 0.98
"""Share of what was to be read that a reader, participant or node keeps up with at least."""


class Least(Frozen):
    """The member of a level that read the smallest share of what it was to read, in any round."""

    name: str
    """A reader has its flow and participant beside its number."""
    node: str | None
    round: int
    theoretical_per_s: float
    read_per_s: float
    share: float


class Level(Frozen):
    """One level: all readers, all participants, all nodes, or the whole. Rates are the mean of its
    members; a body has its bytes, headers are not counted."""

    scope: LevelScope
    members: int
    writers: int
    """Writers that a member hears, at most."""
    theoretical_per_s: float | None
    """Samples that a member was to read, if every writer kept its rate and none were lost; null if
    a part of it has no rate."""
    read_per_s: Figure | None
    """Samples that it read. A writer of which a reader got too few for a rate counts with their
    share of the writer's own."""
    theoretical_bytes_per_s: float | None
    read_bytes_per_s: Figure | None
    share: Figure | None
    """Read over theoretical."""
    least: Least | None
    """The member that read the smallest share; null without a theoretical rate."""
    short: int | None
    """Members below `ENOUGH` in some round."""
    expected: int
    """Samples that were to be read; this and the following counts are sums over the counted rounds,
    of the whole level."""
    received: int
    lost: int


class Phase(Frozen):
    """Figures of one flow in one phase."""

    phase: int
    """Number of the phase; 0 is the phase before the first change."""
    flow: str
    change: str | None
    """Change with which the phase began; null for phase 0."""
    begin_s: float
    """Time at which the change was asked for, from the start of the measured time."""
    half_round_trip: Figure | None
    """Median, with lost samples later than any; null where it falls among the lost in some round.
    """
    asked: int
    """Pings, or probes, that were sent in it, in all rounds that count."""
    lost: int
    """Pings never answered."""
    loss: Figure | None
    written_per_s: Figure | None
    """Samples that all writers wrote, counted in intervals that are wholly within the phase."""
    read_per_s: Figure | None
    """Samples that all readers read, counted in these intervals."""
    first_after: Figure | None = None
    """Time from the change with which the phase began until each reader had received a sample
    again, whenever that sample was sent; null for phase 0, and where a round has no such time."""
