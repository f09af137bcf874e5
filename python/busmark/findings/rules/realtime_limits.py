"""Limits that stand in the way of real-time scheduling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule
from busmark.findings.text import size

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

MIN_MEMLOCK_BYTES = 256 << 20
"""What a participant with its recorder needs locked; a page fault costs what real time gains."""


def check_plan(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    priority = max(params.fifo or 0, params.peer_fifo or 0)
    if priority <= 0 or profile.get("effective_uid") in (None, 0):
        return
    rtprio, memlock = profile.get("rtprio"), profile.get("memlock_bytes")
    if isinstance(rtprio, int) and rtprio < priority:
        yield Observation(
            "error", f"`fifo` asks for priority {priority}; the limit rtprio is {rtprio}"
        )
    if isinstance(memlock, int) and memlock < MIN_MEMLOCK_BYTES:
        yield Observation(
            "warning",
            f"limit memlock is {size(memlock)}, below {size(MIN_MEMLOCK_BYTES)}",
            title="Memory cannot be locked",
            cause="Pages that are not locked may be taken away; a real-time participant then "
            "waits for them.",
            remedy="Add `USER - memlock unlimited` to /etc/security/limits.conf; log in again.",
        )


RULE = Rule(
    id="realtime-limits",
    title="Real-time scheduling is not permitted",
    cause="The limit rtprio forbids SCHED_FIFO at the priority asked for.",
    remedy="Add `USER - rtprio 99` to /etc/security/limits.conf and log in again, or run as root.",
    check_plan=check_plan,
)
