"""The machine that measures: what it is (`profile`), what it counts (`snapshot`, `difference`)."""

from busmark.host.clock import clock_sync
from busmark.host.condition import Condition, changes, condition, cpus_allowed, cpus_used
from busmark.host.counters import (
    CounterChange,
    Counters,
    UdpSocket,
    difference,
    drops_between,
    needless_retransmits,
    snapshot,
    together,
    udp_sockets,
)
from busmark.host.proc import CpuTime
from busmark.host.profile import Profile, profile, variables

__all__ = [
    "Condition",
    "CounterChange",
    "Counters",
    "CpuTime",
    "Profile",
    "UdpSocket",
    "changes",
    "clock_sync",
    "condition",
    "cpus_allowed",
    "cpus_used",
    "difference",
    "drops_between",
    "needless_retransmits",
    "profile",
    "snapshot",
    "together",
    "udp_sockets",
    "variables",
]
