"""Wire costs of a round: packets and bytes by what they are for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from busmark.plugins.capture.wire.decoding import Decoded

PURPOSES = {
    "data": "a sample, or a piece of one, for the first time, whatever else is in the packet",
    "retransmission": "samples, or bytes of TCP, that went the same way before",
    "handshake": "participants of DDS authenticate each other, and exchange keys",
    "discovery": "discovery and liveliness of DDS",
    "heartbeat": "heartbeats of DDS and DDS-XRCE without a sample",
    "acknowledgement": "acknowledgements of DDS and DDS-XRCE, and requests for what is missing",
    "gap": "gaps of DDS alone",
    "encrypted": "submessages of DDS that cannot be read, for they are encrypted",
    "tcp_acknowledgement": "segments of TCP that only acknowledge",
    "other": "anything else, such as connections, subscriptions and answers of brokers",
    "foreign": "RTPS of participants that have nothing to do with the run; no cost of it",
}
"""A packet is counted once, by the first of these that it has."""
LOOPBACK = ("127.", "::1")
COUNTS = ("packets", "wire_bytes", "window_packets", "window_wire_bytes")


def costs(found: Sequence[Decoded]) -> dict[str, dict[str, int]]:
    """By purpose, packets and bytes of all captures of a round, in the window and altogether. What
    was captured at both ends of a link is counted at the end that has more of it."""
    flows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in found:
        own: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for flow in each.summary["flows"]:
            own.setdefault(_key(each, flow), []).append(flow)
        for key, same in own.items():
            # Connections between the same ends one after the other are several flows.
            merged = {"packets": sum(flow["packets"] for flow in same), "flows": same}
            if key not in flows or flows[key]["packets"] < merged["packets"]:
                flows[key] = merged
    total: dict[str, dict[str, int]] = {}
    for flow in (one for merged in flows.values() for one in merged["flows"]):
        for purpose, counts in flow["costs"].items():
            sums = total.setdefault(purpose, dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                sums[name] += counts[name]
    return {purpose: total[purpose] for purpose in PURPOSES if purpose in total}


def _key(found: Decoded, flow: dict[str, Any]) -> tuple[Any, ...]:
    ends = tuple(flow[name] for name in ("source", "source_port", "destination",
                                         "destination_port"))  # fmt: skip
    # Addresses of loopback mean another end on each node.
    local = flow["source"].startswith(LOOPBACK) or flow["transport"] == "serial"
    return (flow["transport"], *ends, found.capture.node if local else None)
