"""Socket buffers against the sizes to be sent: what does not fit is dropped, or waits."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.carriers import carrier
from busmark.findings.buffers import (
    RECOMMENDED_BYTES,
    asked_bytes,
    option,
    power_of_two,
    sysctl,
)
from busmark.findings.params import HEADER_BYTES, at_full_speed, settings
from busmark.findings.rule import Capabilities, CheckedFact, Observation, Params, Profile, Rule
from busmark.findings.text import count, size
from busmark.host.read import to_int

BOOKKEEPING = 2
"""socket(7): the kernel doubles a size asked for by SO_RCVBUF, for its own structures are charged
to the buffer too. A default that nobody asked for is not doubled and holds half of it in data."""

BURST_AT_FULL_SPEED = 16
"""Samples that a writer at full speed may have sent before the reader's thread runs: waking it
takes some 20 to 50 µs, in which UDP on one host carries a dozen samples or so."""

MAX_DATAGRAM = 65_507
"""Payload of the largest UDP datagram over IPv4; the send buffer must hold one."""


def check_host(profile: Profile) -> Iterator[Observation]:
    limit = profile.get("rmem_max")
    if limit is None or limit >= RECOMMENDED_BYTES:
        return
    yield Observation(
        "note",
        f"net.core.rmem_max is {size(limit)}, below {size(RECOMMENDED_BYTES)}",
        title="Socket buffers are too small for large samples over UDP",
        remedy=sysctl("rmem_max", RECOMMENDED_BYTES),
    )


def check_plan(
    params: Params, profile: Profile, capabilities: Capabilities
) -> Iterator[Observation]:
    if carrier(capabilities, params["transport"]) != "udp":
        return
    sample = int(params["size"] or 0) + HEADER_BYTES
    samples = _samples_in_a_burst(params)
    burst = sample * samples
    what = f"{count(samples, 'sample')} of {size(sample)} at once, {size(burst)}"
    yield from _beyond_limits(profile, sample, burst, what)
    own = asked_bytes(params, capabilities)
    if own is not None:
        yield from _asked(params, capabilities, own, sample, burst, what)
        return
    default, limit = profile.get("rmem_default"), profile.get("rmem_max")
    if default is None or burst * BOOKKEEPING <= default or (limit is not None and burst > limit):
        return
    yield Observation(
        "warning" if sample * BOOKKEEPING > default else "note",
        f"{what}; net.core.rmem_default is {size(default)}, which holds "
        f"{size(default // BOOKKEEPING)} of data",
        weight=burst / default,
        title="The default receive buffer is smaller than a burst of samples",
        cause="A middleware that does not ask for a larger buffer gets the default one; the "
        "kernel drops what does not fit before the reader's thread has run.",
        remedy=_option_remedy(params, option(capabilities), burst)
        or sysctl("rmem_default", burst * BOOKKEEPING),
    )


def _asked(
    params: Params, capabilities: Capabilities, own: int, sample: int, burst: int, what: str
) -> Iterator[Observation]:
    """Usable part of a size that the case asks for; the kernel books as much again for its own
    structures."""
    if burst <= own:
        return
    name = f"{params['adapter']}.{option(capabilities)}"
    yield Observation(
        "warning" if sample > own else "note",
        f"{what}; `{name} = {own}` asks for {size(own)}",
        weight=burst / own,
        title="The receive buffer that the case requests is smaller than a burst of samples",
        remedy=_option_remedy(params, option(capabilities), burst),
    )


def _beyond_limits(profile: Profile, sample: int, burst: int, what: str) -> Iterator[Observation]:
    receive, send = profile.get("rmem_max"), profile.get("wmem_max")
    if receive is not None and burst > receive:
        yield Observation(
            "warning",
            f"{what}; net.core.rmem_max is {size(receive)}",
            weight=burst / receive,
            remedy=sysctl("rmem_max", burst * BOOKKEEPING),
        )
    datagram = min(sample, MAX_DATAGRAM)
    if send is not None and datagram > send:
        yield Observation(
            "warning",
            f"datagrams of {size(datagram)}; net.core.wmem_max is {size(send)}",
            weight=datagram / send,
            title="The send buffer does not hold one datagram",
            cause="The kernel refuses a datagram that is larger than the socket's send buffer.",
            remedy=sysctl("wmem_max", datagram * BOOKKEEPING),
        )


def _samples_in_a_burst(params: Params) -> int:
    batch = to_int(str(params["batch"] or settings(params).get("batch"))) or 1
    writers = max(1, int(params["writers"] or 1))
    return max(batch, BURST_AT_FULL_SPEED if at_full_speed(params) else 1) * writers


def _option_remedy(params: Params, name: str | None, burst: int) -> str:
    if name is None:
        return ""
    return f"Set `{params['adapter']}.{name} = {power_of_two(burst)}` in [matrix.option]."


def fact(profile: Profile) -> CheckedFact:
    limit, default = profile.get("rmem_max"), profile.get("rmem_default")
    value = f"{size(limit)} at most" if limit is not None else None
    if value and default is not None:
        value += f", {size(default)} by default"
    return CheckedFact("UDP receive buffer", value, "a middleware that asks gets enough")


RULE = Rule(
    id="socket-buffers",
    title="Receive buffers are smaller than a burst of samples",
    cause="The kernel drops datagrams that do not fit into the receive buffer before the reader's "
    "thread has run; reliable protocols send them again, milliseconds later.",
    remedy=sysctl("rmem_max", RECOMMENDED_BYTES),
    check_host=check_host,
    check_plan=check_plan,
    fact=fact,
)
