"""Questions that rules ask of a case's parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Profile, count, size, whole
from busmark.host.proc import to_int

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters


def policy(params: Parameters, name: str) -> str | None:
    """Return a QoS kind in small letters with underscores: "best_effort"; None: not asked for."""
    value = params.policy(name)
    return None if value is None else re.sub(r"[\s-]+", "_", str(value).lower())


def is_stream(capabilities: Capabilities) -> bool:
    """Return whether the adapter keeps all and loses nothing, whatever it is asked for: a bare byte
    stream or call, with no queue that may overflow."""
    values = set(capabilities.get("qos") or ())
    return {"reliable", "keep_all"} <= values and "best_effort" not in values


def is_reliable(params: Parameters, capabilities: Capabilities) -> bool:
    """Return whether nothing may be lost: by QoS, or by the kind of adapter where QoS says
    nothing."""
    asked = policy(params, "reliability")
    return is_stream(capabilities) if asked is None else asked == "reliable"


def has_rate(params: Parameters) -> bool:
    """Return whether samples are sent at an intended rate."""
    return bool(params.rate_hz)


def at_full_speed(params: Parameters) -> bool:
    """Return whether writers write as fast as they can."""
    return params.test == "throughput" and not has_rate(params)


def is_pinned(params: Parameters) -> bool:
    """Return whether every participant has CPUs of its own or shares one on purpose."""
    return str(params.placement) != "free"


def settings(params: Parameters) -> dict[str, str]:
    """Return the adapter's options of this case."""
    return {str(name): str(value) for name, value in params.settings.items()}


def injects_faults(capabilities: Capabilities) -> bool:
    """Return whether the adapter drops, repeats or corrupts samples on purpose."""
    return "faults" in (capabilities.get("features") or ())


RECOMMENDED_BYTES = 4 << 20
"""Buffer that takes the largest common sample (1 MiB) a few times over. Round trips of 256 KiB
over UDP took up to 10 ms with default buffers of 208 KiB, and 0.2 to 0.4 ms with 4 MiB."""

DOUBLED = 2
"""socket(7): the kernel doubles a size asked for by SO_RCVBUF, for its own structures are charged
to the buffer too. A default that nobody asked for is not doubled."""

BUFFER_OPTION = re.compile(r"(rcv|recv|receive).*buf|^socket_buf", re.IGNORECASE)
"""Names of adapter options that ask the kernel for a larger receive buffer."""


def option(capabilities: Capabilities) -> str | None:
    """Return the name of the adapter's option for a larger receive buffer; None if it has none."""
    names = [str(each.get("key", "")) for each in capabilities.get("options") or []]
    return next((name for name in names if BUFFER_OPTION.search(name)), None)


def asked_bytes(params: Parameters, capabilities: Capabilities) -> int | None:
    """Return the size that the case asks for by that option; None: it leaves it to the system."""
    name = option(capabilities)
    value = settings(params).get(name) if name else None
    return (to_int(value) or None) if value is not None else None


def remedy(
    params: Parameters, hosts: Sequence[Profile], capabilities: Capabilities, effective: int | None
) -> str:
    """Return how this case gets a larger buffer than its socket had; empty where neither the socket
    nor the case says how large that was."""
    name, asked = option(capabilities), asked_bytes(params, capabilities)
    if asked is None and effective is None:
        return ""
    lower = "; or lower rate, batch or size."
    wanted = power_of_two(max(RECOMMENDED_BYTES, 4 * (asked or 0), 2 * (effective or 0)))
    limits = [host["rmem_max"] for host in hosts if host.get("rmem_max") is not None]
    if name is not None:
        limit = f" after `{sysctl('rmem_max', wanted)}`" if limits and min(limits) < wanted else ""
        setting = f"`{params.adapter}.{name} = {wanted}` in [matrix.option]"
        if asked is None:
            return f"Raise the receive buffer: set {setting}{limit}{lower}"
        return (
            f"The case asks for a receive buffer of {size(asked)} by `{params.adapter}.{name}`, "
            f"which the system's default does not change: set {setting}{limit}{lower}"
        )
    assert effective is not None
    if any(effective == host.get("rmem_default") for host in hosts):
        return f"Raise the receive buffer: `{sysctl('rmem_default', wanted)}`{lower}"
    if any(effective == DOUBLED * limit for limit in limits):
        return (
            "The middleware asks for a receive buffer that the kernel cuts to "
            f"net.core.rmem_max: `{sysctl('rmem_max', wanted)}`{lower}"
        )
    return (
        f"The middleware asks for a receive buffer of {size(effective // DOUBLED)} itself, which "
        f"the system's limits do not change: raise it in its own configuration{lower}"
    )


def sysctl(name: str, octets: int) -> str:
    """Return the command that raises a limit of `net.core` to the next power of two."""
    return f"sudo sysctl -w net.core.{name}={power_of_two(octets)}"


def power_of_two(octets: int) -> int:
    """Round up to a power of two, by which people compare such limits."""
    return 1 << max(0, octets - 1).bit_length()


def lost_where(view: CaseView) -> str:
    """State what counters say of the lost samples; empty where they miss a round with losses.

    A best-effort reader counts each sample that never reached it, so what is missing beyond that
    was in its history and was replaced there. Under reliable delivery the writer's history may
    have replaced it just as well, before it was delivered.
    """
    lost = view.values("lost", only_ok=False)
    overwritten = view.values("overwritten", only_ok=False)
    if any(n > 0 and number not in overwritten for number, n in lost.items()):
        return ""
    on_the_way = view.total("middleware_lost")
    words = f"the middleware counts {whole(on_the_way)} as lost before they reached a reader"
    if on_the_way:
        words += ", warm-up included"
    least = sum(overwritten.values())
    if not least:
        return f"{words}; none is known to have been overwritten"
    where = (
        "in the history of the writer or of a reader, which counters do not distinguish"
        if is_reliable(view.params, view.capabilities)
        else "in a reader's history"
    )
    dropped = view.total("udp_socket_drops")
    kernel = f"; the kernel dropped {count(dropped, 'datagram')} of theirs" if dropped else ""
    return f"{words}{kernel}; at least {whole(least)} were overwritten {where}"
