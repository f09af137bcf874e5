"""The test discovery, settled for a case: what its keys stand for, and why a case cannot run."""

from __future__ import annotations

from typing import Any

from busmark.adapters import Adapter
from busmark.model.parameters import Parameters
from busmark.scenario.fitting import OF_DISCOVERY

TEST = "discovery"

RATE_HZ = 1000.0
"""Rate of whoever writes, unless the scenario names one: as in the document of 2008."""

EXISTING_S = 0.002
"""Warm-up for each endpoint that is there already, s: time for all others to know it."""

ALONE = {
    "topics": 1, "writers": 1, "readers": 1, "publishers": 1, "subscribers": 1,
    "topology": "one_way", "batch": None, "stream_hz": None, "filter_below": None,
}  # fmt: skip
"""What one new endpoint and its counterpart leave no choice of."""


def settle_discovery(point: dict[str, Any], adapters: dict[str, Adapter]) -> dict[str, Any]:
    """The point with the parameters of the test; without them for every other test, whose plans
    are as they were before there was this one."""
    if point["test"] != TEST:
        return {name: value for name, value in point.items() if name not in OF_DISCOVERY}
    peer = point["peer"] or point["adapter"]
    resident = peer if point["new"] == "writer" else point["adapter"]
    features = (adapters[resident].capabilities or {}).get("features", [])
    return {
        **point,
        "rate_hz": point["rate_hz"] or RATE_HZ,
        "resident_counts": "matched" in features,
    }


def unsupported_discovery(params: Parameters, adapters: dict[str, Adapter]) -> str | None:
    """Why there is no discovery to be measured, or not like this; None if there is."""
    if params.test != TEST:
        return None
    for name, alone in ALONE.items():
        if getattr(params, name) != alone:
            return f"{name}: a discovery test has one new endpoint, and one that is there"
    if params.arrivals == "poisson":
        return "arrivals poisson: samples of a discovery test come at a constant rate"
    for name in dict.fromkeys((params.adapter, params.peer or params.adapter)):
        can = adapters[name].capabilities or {}
        if {"locators", "writer_locators"} & {*can.get("features", [])}:
            return (
                f"no discovery: endpoints of {name} are connected by locators, which Busmark "
                "carries from one to the other"
            )
    if params.creates == "publisher":
        return (
            "creates publisher: the adapter's contract makes publisher and subscriber with the "
            "participant or with the endpoint, so that they cannot be told apart"
        )
    if params.deployment == "one":
        return f"transport {params.transport}: it works within one process only"
    return None
