"""Orders in words."""

from __future__ import annotations

import json
from typing import Any

UNSET = ("depth", "max_blocking_ns", "order_by_source")
"""Policies that are at their default where they are 0 or false."""
MOST = 60
"""Characters of what an order changes."""


def whom(to: Any) -> str:
    """Such as `app 3`, `group 1`, `all`."""
    if isinstance(to, dict) and len(to) == 1:
        ((key, number),) = to.items()
        return f"{key} {number}"
    return str(to)


def order(task: dict[str, Any]) -> str:
    """Such as `start transceiver 7, from 4, 1,000 Hz`."""
    definition = task.get("definition")
    if task.get("cmd") == "start" and isinstance(definition, dict):
        return ", ".join(_definition(definition))
    named = f"{task['kind']} " if task.get("kind") else "test "
    which = f" {named}{task['test']}" if "test" in task else (f" {named}" if "kind" in task else "")
    rest = {k: v for k, v in task.items() if k not in ("cmd", "test", "kind", "qos")}
    if isinstance(qos := task.get("qos"), dict):
        rest |= {key: value for key, value in qos.items() if value or key not in UNSET}
    rest = {key: value for key, value in rest.items() if value is not None}
    text = json.dumps(rest, ensure_ascii=False)[1:-1].replace('"', "") if rest else ""
    text = text if len(text) <= MOST else text[: MOST - 1] + "…"
    every = " every test" if task.get("cmd") == "stop" and not which else ""
    return f"{task.get('cmd')}{which.rstrip()}{every}{f': {text}' if text else ''}"


def _definition(definition: dict[str, Any]) -> list[str]:
    parts = [f"start {definition.get('kind')} {definition.get('test')}"]
    if sources := definition.get("from"):
        parts.append(f"from {' '.join(map(str, sources))}")
    if rate_hz := definition.get("rate_hz"):
        parts.append(f"{rate_hz:,g} Hz" if isinstance(rate_hz, int | float) else str(rate_hz))
    if definition.get("kind") in ("transceiver", "transmitter") and "duration_s" in definition:
        duration_s = definition["duration_s"]
        parts.append(f"{duration_s:g} s" if isinstance(duration_s, int | float) else "")
    return parts
