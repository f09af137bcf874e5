"""What `busmark list` says of each result."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from busmark import files, platform
from busmark.errors import UserError
from busmark.store.manifest import MANIFEST
from busmark.store.named import Named, recent, stored
from busmark.store.salvage import parse

LOCK = ".lock"

State = Literal["finished", "running", "interrupted", "imported", "damaged"]


class Listed(BaseModel):
    """A result."""

    name: str
    """`@NAME` stands for the directory; where several have it, for the newest of them."""
    directory: str
    """Absolute."""
    campaign: str | None = None
    """What its scenario is called."""
    created_utc: str | None = None
    """When the campaign was begun, or the result imported."""
    finished_utc: str | None = None
    """Null: it is not finished."""
    machine: str | None = None
    """Host name of the machine on which it was begun; null where that is not known."""
    nodes: int = 0
    """Other machines that took part."""
    cases: int | None = None
    """Cases that can run."""
    unsupported: int | None = None
    """Cases that cannot."""
    state: State
    """`interrupted`: `busmark run --resume` finishes it; `damaged`: its manifest cannot be read."""
    busmark_version: str | None = None


class Listing(BaseModel):
    """All results that are known."""

    results: list[Listed]
    """The newest first."""


def listing(further: Iterable[Path] = ()) -> Listing:
    """Results of the default folder, of the register, and of these folders."""
    return Listing(results=[listed(each) for each in stored(further)])


def newest_two() -> tuple[Path, Path]:
    """The newest result, and before it the last one of the same campaign.

    Raises:
        UserError: there are no two.
    """
    known = stored()
    campaign = listed(known[0]).campaign if known else None
    for each in known[1:]:
        if campaign is not None and listed(each).campaign == campaign:
            return each.directory, known[0].directory
    of = f" of {campaign!r}, the newest" if campaign else ""
    raise UserError(
        f"there are no two results{of}, to compare one with the other",
        remedy="Name two, or one with --by PARAMETER. " + recent(),
    )


def listed(named: Named) -> Listed:
    """What its manifest says."""
    directory = os.path.realpath(named.directory)
    document = _manifest(named.directory / MANIFEST)
    if document is None:
        return Listed(name=named.name, directory=directory, state="damaged")
    hosts = _mapping(document.get("hosts"))
    cases = [case for case in document.get("cases") or [] if isinstance(case, dict)]
    planned = sum(case.get("status") == "planned" for case in cases)
    return Listed(
        name=named.name, directory=directory,
        campaign=_text(_mapping(document.get("scenario")).get("name")),
        created_utc=_text(document.get("created_utc")),
        finished_utc=_text(document.get("finished_utc")),
        machine=_text(_mapping(hosts.get("")).get("hostname")),
        nodes=sum(name != "" for name in hosts), cases=planned, unsupported=len(cases) - planned,
        state=_state(named.directory, document),
        busmark_version=_text(document.get("busmark_version")),
    )  # fmt: skip


def _manifest(path: Path) -> dict[str, Any] | None:
    try:
        document = parse(files.content(path))
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(document, dict) and isinstance(document.get("cases"), list)
    return document if whole else None


def _state(directory: Path, document: dict[str, Any]) -> State:
    if document.get("source"):
        return "imported"
    # Also a finished one may be resumed, for rounds that failed.
    if _is_written(directory / LOCK):
        return "running"
    return "finished" if document.get("finished_utc") else "interrupted"


def _is_written(lock: Path) -> bool:
    """Whether a process holds the lock of a result."""
    try:
        with files.opened(lock) as file:
            return not platform.lock_is_free(file)
    except OSError:
        return False


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
