"""Applications that all write to all: each is a participant that writes and reads every topic."""

from __future__ import annotations

from typing import Any

from busmark.model.parameters import Parameters
from busmark.scenario import Scenario, nodes_of

TOPOLOGY = "mesh"


def mesh(point: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """What follows from `applications` in a case. They are publishers and subscribers at once, so
    that neither has a count; without them nothing is left of the key."""
    named, count = point.pop("applications_on"), point.pop("applications")
    if not count:
        return {}
    where = named or "+".join(scenario.lab_nodes or scenario.nodes) or None
    return {
        "applications": count, "topology": TOPOLOGY, "publishers": None, "subscribers": None,
        "writer_on": where, "reader_on": where,
    }  # fmt: skip


def is_mesh(params: Parameters) -> bool:
    """Whether every participant of the matrix writes and reads."""
    return params.topology == TOPOLOGY


def applications(params: Parameters) -> int:
    """Applications of a mesh on all nodes together."""
    return (params.applications or 0) * len(nodes_of(params.writer_on or ""))


def participants(params: Parameters) -> int:
    """Participants of the matrix."""
    if is_mesh(params):
        return applications(params)
    return (params.publishers or 0) + (params.subscribers or 0)
