"""The machine that measures: what it is (`profile`), what it counts (`snapshot`, `difference`)."""

from busmark.host.counters import Counters, difference, snapshot
from busmark.host.proc import CpuTime
from busmark.host.profile import Profile, profile

__all__ = ["Counters", "CpuTime", "Profile", "difference", "profile", "snapshot"]
