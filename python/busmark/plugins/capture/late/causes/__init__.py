"""Causes of late samples, each proved by packets: one rule for each.

A cause is a function of a trace that yields proofs. A cause whose proof covers half
of what a sample is late by explains it; of several, the first of those for which it waited longest.
`WHERE` is asked only where no cause of `CAUSES` holds: it says where the time passed, not why.
`BESIDE` has what only coincides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from busmark.plugins.capture.late.causes import places, rtps, tcp, xrce
from busmark.plugins.capture.late.trace import Proof, Trace

NEARLY = 0.8
"""Waits of which one is this share of another are nearly as long."""

Find = Callable[[Trace], Iterator[Proof]]

CAUSES: tuple[Find, ...] = (
    rtps.before_match,
    xrce.unrepeated,
    places.behind_capture,
    places.dropped,
    tcp.delayed_ack,
    tcp.retransmission,
    tcp.window,
    rtps.recovery,
    xrce.recovery,
    rtps.fragments,
    rtps.reordering,
    places.in_relay,
)
WHERE: tuple[Find, ...] = (places.on_link, places.in_process)
BESIDE: tuple[Find, ...] = (rtps.discovery,)


def proofs(trace: Trace, finders: tuple[Find, ...]) -> list[Proof]:
    """Return those that hold; first the one that is listed first of those that waited nearly as
    long as the longest."""
    if trace.several_ways:
        return []
    found = [proof for find in finders for proof in find(trace)]
    enough = [proof for proof in found if trace.enough(proof.wait_ns)]
    longest = max((proof.wait_ns or 0 for proof in enough), default=0)
    # A sort keeps the order of equals: the special cause before the general one that contains it.
    return sorted(enough, key=lambda proof: (proof.wait_ns or 0) < NEARLY * longest)


__all__ = ["BESIDE", "CAUSES", "WHERE", "Find", "proofs"]
