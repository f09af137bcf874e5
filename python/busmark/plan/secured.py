"""Security as a dimension: which profile the participants of a case have."""

from __future__ import annotations

from typing import Any

from busmark.adapters import Adapter
from busmark.adapters.known import known
from busmark.model.parameters import Parameters
from busmark.scenario import Scenario
from busmark.scenario.security import UNSECURED


def security(point: dict[str, Any], scenario: Scenario) -> dict[str, str]:
    """Parameter `security` of a case, where the scenario speaks of it."""
    spoken = any(profile != UNSECURED for _, m in scenario.matrices for profile in m.security)
    return {"security": point["security"]} if spoken else {}


def profile_of(params: Parameters) -> str | None:
    """The security profile of a case; None where it is unsecured."""
    profile = params.security
    return None if profile in (None, UNSECURED) else profile


def unsecurable(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Why the case cannot be secured so; None if it can, or need not."""
    profile = profile_of(params)
    if profile is None:
        return None
    if params.control == "bus":
        return f"security {profile}: participants that are driven over the bus have no documents"
    reasons = (
        _lacking(profile, adapters[name]) or _unprotected(profile, name, transport, options)
        for name, transport, options in params.attachments
    )
    return next(filter(None, reasons), None)


def _unprotected(profile: str, adapter: str, transport: str, options: dict[str, str]) -> str | None:
    listed = known().get(adapter)
    chosen = {"transport": transport, **options}
    for setting, why in (listed.unsecured_by if listed else {}).items():
        name, _, value = setting.partition("=")
        if chosen.get(name) == value:
            return f"security {profile}: {adapter}, {name} {value}: {why}"
    return None


def _lacking(profile: str, adapter: Adapter) -> str | None:
    offered = (adapter.capabilities or {}).get("security", [])
    if profile in offered:
        return None
    listed = known().get(adapter.name)
    if offered:
        why = (
            listed and listed.lacks_security.get(profile)
        ) or f"it offers {', '.join(offered)} only"
    else:
        why = (listed and listed.no_security) or "the adapter has none"
    return f"no security profile {profile}: {adapter.name}: {why}"
