"""Traffic of a case: who wrote and read how much, by participant, node, flow and phase, and what
passed the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from busmark.model.figure import Distribution, Figure, Frozen
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


class Spread(Frozen):
    """Values of all samples of all counted rounds, as papers have them, and a typical round's."""

    count: int
    least: float
    greatest: float
    mean: float
    deviation: float | None = Field(description="standard deviation by count - 1")
    variance: float | None
    median: Figure | None


class RouteHop(Frozen):
    """One link of the route."""

    protocol: str
    transport: str
    source: str
    """Address and port in the first round; in others ports differ."""
    destination: str
    samples: int
    """Samples that passed it, in all counted rounds."""
    bytes_each: float
    """Bytes of a sample's packets on the wire, on average, headers included."""


class RouteRound(Frozen):
    """Figures of one counted round."""

    round: int
    entered: int
    arrived: int
    hops: int
    bits_mean: float | None
    least_ns: float | None
    """Least L, or application's time where nothing confirms."""
    mean_ns: float | None
    greatest_ns: float | None


class Route(Frozen):
    """The route of samples, from the hop on which they enter to the one on which they leave."""

    flow: str
    hops: list[RouteHop]
    entered: int
    """Samples seen on the first hop, in all counted rounds."""
    arrived: int
    """Samples among them that were seen on the last."""
    lost_first: int
    """Samples that did not arrive and were sent before the first of their round that did."""
    packets_per_sample: float
    bits: Spread | None
    """Bits of a sample's packets on all hops together, of those that arrived."""
    latency: Spread | None
    """Time from a sample's packet on the first hop to its packet on the last, ns."""
    confirmed: Spread | None
    """L: time from a sample's packet on the first hop to its confirmation on the last, ns."""
    confirmed_by: Literal["ACKNACK", "TCP"] | None
    application: Spread | None
    """Time from T1 in the writer to T4 in the reader, for the same samples, ns."""
    apart: Spread | None
    """Difference of L and the application's time, sample by sample, ns."""
    eq2: Spread | None
    """Bits on all hops by L, or by the application's time where nothing confirms, Mbit/s."""
    rounds: list[RouteRound]


class Purpose(Frozen):
    """Packets by what they were for, in the rounds that count."""

    name: str
    packets: int
    """Packets in the measured time."""
    bytes: int
    """Bytes on the wire."""
    round_packets: int
    """Packets in the whole rounds."""
    round_bytes: int


class Wire(Frozen):
    """Costs of a typical round: the median over rounds."""

    samples: int
    """Different samples that passed the wire in the measured time, in the rounds that count."""
    bytes_per_sample: Figure | None
    packets_per_sample: Figure | None
    overhead_share: Figure | None
    """Beyond one copy of each sample's header and body; null where sizes vary."""
    control_share: Figure | None
    """Heartbeats, acknowledgements and gaps."""
    repeated_share: Figure | None
    """Sent again."""
    discovery_bytes: Figure | None
    """Bytes of discovery in the whole round; null for middleware that is not DDS."""
    discovery_packets: Figure | None
    purposes: list[Purpose]
