"""What stands for the four transports of the article's latency tests."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.plugins.papers.select import Select, Where, cases


@dataclass(frozen=True, slots=True)
class Place:
    """One adapter over what stands for one of the article's transports."""

    there: str
    adapter: str
    transport: str
    reliability: str

    @property
    def name(self) -> str:
        """Such as "TCP, fastdds"."""
        return f"{self.there}, {self.adapter}"

    def latency(self, where: Where | None = None, **params: int) -> Select:
        """Its latency cases."""
        return cases(
            where, test="latency", adapter=self.adapter, transport=self.transport,
            qos_reliability=self.reliability, **params,
        )  # fmt: skip


UDP = "UDP"
TCP = "TCP"
MULTICAST = "multicast, best effort"
RELIABLE_MULTICAST = "multicast, reliable"

PLACES = (
    Place(UDP, "opendds", "udp", "best_effort"),
    Place(UDP, "cyclonedds", "udp", "best_effort"),
    Place(UDP, "fastdds", "udp", "best_effort"),
    Place(TCP, "opendds", "tcp", "reliable"),
    Place(TCP, "fastdds", "tcp", "reliable"),
    Place(MULTICAST, "opendds", "multicast", "best_effort"),
    Place(MULTICAST, "fastdds", "multicast", "best_effort"),
    Place(RELIABLE_MULTICAST, "opendds", "multicast", "reliable"),
    Place(RELIABLE_MULTICAST, "fastdds", "multicast", "reliable"),
)
"""OpenDDS offers its multicast no more to the adapter; its cases say why."""

CHARTED = tuple(place for place in PLACES if place.there == UDP)
"""The article charts single tests over UDP."""
