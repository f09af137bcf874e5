"""Participants that are driven over the bus: by topics of the middleware under test."""

from __future__ import annotations

from typing import Any

from busmark.adapters import Adapter
from busmark.carriers import meets_at_server
from busmark.model.parameters import Parameters
from busmark.plan.reach import process_only
from busmark.scenario import Scenario

LONGEST = 32 * 1024
"""Bytes of a piece of what is said over the bus: as the worker has it."""

ALONE = "so participants cannot be driven over the bus"


def control(point: dict[str, Any], scenario: Scenario) -> dict[str, str]:
    """Parameter `control` of a case, where the scenario speaks of it."""
    asked, common = point["control"], scenario.run.control
    if asked == "default" and common == "pipe":
        return {}
    return {"control": common if asked == "default" else asked}


def undriven(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Why participants of the case cannot be driven over the bus; None if they can, or need not."""
    if params.control != "bus":
        return None
    if params.network == "nodes":
        return "control bus: participants on [nodes] are driven through the way to their node"
    if params.test == "discovery":
        return (
            "control bus: participants have found each other over the bus before a discovery test"
        )
    reasons = (
        _undriven(adapters[name], transport, settings)
        for name, transport, settings in params.attachments
    )
    found = next(filter(None, reasons), None)
    return f"control bus: {found}" if found else None


def _undriven(adapter: Adapter, transport: str, settings: dict[str, str]) -> str | None:
    can, name = adapter.capabilities or {}, adapter.name
    features = can.get("features", [])
    if "locators" in features or "writer_locators" in features:
        return f"{name} has no discovery, {ALONE}"
    if confined := process_only(name, transport, can):
        return f"{confined} works within one process only, {ALONE}"
    if meets_at_server(can, settings) and not settings.get("server"):
        return (
            f"participants of {name} meet at a server, which has to be there before: name a "
            f"running one with matrix.option.{name}.server"
        )
    if "octet" not in can.get("payloads", []) or can.get("max_body_bytes", 0) < LONGEST:
        return f"{name} does not carry octets in samples of {LONGEST} B, {ALONE}"
    return None
