"""What limits the receive buffer of an adapter's sockets, and how to raise it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from busmark.findings.params import settings
from busmark.findings.rule import Capabilities, Profile
from busmark.findings.text import size
from busmark.host.read import to_int

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

RECOMMENDED_BYTES = 4 << 20
"""Buffer that takes the largest common sample (1 MiB) a few times over. Round trips of 256 KiB
over UDP took up to 10 ms with default buffers of 208 KiB, and 0.2 to 0.4 ms with 4 MiB."""

DOUBLED = 2
"""socket(7): the kernel doubles a size asked for by SO_RCVBUF, for its own structures are charged
to the buffer too. A default that nobody asked for is not doubled."""

BUFFER_OPTION = re.compile(r"(rcv|recv|receive).*buf|^socket_buf", re.IGNORECASE)
"""Names of adapter options that ask the kernel for a larger receive buffer."""


def option(capabilities: Capabilities) -> str | None:
    """The adapter's option for it, if it has one."""
    names = [str(each.get("key", "")) for each in capabilities.get("options") or []]
    return next((name for name in names if BUFFER_OPTION.search(name)), None)


def asked_bytes(params: Parameters, capabilities: Capabilities) -> int | None:
    """The size that the case asks for by that option; None: it leaves it to the system."""
    name = option(capabilities)
    value = settings(params).get(name) if name else None
    return (to_int(value) or None) if value is not None else None


def remedy(
    params: Parameters, hosts: Sequence[Profile], capabilities: Capabilities, effective: int | None
) -> str:
    """How this case gets a larger buffer than its socket had; empty where neither the socket nor
    the case says how large that was."""
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
    """The command that raises such a limit to the next power of two."""
    return f"sudo sysctl -w net.core.{name}={power_of_two(octets)}"


def power_of_two(octets: int) -> int:
    """The next power of two, which is what people compare such limits by."""
    return 1 << max(0, octets - 1).bit_length()
