"""What dumpcap says on its standard error."""

from __future__ import annotations

import re
from dataclasses import dataclass

READY = "\nFile: "
"""It says so when the interface is open, the filter is set and the file is there."""
NO_SPACE = "no space left on the file system"
TAKEN = re.compile(r"^\r?Packets captured: ([0-9]{1,18})\r?$", re.M)
DROPPED = re.compile(
    r"^Packets received/dropped on interface '[^\n]*': ([0-9]{1,18})/([0-9]{1,18}) "
    r"\(pcap:([0-9]{1,18})/dumpcap:([0-9]{1,18})/flushed:([0-9]{1,18})/ps_ifdrop:([0-9]{1,18})\)",
    re.M,
)
COMPLAINT = re.compile(r"^dumpcap: ([^\n]*)$", re.M)


@dataclass(frozen=True, slots=True)
class Counts:
    """What dumpcap counts at its end."""

    packets: int
    """In the file, or, of a ring, in all files that there were."""
    kernel_drops: int
    """Because the kernel's buffer was full."""
    interface_drops: int
    """By the interface or its driver."""
    dumpcap_drops: int
    """By dumpcap, because it did not write as fast as packets came, or because it ended."""

    @property
    def dropped(self) -> int:
        """All that is missing in the capture."""
        return self.kernel_drops + self.interface_drops + self.dumpcap_drops


def counts(said: str) -> Counts | None:
    """The counters at its end; None where it did not end in good order."""
    found = DROPPED.search(said)
    if found is None:
        return None
    packets, _, kernel, own, flushed, interface = map(int, found.groups())
    total = TAKEN.search(said)
    return Counts(int(total[1]) if total else packets, kernel, interface, own + flushed)


def complaint(said: str) -> str:
    """Why it cannot, in its own words; empty where it does not complain."""
    found = COMPLAINT.search(said)
    return found[1].strip() if found else ""
