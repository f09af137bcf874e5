"""Traffic of a case: who wrote and read how much, by participant, node, flow and phase, and what
passed the wire."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.model.distribution import Distribution
from busmark.model.figures import Part
from busmark.model.quantities.parts import ASKED, PHASE_BEGIN, UNANSWERED
from busmark.model.stream import Pairs

ARROW = " → "


@dataclass(frozen=True, slots=True)
class Way:
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
        return f"{self.flow}: {self.sender}{ARROW}{self.receiver or ALL}"

    @property
    def nodes(self) -> str | None:
        """Nodes of both ends; None where both are this machine."""
        if self.sender_node is None and self.receiver_node is None:
            return None
        return f"{self.sender_node or HERE}{ARROW}{self.receiver_node or HERE}"

    @classmethod
    def read(cls, of: str, nodes: str | None) -> Way:
        """Return the way of this name and these nodes."""
        flow, _, ends = of.partition(": ")
        sender, _, receiver = ends.partition(ARROW)
        known = (nodes or f"{HERE}{ARROW}{HERE}").partition(ARROW)
        sender_node, receiver_node = (None if node == HERE else node for node in known[::2])
        return cls(flow, sender, sender_node, None if receiver == ALL else receiver, receiver_node)


ALL, HERE = "all", "-"
"""Receiver of what several answer; a node that is this machine."""


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


@dataclass(frozen=True, slots=True)
class Phase:
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

    @classmethod
    def read(cls, part: Part) -> Phase:
        """Return the phase whose figures these are."""
        number, _, flow = (part.of or "0 ").partition(" ")
        begin = part.row(PHASE_BEGIN)
        change, begin_s = (begin.reason, begin.value) if begin else (None, None)
        return cls(int(number), flow, change, begin_s or 0.0)
