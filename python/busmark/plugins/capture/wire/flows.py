"""Flows of a capture, from its summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def end_text(flow: Mapping[str, Any], end: str) -> str:
    """Address and port."""
    address, port = flow[end], flow[f"{end}_port"]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def reverse_flows(flows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """The opposite flow of each; where a connection was opened again, the one of the same time."""
    found: dict[int, int] = {}
    waiting: dict[tuple[object, ...], int] = {}
    for number, flow in enumerate(flows):
        ends = [(flow[end], flow[f"{end}_port"]) for end in ("source", "destination")]
        key = (flow["interface"], flow["transport"])
        other = waiting.pop((*key, *reversed(ends)), None)
        if other is None:
            waiting[(*key, *ends)] = number
        else:
            found[number], found[other] = other, number
    return found
