"""What an adapter does not do of what a case, or a flow, asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.adapters import Adapter, adapter_facts
from busmark.facts import options_of
from busmark.model.entry import SERVED
from busmark.model.parameter import Parameter
from busmark.model.parameters import PARAMETERS, POLICIES, Parameters
from busmark.model.settling import ACTION_WAIT, SERVICE_WAITS
from busmark.model.units import ELEMENT_BYTES, parse_sizes

FEATURES = {"keys": "keyed topics", "content_filter": "filters by content"}
"""Optional features that cases may need."""
BY_FEATURE = {
    each.name: each.needs
    for each in PARAMETERS
    if isinstance(each.needs, str) and each.needs in FEATURES
}
"""The feature that a parameter needs whatever its value, by its name."""

OF_A_TOPIC = ("payload", "size", "qos", "size_distribution", *BY_FEATURE)
"""Parameters of a topic that an adapter may be unable to have."""


def lacking(params: Parameters, adapter: Adapter) -> str | None:
    """Return what the adapter does not do."""
    if not adapter.usable or adapter.capabilities is None:
        return adapter.reason
    can = adapter.capabilities
    if params.test in SERVED and (reason := _no_service(params, adapter)):
        return reason
    for what, listed in (("transport", "transports"), ("payload", "payloads"), ("wait", "waits")):
        if what == "wait" and params.test in SERVED:
            continue
        value = getattr(params, what)
        if value not in can[listed]:
            if value == "type":
                return _no_user_type(adapter)
            return f"no {what} {value}: the adapter offers {', '.join(can[listed]) or 'none'}"
    for name, feature in BY_FEATURE.items():
        if getattr(params, name) and feature not in can["features"]:
            return f"no {name}: the adapter does not offer {FEATURES[feature]}"
    for each in PARAMETERS:
        if each.needs == "options" and not _has_options(adapter.name, each, params):
            return f"no {each.name} {getattr(params, each.name)}: the adapter has no option for it"
    largest = largest_size(params)
    if largest > can["max_body_bytes"]:
        return f"size {largest} B: at most {can['max_body_bytes']} B"
    for name, value in params.qos.items():
        needs = POLICIES[name].needs if name in POLICIES else {}
        needed = needs if isinstance(needs, str) else needs.get(str(value))
        offered = service_can(can, "qos") if params.test in SERVED else can["qos"]
        if needed and needed not in offered:
            return _no_qos(adapter.name, name, value, offered)
    options = {option["key"] for option in can["options"]}
    for key in params.settings:
        if key not in options:
            return f"option {key}: there are {', '.join(sorted(options)) or 'none'}"
    return None


def has_services(capabilities: Mapping[str, Any] | None) -> bool:
    """Return whether an adapter has services of its own; else they go by two topics."""
    return "services" in (capabilities or {}).get("features", [])


def service_can(can: Mapping[str, Any], what: str) -> list[str]:
    """Return the wait strategies or QoS of services: the adapter's own, else of its topics."""
    found: list[str] = can.get(f"service_{what}" if has_services(can) else what, [])
    return [one for one in SERVICE_WAITS if one in found] if what == "waits" else found


def _no_service(params: Parameters, adapter: Adapter) -> str | None:
    """Return what of a service the adapter does not do."""
    can = adapter.capabilities or {}
    how = "" if has_services(can) else " by two topics"
    waits = service_can(can, "waits")
    what = "a service"
    if params.test == "action":
        what = "an action"
        waits = [one for one in waits if one == ACTION_WAIT and one in can["waits"]]
    if params.wait not in waits:
        return f"no wait {params.wait}: {what}{how} waits by {', '.join(waits) or 'nothing'}"
    if params.payload not in ("octet", "empty"):
        return f"payload {params.payload}: requests and responses carry octets"
    for name, missing in (("instances", "a key"), ("filter_below", "a filter")):
        if getattr(params, name):
            return f"{name}: {what} has not {missing}"
    for name, most in (("outstanding", "requests"), ("clients", "clients")):
        limit = can.get(f"service_{most}", 0)
        if limit and (getattr(params, name) or 1) > limit:
            return f"{name} = {getattr(params, name)}: {adapter.name} has at most {limit}"
    if (params.response_size or 0) > can["max_body_bytes"]:
        return f"response_size {params.response_size} B: at most {can['max_body_bytes']} B"
    return None


def _has_options(adapter: str, parameter: Parameter, params: Parameters) -> bool:
    """Return whether it can have the value of a parameter that stands for options of an adapter."""
    value = getattr(params, parameter.name)
    return value == parameter.default or bool(options_of(adapter, parameter.name, value))


def _no_qos(adapter: str, name: str, value: Any, offered: list[str]) -> str:
    """Return in words that the middleware lacks the policy: it is not a matter of a setting."""
    shown = f"{value:g}" if isinstance(value, float) else value
    needs = POLICIES[name].needs
    values = {} if isinstance(needs, str) else needs
    others = [of for of, needed in values.items() if needed in offered]
    of_release = adapter_facts().get(adapter)
    silent = of_release.without_effect.get(name) if of_release else None
    offers = (
        f"the adapter offers {', '.join(others)}"
        if others
        else silent or "the adapter does not offer it"
    )
    return f"no QoS {name} = {shown}: {offers}"


def _no_user_type(adapter: Adapter) -> str:
    """Return why the payload kind `type` is not there: the middleware, or how the library was
    made."""
    of_release = adapter_facts().get(adapter.name)
    never = of_release.no_user_type if of_release else ""
    return f"payload type: {never or 'not compiled with a type of yours: busmark type build'}"


def largest_size(params: Parameters) -> int:
    """Return the bytes of the largest body of the case."""
    if params.size_distribution is None:
        return params.size or 0
    return max(parse_sizes(params.size_distribution).values(ELEMENT_BYTES[params.payload]))
