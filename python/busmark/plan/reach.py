"""How far a transport reaches, as far as cases must be planned by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.carriers import LOCAL, MEMORY, carrier


def process_only(name: str, transport: str, capabilities: Mapping[str, Any]) -> str | None:
    """Who works within one process only, the adapter or this transport of it; None if neither."""
    if "host" not in capabilities.get("reach", []):
        return name
    within = carrier(capabilities, transport) == MEMORY
    return f"transport {transport} of {name}" if within else None


def host_only(name: str, transport: str, capabilities: Mapping[str, Any]) -> str | None:
    """Why it does not reach another node; None if it does."""
    if "network" not in capabilities.get("reach", []):
        return f"{name} does not reach another node"
    if carrier(capabilities, transport) in LOCAL:
        return f"transport {transport} does not reach another node"
    return None
