"""Bodies that are reported as received but never crossed the network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import carrier
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

LEAST_BYTES = 1_000_000
"""Fewer bytes of bodies in a round prove nothing."""

SHARE = 0.5
"""Share of the bodies' bytes that must be seen: the first and the last interval may be cut
short."""

COVERED = 0.9
"""Share of the measured time that must have counters: bytes of a gap were sent, and nobody counted
them."""


def check_case(view: CaseView) -> Iterator[Observation]:
    size = view.params.size
    kind = carrier(view.capabilities, view.params.transport)
    if view.params.applications:
        return  # how many of its readers are behind one link is not known of a sample
    if not isinstance(size, int) or kind not in ("udp", "tcp"):
        return
    # One datagram of a group serves all its readers.
    readers = max(1, int(view.params.subscribers or 1))
    received = view.values("received", only_ok=False)
    told, seen = 0, 0
    rounds = 0
    for number, sent in view.system("tx_bytes").items():
        if view.network_covered.get(number, 0.0) < COVERED:
            continue
        bodies = received.get(number, 0) * size // readers
        if bodies >= LEAST_BYTES and sent < SHARE * bodies:
            told, seen, rounds = told + bodies, seen + sent, rounds + 1
    if rounds:
        yield Observation(
            "error",
            f"{whole(seen)} B were sent by all interfaces in {count(rounds, 'round')} in which "
            f"{whole(told)} B of bodies arrived",
            weight=told - seen,
        )


RULE = Rule(
    id="bytes-on-wire",
    title="Fewer bytes crossed the network than arrived in bodies",
    cause="The middleware compressed the bodies, left them out and filled them in at the reader, "
    "or used another way than the transport that was asked for (tx_bytes of /proc/net/dev, all "
    "interfaces of the network namespace).",
    remedy="Run `busmark adapter check NAME`; switch off compression and shared memory, or do not "
    "compare these figures with measurements over a network.",
    check_case=check_case,
)
