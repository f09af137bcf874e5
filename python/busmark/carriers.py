"""What carries the samples of a transport, as its adapter declares it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEMORY = "memory"
"""Carries samples within one process only."""

SERIAL = "serial"
"""The transport over serial lines, which within one host are pseudo-terminals."""

SHARED_MEMORY = "shared_memory"

LOCAL = frozenset({MEMORY, SHARED_MEMORY, "local"})
"""Carry samples within one host only."""


def carrier(capabilities: Mapping[str, Any], transport: str | None) -> str | None:
    """ "udp", "tcp", or one of `LOCAL`; None where the adapter was built before it could tell."""
    found: str | None = (capabilities.get("carriers") or {}).get(transport)
    return found


def in_words(transport: str | None, carried: str | None) -> str:
    """What carries the samples, for somebody who looks for packets."""
    if transport == SERIAL:
        return "a serial line, which has no packets"
    return str(carried).replace("_", " ")
