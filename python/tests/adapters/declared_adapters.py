"""Adapters that exist on paper only, and reports of the conformance suite over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from busmark.adapters import Adapter

CAPABILITIES: dict[str, Any] = {
    "title": "Paper",
    "version": "0.1.0",
    "middleware_version": "Paper 3.2",
    "licence": "LGPL-2.1-or-later",
    "install": "apt-get install paper",
    "cost": "",
    "tuned": "buffers 4 MiB",
    "transports": ["udp", "seqpacket"],
    "carriers": {"udp": "udp", "seqpacket": "local"},
    "waits": ["listener", "poll"],
    "reach": ["process", "host"],
    "payloads": ["octet", "struct"],
    "qos": ["reliable", "keep_all", "lifespan", "order_by_source"],
    "qos_mutable": ["lifespan"],
    "features": ["matched", "write_in_listener", "loans", "keys"],
    "disclosures": ["grows_by_sample"],
    "security": [],
    "max_body_bytes": 65_431,
    "options": [{"key": "pages", "value": "7", "doc": "How many pages [1] there are."}],
}


def declared(**changes: Any) -> dict[str, Any]:
    """Capabilities as in a manifest."""
    return {**CAPABILITIES, **changes}


def adapter(name: str, reason: str | None = None, **changes: Any) -> Adapter:
    """An adapter whose library is not there."""
    return Adapter(name, Path(f"/nowhere/libbusmark_{name}.so"), declared(**changes), reason)


def report(**results: tuple[str, str]) -> dict[str, Any]:
    """A report of the conformance suite, as `busmark adapter check --json` prints it."""
    outcomes = [outcome for outcome, _ in results.values()]
    return {
        "adapter": "paper",
        **{kind: outcomes.count(kind) for kind in ("passed", "failed", "skipped")},
        "results": [
            {"test": test, "outcome": outcome, "detail": detail, "clause": "C0", "title": ""}
            for test, (outcome, detail) in results.items()
        ],
    }
