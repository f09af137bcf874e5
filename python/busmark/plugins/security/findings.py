"""What `check` finds: one value for each fault."""

from __future__ import annotations

from dataclasses import dataclass

IDENTITY = "9.3.1"
"""Clause of DDS Security 1.1 on identities, their authority and keys."""
PERMISSIONS_CA = "9.4.1.1"
GOVERNANCE = "9.4.1.2"
PERMISSIONS = "9.4.1.3"
ACCESS = "8.4.1"
"""What access control is for."""
CURVE = ""
"""No clause: keys of CURVE are ZeroMQ's."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, where it is, and which clause of DDS Security 1.1 is about it; "" where none is."""

    kind: str
    file: str
    place: str
    """Within the file; a line where there is one."""
    clause: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.text}\n  {self.remedy}"

    @property
    def text(self) -> str:
        """The fault with its clause."""
        return f"{self.problem} (DDS Security 1.1, {self.clause})" if self.clause else self.problem
