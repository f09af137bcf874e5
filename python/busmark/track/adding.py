"""From a result directory to an entry of a history."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from busmark.compare.sides import Side, SideCase, load
from busmark.errors import UserError
from busmark.model import naming as dim
from busmark.model.text import joined
from busmark.store import Manifest
from busmark.track.commit import commit_of
from busmark.track.entry import Entry, TrackedCase
from busmark.track.machine import machine_of

VERSIONS = ("title", "version", "middleware_version", "sha256")
"""What is kept of an adapter."""


def entry_of(
    directory: Path, *, commit: str | None = None, date: str | None = None,
    machine: str | None = None,
) -> tuple[Entry, list[str]]:  # fmt: skip
    """The entry, and what of the result is not in it and why.

    Raises:
        UserError: the result cannot be read, is not finished, has no figure, or is of several
            machines in turn; or nothing says of which commit it is.
    """
    side = load(str(directory))
    manifest = side.result.manifest
    _finished(manifest, str(directory))
    of = commit_of(commit, date)
    cases, left_out = [], list(side.result.damage)
    for case in side.cases.values():
        found, why = _case(side, case)
        cases += [found] if found else []
        left_out += why
    if not cases:
        last = f": {left_out[-1]}" if left_out else ""
        raise UserError(f"no case has a figure to add{last}", where=str(directory))
    entry = Entry(
        commit=of,
        machine=machine_of(manifest, machine),
        cookie=manifest.cookie,
        directory=str(directory),
        campaign=str(manifest.scenario.get("name") or "unnamed campaign"),
        measured_utc=manifest.created_utc,
        added_utc=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        busmark_version=manifest.busmark_version,
        versions=_versions(manifest),
        cases=cases,
    )
    return entry, left_out


def _finished(manifest: Manifest, where: str) -> None:
    if manifest.finished_utc is None:
        raise UserError(
            "this campaign is not finished, and a result is added once", where=where,
            remedy=f"`busmark run --resume --out {where}` finishes it.",
        )  # fmt: skip
    if manifest.resumptions:
        raise UserError(
            f"this campaign ran on {len(manifest.resumptions) + 1} machines in turn, or on one "
            "that changed: its figures belong to none of them",
            where=where, remedy="Add results of campaigns that ran on one machine.",
        )  # fmt: skip


def _case(side: Side, case: SideCase) -> tuple[TrackedCase | None, list[str]]:
    if not case.good:
        # What is not supported was never to be measured.
        told = [] if case.status == "unsupported" else [f"{case.id}: {case.reason}"]
        return None, told
    found = side.measured(case)
    figures = {name: of.figure for name, of in found.figures.items() if of.figure is not None}
    told = [f"{case.id}: {problem}" for problem in found.problems]
    if lost := [name for name, of in found.figures.items() if of.lost]:
        told.append(f"{case.id}: {joined(lost)}: they fall among the samples that were lost")
    if not figures:
        return None, [*told, f"{case.id}: it has no figure"]
    latencies = {name: of for name in figures if (of := found.figures[name].latency)}
    return TrackedCase(
        id=case.id, params=_identity(case.flat), effort=_effort(case.flat), rounds=found.rounds,
        figures=figures, latencies=latencies,
    ), told  # fmt: skip


def _identity(flat: dim.Flat) -> dict[str, Any]:
    """What must be equal: all but how long is measured, and what follows from the rest."""
    return {
        name: value
        for name, value in flat.items()
        if name not in dim.EFFORT and not name.startswith(dim.DERIVED)
    }


def _effort(flat: dim.Flat) -> dict[str, Any]:
    return {name: flat[name] for name in sorted(dim.EFFORT - {"seed"}) if name in flat}


def _versions(manifest: Manifest) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path, adapter in manifest.adapters.items():
        told = {key: adapter[key] for key in VERSIONS if adapter.get(key)}
        found[str(adapter.get("name") or path)] = told
    return found
