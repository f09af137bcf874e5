"""Questions that rules ask of a case's parameters."""

from __future__ import annotations

import json
import re
from typing import Any

from busmark.findings.rule import Params

HEADER_BYTES = 64
"""Of a sample, before its body."""

UDP_WORDS = {"udp", "udpv4", "udpv6", "multicast", "rtps", "udp4", "udp6", "quic"}
TCP_WORDS = {"tcp", "tcpv4", "tcpv6", "tls", "iiop", "giop", "mqtt", "ws"}
LOCAL_WORDS = {"shm", "memory", "uds", "unix", "inproc", "ipc", "iceoryx", "shared", "intra"}
"""Words of which transports' names are made: over datagrams, over TCP, within the host."""

STREAM_ADAPTERS = {"tcp", "uds", "null"}
"""A broker or a queue on top of TCP may still drop, so the transport alone promises nothing."""


def transport_kind(params: Params) -> str | None:
    """ "udp", "tcp" or "local" by the transport's name, else by the adapter's; None: unknown.

    A DDS adapter whose transport says nothing else uses RTPS over UDP, as the specification asks.
    """
    for name in (params.get("transport"), params.get("adapter")):
        words = set(re.split(r"[^a-z0-9]+", str(name or "").lower()))
        for kind, known in (("udp", UDP_WORDS), ("tcp", TCP_WORDS), ("local", LOCAL_WORDS)):
            if words & known:
                return kind
    return "udp" if "dds" in str(params.get("adapter") or "").lower() else None


def qos(params: Params) -> dict[str, Any]:
    """The QoS asked for, whether it is stored as a table or as JSON text."""
    value = params.get("qos")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def policy(params: Params, name: str) -> str | None:
    """A QoS policy's kind in small letters with underscores: "best_effort"; None: not asked for."""
    value = qos(params).get(name)
    if isinstance(value, dict):
        value = value.get("kind")
    return None if value is None else re.sub(r"[\s-]+", "_", str(value).lower())


def is_stream(params: Params) -> bool:
    """Whether the adapter is a bare byte stream or call, with no queue that may overflow."""
    return params.get("adapter") in STREAM_ADAPTERS


def is_reliable(params: Params) -> bool:
    """Whether nothing may be lost: by QoS, or by the kind of adapter where QoS says nothing."""
    asked = policy(params, "reliability")
    return is_stream(params) if asked is None else asked == "reliable"


def has_rate(params: Params) -> bool:
    """Whether samples are sent at an intended rate."""
    return bool(params.get("rate_hz"))


def at_full_speed(params: Params) -> bool:
    """Whether writers write as fast as they can."""
    return params.get("test") == "throughput" and not has_rate(params)


def settings(params: Params) -> dict[str, str]:
    """The adapter's options of this case."""
    value = params.get("settings")
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def injects_faults(capabilities: dict[str, Any]) -> bool:
    """Whether the adapter drops, repeats or corrupts samples on purpose."""
    return "faults" in (capabilities.get("features") or ())
