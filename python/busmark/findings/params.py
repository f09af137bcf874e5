"""Questions that rules ask of a case's parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters


def policy(params: Parameters, name: str) -> str | None:
    """A QoS policy's kind in small letters with underscores: "best_effort"; None: not asked for."""
    value = params.policy(name)
    return None if value is None else re.sub(r"[\s-]+", "_", str(value).lower())


def is_stream(capabilities: Capabilities) -> bool:
    """Whether the adapter keeps all and loses nothing, whatever it is asked for: a bare byte stream
    or call, with no queue that may overflow."""
    values = set(capabilities.get("qos") or ())
    return {"reliable", "keep_all"} <= values and "best_effort" not in values


def is_reliable(params: Parameters, capabilities: Capabilities) -> bool:
    """Whether nothing may be lost: by QoS, or by the kind of adapter where QoS says nothing."""
    asked = policy(params, "reliability")
    return is_stream(capabilities) if asked is None else asked == "reliable"


def has_rate(params: Parameters) -> bool:
    """Whether samples are sent at an intended rate."""
    return bool(params.rate_hz)


def at_full_speed(params: Parameters) -> bool:
    """Whether writers write as fast as they can."""
    return params.test == "throughput" and not has_rate(params)


def is_pinned(params: Parameters) -> bool:
    """Whether every participant has CPUs of its own or shares one on purpose."""
    return str(params.placement) != "free"


def settings(params: Parameters) -> dict[str, str]:
    """The adapter's options of this case."""
    return {str(name): str(value) for name, value in params.settings.items()}


def injects_faults(capabilities: Capabilities) -> bool:
    """Whether the adapter drops, repeats or corrupts samples on purpose."""
    return "faults" in (capabilities.get("features") or ())
