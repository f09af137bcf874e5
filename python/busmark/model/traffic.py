"""Traffic of a case: who wrote and read how much, by participant, node, flow and phase, and what
passed the wire."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.model.distribution import Distribution
from busmark.model.figure import Frozen
from busmark.model.figures import Part
from busmark.model.quantities.parts import ASKED, UNANSWERED
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


@dataclass(frozen=True, slots=True)
class OwnFlow:
    """One flow of the scenario's own, in the background of what the case measures, whose figures
    do not count it: a view of its rows, whose scope is `flow`."""

    name: str
    kind: str
    """stream, pings or batches."""
    size: int
    """B, of the body."""
    part: Part
    """What was written and read of it."""
    times: Distribution | None
    """RTT/2 of pings; one-way latency of all samples of a stream at a rate, or of the probes of
    another, if one clock measures it, else RTT/2 of probes. None if nothing is timed or answered.
    """
    pairs: Pairs | None
    """Pairs of a writer and a reader; None unless all samples are timed, and for a single writer
    with a single reader."""

    @property
    def latency(self) -> Distribution | None:
        """Its latency; None also where the median falls among the lost."""
        return self.times if self.times and self.times.is_known else None

    @property
    def asked(self) -> int | None:
        """Pings, probes, or samples to be timed, in the counted rounds; None where nothing is."""
        return self.part.counted(ASKED)

    @property
    def unanswered(self) -> int | None:
        """Pings never answered; for probes with a one-way latency, never arrived. They are later
        than any that came."""
        return self.part.counted(UNANSWERED)

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
