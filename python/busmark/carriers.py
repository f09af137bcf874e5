"""What carries the samples of a transport, and where participants meet, as an adapter declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEMORY = "memory"
"""Carries samples within one process only."""

SERIAL = "serial"
"""The transport over serial lines, which within one host are pseudo-terminals."""

SHARED_MEMORY = "shared_memory"

MIXED = "mixed"
"""What the middleware chooses, within a host another than beyond: no counter is about it."""

LOCAL = frozenset({MEMORY, SHARED_MEMORY, "local"})
"""Carry samples within one host only."""


def carrier(capabilities: Mapping[str, Any], transport: str | None) -> str | None:
    """Return "udp", "tcp", `MIXED` or one of `LOCAL`; None of an adapter that cannot tell."""
    found: str | None = (capabilities.get("carriers") or {}).get(transport)
    return found


def meets_at_server(
    capabilities: Mapping[str, Any] | None, settings: Mapping[str, str] | None
) -> bool:
    """Return whether participants with these options meet at a server (contract, C29): always where
    the adapter has servers, or where its option `discovery` is `server`."""
    can = capabilities or {}
    defaults = {option["key"]: option.get("value", "") for option in can.get("options", [])}
    asked = "discovery" not in defaults or {**defaults, **(settings or {})}["discovery"] == "server"
    return asked and "server" in (can.get("features") or [])


def in_words(transport: str | None, carried: str | None) -> str:
    """What carries the samples, for somebody who looks for packets."""
    if transport == SERIAL:
        return "a serial line, which has no packets"
    return str(carried).replace("_", " ")
