"""The machine that measures: what it is (`profile`), what it counts (`snapshot`, `difference`)."""

from busmark.host.counters import Counters, difference, snapshot
from busmark.host.proc import CpuTime
from busmark.host.profile import Profile, profile
from busmark.host.several import Counted, together

__all__ = [
    "Counted",
    "Counters",
    "CpuTime",
    "Profile",
    "difference",
    "profile",
    "snapshot",
    "together",
]
