"""Security documents that both sides of a comparison use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from busmark.model.parameters import Parameters
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import Documents, create
from busmark.plugins.security.domains import LAST, Domains

SIDES = ("active", "passive")
DAYS = 7
"""A comparison is over by then."""


@cache
def made(folder: Path) -> Documents:
    """Make the documents of a comparison in this folder for every domain: bare loops take any."""
    wanted = DocumentRequest(
        participants=list(SIDES),
        domains=(Domains(0, LAST),),
        days=DAYS,
        publish=("*",),
        subscribe=("*",),
    )
    return create(folder / "security", wanted)


def of_side(folder: Path) -> Callable[[Parameters, str], dict[str, Any] | None]:
    """Return a function that gives a participant of a round its documents."""

    def for_participant(params: Parameters, participant: str) -> dict[str, Any] | None:
        found = made(folder).for_participant(participant, params.security_profile or "none")
        return asdict(found) if found else None

    return for_participant
