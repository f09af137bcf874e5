"""How dumpcap is called."""

from __future__ import annotations

from dataclasses import dataclass

RING_FILES = 4
"""Parts of a ring: the oldest is dropped when a new one begins."""
MIB = 1 << 20
KB = 1000
"""dumpcap's unit of file sizes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is captured, and how much of it is kept."""

    filter: str = ""
    """As pcap-filter(7) has it; empty: everything."""
    snap_length: int = 0
    """Bytes of each packet; 0: all."""
    max_bytes: int = 1 << 30
    """Size of the file."""
    ring: bool = False
    """Whether the last packets are kept when that is reached, in place of the first."""
    buffer_bytes: int = 32 << 20
    """Size of the kernel's buffer."""

    def words(self, interface: str, path: str) -> list[str]:
        """The command that writes such a capture to a file; a ring is several files, with a number
        at the end of their names."""
        words = [
            "dumpcap",
            "-q",
            "-i",
            interface,
            "-w",
            path,
            "-B",
            str(-(-self.buffer_bytes // MIB)),
        ]
        if self.snap_length:
            words += ["-s", str(self.snap_length)]
        if self.filter:
            words += ["-f", self.filter]
        if self.ring:
            part = max(self.max_bytes // RING_FILES // KB, 1)
            return [*words, "-b", f"filesize:{part}", "-b", f"files:{RING_FILES}"]
        return [*words, "-a", f"filesize:{self.max_bytes // KB}"]
