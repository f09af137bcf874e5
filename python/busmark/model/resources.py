"""What participants cost the machine and each node, and the background loads beside them."""

from __future__ import annotations

from typing import Literal

from busmark.model.figure import Figure, Frozen

READER = "counters"
"""The participant in the table `system` that reads the counters; no part of what is measured."""


class Resources(Frozen):
    """Resources of one participant, its child processes included, within the measured time."""

    participant: str
    node: str | None = None
    """The user's node on which it ran."""
    cpu_user: Figure | None
    """CPUs that it kept busy in user mode: 1 is one CPU all the time."""
    cpu_system: Figure | None
    """CPUs that it kept busy in the kernel."""
    switches_per_s: Figure | None
    """Context switches, of own accord or not."""
    rss_bytes: int | None
    """Most memory in RAM, without the rows of samples that Busmark records there."""
    major_faults: int | None
    """Page faults that waited for a disk, all rounds together."""

    @property
    def is_measured(self) -> bool:
        """Return whether it is part of what is measured, and does not only read the counters."""
        return self.participant != READER


class BackgroundLoad(Frozen):
    """A background load; cpu: share of each CPU, net: bit/s, disk: B/s."""

    kind: str
    asked: float | None
    """Level that the scenario asks for; null where the load has no limit, or an older Busmark
    measured it."""
    unlimited: bool = False
    """Whether the load had no limit and took as much as it could get."""
    achieved: float | None
    """Mean of the rounds in which it is known; null where it is known in none."""
    least: float | None
    rounds: int
    """Rounds in which `achieved` is known."""

    @property
    def share(self) -> float | None:
        """Achieved of what was asked for."""
        return None if not self.asked or self.achieved is None else self.achieved / self.asked


class Growth(Frozen):
    """How the memory of participants grew while they measured: the mean over participants and
    rounds of the slope of a straight line, with Student's interval over them."""

    bytes_per_min: float
    low: float | None
    high: float | None
    participants: int
    readings: int
    """Readings of each participant, on average."""
    seconds: float
    """Between the first and the last reading, on the average."""


class NodeCost(Frozen):
    """Costs of one node, or of all together. Rates are of a typical round, within its measured
    time."""

    scope: Literal["node", "system"]
    name: str
    participants: int
    cpu: Figure | None
    """CPUs that its participants kept busy: 1 is one CPU all the time."""
    rss_bytes: int | None
    """Most memory of its participants in RAM, all together; pages that several share count in each.
    """
    written_per_s: Figure | None
    """Samples that its writers wrote."""
    tx_bytes_per_s: Figure | None
    """Sent by its network interfaces, the loopback excepted, with all headers, acknowledgements
    and discovery; of all nodes the sum."""
    tx_packets_per_s: Figure | None
    rx_bytes_per_s: Figure | None
    rx_packets_per_s: Figure | None
    samples_per_packet: Figure | None
    """Samples written over packets sent: computed from counters, so that packets without a sample
    (acknowledgements, heartbeats, discovery) and a sample that is sent to several readers each
    make it less."""
    dropped_per_s: Figure | None
    """UDP datagrams that its kernel dropped because a socket's buffer was full."""
    growth: Growth | None = None
    """Growth of memory, for all nodes together only; null where the round is too short, or memory
    was read too seldom."""
