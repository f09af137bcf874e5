"""The limit of receive buffers. What sockets of a case really had is evidence of `udp-drops`."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.buffers import RECOMMENDED_BYTES, sysctl
from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import size


def check_host(profile: Profile) -> Iterator[Observation]:
    limit = profile.get("rmem_max")
    if limit is None or limit >= RECOMMENDED_BYTES:
        return
    yield Observation(
        "note", f"net.core.rmem_max is {size(limit)}, below {size(RECOMMENDED_BYTES)}"
    )


def fact(profile: Profile) -> CheckedFact:
    limit, default = profile.get("rmem_max"), profile.get("rmem_default")
    value = f"{size(limit)} at most" if limit is not None else None
    if value and default is not None:
        value += f", {size(default)} by default"
    return CheckedFact("UDP receive buffer", value, "a middleware that asks gets enough")


RULE = Rule(
    id="socket-buffers",
    title="The limit of receive buffers is low",
    cause="A middleware that asks for a larger receive buffer gets no more than net.core.rmem_max. "
    "The kernel drops datagrams that do not fit before the reader's thread has run; where it did, "
    "`udp-drops` says so with the buffer that the socket had.",
    remedy=sysctl("rmem_max", RECOMMENDED_BYTES),
    check_host=check_host,
    fact=fact,
)
