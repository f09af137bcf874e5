"""Causes of late samples, each proved by packets: one rule for each.

A cause is a file with a function `find(trace)` that yields proofs. A cause whose proof covers half
of what a sample is late by explains it; of several, the first of those for which it waited longest.
`WHERE` is asked only where no cause of `CAUSES` holds: it says where the time passed, not why.
`BESIDE` has what only coincides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from busmark.plugins.capture.late.causes import (
    before_match,
    behind_capture,
    delayed_ack,
    discovery,
    dropped,
    fragments,
    in_process,
    in_relay,
    on_link,
    reordering,
    rtps_recovery,
    tcp_retransmission,
    tcp_window,
    xrce_recovery,
    xrce_unrepeated,
)
from busmark.plugins.capture.late.trace import Proof, Trace

NEARLY = 0.8
"""Waits of which one is this share of another are nearly as long."""

Find = Callable[[Trace], Iterator[Proof]]

CAUSES: tuple[Find, ...] = (
    before_match.find,
    xrce_unrepeated.find,
    behind_capture.find,
    dropped.find,
    delayed_ack.find,
    tcp_retransmission.find,
    tcp_window.find,
    rtps_recovery.find,
    xrce_recovery.find,
    fragments.find,
    reordering.find,
    in_relay.find,
)
WHERE: tuple[Find, ...] = (on_link.find, in_process.find)
BESIDE: tuple[Find, ...] = (discovery.find,)


def proofs(trace: Trace, finders: tuple[Find, ...]) -> list[Proof]:
    """Those that hold; first the one that is listed first of those that waited nearly as long as
    the longest."""
    if trace.several_ways:
        return []
    found = [proof for find in finders for proof in find(trace)]
    enough = [proof for proof in found if trace.enough(proof.wait_ns)]
    longest = max((proof.wait_ns or 0 for proof in enough), default=0)
    # A sort keeps the order of equals: the special cause before the general one that contains it.
    return sorted(enough, key=lambda proof: (proof.wait_ns or 0) < NEARLY * longest)


__all__ = ["BESIDE", "CAUSES", "WHERE", "Find", "proofs"]
