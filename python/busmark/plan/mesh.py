"""Applications that all write to all: each is a participant that writes and reads every topic."""

from __future__ import annotations

from busmark.model.parameters import Parameters
from busmark.scenario import nodes_of


def is_mesh(params: Parameters) -> bool:
    """Whether every participant of the matrix writes and reads."""
    return params.topology == "mesh"


def applications(params: Parameters) -> int:
    """Applications of a mesh on all nodes together."""
    return (params.applications or 0) * len(nodes_of(params.writer_on or ""))


def participants(params: Parameters) -> int:
    """Participants of the matrix."""
    if is_mesh(params):
        return applications(params)
    return (params.publishers or 0) + (params.subscribers or 0)
