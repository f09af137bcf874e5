"""The machine that measures: what it is (`profile`), what it counts (`snapshot`, `difference`)."""

from busmark.host.clock import clock_sync
from busmark.host.condition import Condition, changes, condition, cpus_allowed, cpus_used
from busmark.host.counters import (
    Counted,
    Counters,
    difference,
    needless_retransmits,
    snapshot,
    together,
)
from busmark.host.proc import CpuTime
from busmark.host.profile import Profile, profile, variables
from busmark.host.sockets import UdpSocket, drops_between, udp_sockets

__all__ = [
    "Condition",
    "Counted",
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
