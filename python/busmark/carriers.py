"""What carries a transport, how far it reaches, where participants meet, as adapters declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEMORY = "memory"
"""Carries samples within one process only."""

SERIAL = "serial"
"""The transport over serial lines, which within one host are pseudo-terminals."""

SHARED_MEMORY = "shared_memory"

MIXED = "mixed"
"""Carrier that the middleware chooses, within a host another than beyond: no counter is about it.
"""

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


def process_only(name: str, transport: str, capabilities: Mapping[str, Any]) -> str | None:
    """Return which is confined to one process, the adapter or this transport; None if neither."""
    if "host" not in capabilities.get("reach", []):
        return name
    within = carrier(capabilities, transport) == MEMORY
    return f"transport {transport} of {name}" if within else None


def host_only(name: str, transport: str, capabilities: Mapping[str, Any]) -> str | None:
    """Return why it does not reach another node; None if it does."""
    if "network" not in capabilities.get("reach", []):
        return f"{name} does not reach another node"
    if carrier(capabilities, transport) in LOCAL:
        return f"transport {transport} does not reach another node"
    return None


def in_words(transport: str | None, carried: str | None) -> str:
    """Return what carries the samples, for somebody who looks for packets."""
    if transport == SERIAL:
        return "a serial line, which has no packets"
    return str(carried).replace("_", " ")
