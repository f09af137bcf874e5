"""What limits the receive buffer of an adapter's sockets, and how to raise it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from busmark.findings.params import settings
from busmark.findings.rule import Capabilities, Params, Profile
from busmark.findings.text import size
from busmark.host.read import to_int

RECOMMENDED_BYTES = 4 << 20
"""Buffer that takes the largest common sample (1 MiB) a few times over. Round trips of 256 KiB
over UDP took up to 10 ms with default buffers of 208 KiB, and 0.2 to 0.4 ms with 4 MiB."""

BUFFER_OPTION = re.compile(r"(rcv|recv|receive).*buf", re.IGNORECASE)
"""Names of adapter options that ask the kernel for a larger receive buffer."""


def option(capabilities: Capabilities) -> str | None:
    """The adapter's option for it, if it has one."""
    names = [str(each.get("key", "")) for each in capabilities.get("options") or []]
    return next((name for name in names if BUFFER_OPTION.search(name)), None)


def asked_bytes(params: Params, capabilities: Capabilities) -> int | None:
    """The size that the case asks for by that option; None: it leaves it to the system."""
    name = option(capabilities)
    value = settings(params).get(name) if name else None
    return (to_int(value) or None) if value is not None else None


def remedy(params: Params, hosts: Sequence[Profile], capabilities: Capabilities) -> str:
    """How this case gets a larger buffer. A size that is asked for is not changed by sysctl, one
    that is not may come from the system's default or from the middleware itself."""
    name, asked = option(capabilities), asked_bytes(params, capabilities)
    wanted = power_of_two(max(RECOMMENDED_BYTES, 4 * (asked or 0)))
    lower = "; or lower rate, batch or size."
    limits = [host["rmem_max"] for host in hosts if host.get("rmem_max") is not None]
    limit = f" after `{sysctl('rmem_max', wanted)}`" if limits and min(limits) < wanted else ""
    if name is None:
        both = f"net.core.rmem_max={wanted} net.core.rmem_default={wanted}"
        return f"Raise the receive buffer: `sudo sysctl -w {both}`{lower}"
    setting = f"`{params['adapter']}.{name} = {wanted}` in [matrix.option]"
    if asked is None:
        return f"Raise the receive buffer: set {setting}{limit}{lower}"
    return (
        f"The case asks for a receive buffer of {size(asked)} by `{params['adapter']}.{name}`, "
        f"which the system's default does not change: set {setting}{limit}{lower}"
    )


def sysctl(name: str, octets: int) -> str:
    """The command that raises such a limit to the next power of two."""
    return f"sudo sysctl -w net.core.{name}={power_of_two(octets)}"


def power_of_two(octets: int) -> int:
    """The next power of two, which is what people compare such limits by."""
    return 1 << max(0, octets - 1).bit_length()
