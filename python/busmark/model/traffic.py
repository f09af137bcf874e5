"""Traffic of a case: who wrote and read how much, by participant, node, flow and phase, and what
passed the wire."""

from __future__ import annotations

from busmark.model.figure import Distribution, Frozen
from busmark.model.latency import LatencyByRound
from busmark.model.stream import Pairs


class Way(Frozen):
    """Samples of one flow from one participant to another, all their writers and readers together;
    their figures are rows of the scope `flow`. Pings go to all that answer."""

    flow: str
    sender: str
    sender_node: str | None
    receiver: str | None
    """Participant that reads; null for pings that several answer."""
    receiver_node: str | None

    @property
    def name(self) -> str:
        """Name of the way in the table of estimates."""
        return f"{self.flow}: {self.sender} → {self.receiver or 'all'}"


class OwnFlow(Frozen):
    """One flow of the scenario's own, in the background of what the case measures, whose figures
    do not count it."""

    name: str
    kind: str
    """stream, pings or batches."""
    size: int
    """B, of the body."""
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


class Phase(Frozen):
    """One flow in one phase; its figures are rows of the scope `phase`."""

    phase: int
    """Number of the phase; 0 is the phase before the first change."""
    flow: str
    change: str | None
    """Change with which the phase began; null for phase 0."""
    begin_s: float
    """Time at which the change was asked for, from the start of the measured time."""

    @property
    def name(self) -> str:
        """Name of the flow in the phase, in the table of estimates."""
        return f"{self.phase} {self.flow}"
