"""Cases of the thesis by the names that it has for them."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.documents.select import Select, Where, cases
from busmark.estimate.case import CaseSummary


@dataclass(frozen=True, slots=True)
class Place:
    """A middleware over a transport."""

    name: str
    adapter: str
    transport: str

    def throughput(self, where: Where | None = None, **params: int | str) -> Select:
        """Cases of throughput mode."""
        return self._cases("throughput", where, params)

    def latency(self, where: Where | None = None, **params: int | str) -> Select:
        """Cases of latency mode."""
        return self._cases("latency", where, params)

    def _cases(self, test: str, where: Where | None, params: dict[str, int | str]) -> Select:
        return cases(where, test=test, adapter=self.adapter, transport=self.transport, **params)


PLACES = (
    Place("RTI over shared memory", "rti", "shm"),
    Place("RTI over UDP", "rti", "udp"),
    Place("Cyclone DDS over UDP", "cyclonedds", "udp"),
    Place("Fast DDS over UDP", "fastdds", "udp"),
)
"""First what the thesis measured; then the three over the transport that all of them have."""

WHATEVER_MODE = ("size", "payload", "placement")
"""In which cases of both modes are alike."""


def up_to_128(case: CaseSummary) -> bool:
    """The sizes of the first three rows."""
    return (case.size or 0) <= 128


def up_to_512(case: CaseSummary) -> bool:
    """The sizes of the first five rows."""
    return (case.size or 0) <= 512


def up_to_8192(case: CaseSummary) -> bool:
    """The sizes of the first nine rows, over which the thesis sees latency fall."""
    return (case.size or 0) <= 8192


def from_8192(case: CaseSummary) -> bool:
    """The sizes of the last four rows."""
    return (case.size or 0) >= 8192


def from_16384(case: CaseSummary) -> bool:
    """The sizes of the last three rows, over which it rises again."""
    return (case.size or 0) >= 16384


def from_1024(case: CaseSummary) -> bool:
    """The sizes from the sixth row on."""
    return (case.size or 0) >= 1024


def seventh_and_eighth(case: CaseSummary) -> bool:
    """The sizes of those rows."""
    return case.size in (2048, 4096)
