"""Adapters that exist on paper only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from busmark.adapters import Adapter

CAPABILITIES: dict[str, Any] = {
    "transports": ["fast", "slow"],
    "payloads": ["octet", "long", "empty"],
    "waits": ["listener", "poll"],
    "reach": ["process", "host"],
    "qos": ["reliable", "best_effort", "keep_last", "keep_all", "lifespan"],
    "options": [{"key": "nodelay", "value": "true", "doc": ""}],
    "features": [],
    "max_body_bytes": 1000,
}


def adapter(name: str = "paper", **changes: Any) -> Adapter:
    return Adapter(name, Path(f"/lib{name}.so"), {**CAPABILITIES, **changes}, None)


def unusable(name: str, reason: str) -> Adapter:
    return Adapter(name, Path(f"/lib{name}.so"), None, reason)
