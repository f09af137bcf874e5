"""From a result to an entry of a history: its commit, its machine, the figures of its cases."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from busmark.compare.sides import Side, SideCase, load
from busmark.errors import UserError
from busmark.host.profile import FACTS, SETTINGS
from busmark.launcher import PrintsWithoutEnd, completed
from busmark.model import naming as dim
from busmark.model.text import joined
from busmark.store import Manifest
from busmark.track.history import Commit, HistoryEntry, Machine, TrackedCase

PLAIN = re.compile(r"[\w][\w./:+@^~-]{0,199}")
"""Names of commits that are accepted; none can be taken for an option."""

SHORT = 10
"""Characters of a commit's identifier that people are shown."""

HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def commit_of(named: str | None, date: str | None = None) -> Commit:
    """Return the commit of this name, or the one that is checked out in the working directory.

    Raises:
        UserError: nothing says which commit it is, or a name or date is none.
    """
    if named is not None and not PLAIN.fullmatch(named):
        raise UserError(f"{named!r} names no commit", where="--commit")
    utc = _date(date) if date is not None else None
    found = _git("show", "-s", "--format=%H%n%ct%n%s", f"{named or 'HEAD'}^{{commit}}", "--")
    if found is None:
        if named is None:
            raise UserError(
                "there is no commit here to add the result for: this is no git repository, or it "
                "has none yet",
                remedy="Run it in the repository that was measured, or name the commit: "
                "--commit ID.",
            )
        return Commit(id=named, utc=utc)
    whole, seconds, subject = (*found.split("\n", 2), "", "")[:3]
    modified = named is None and _git("diff", "--quiet", "HEAD", "--") is None
    return Commit(
        id=whole,
        utc=utc or _utc(int(seconds)),
        order_s=None if utc else _order_s(whole),
        subject=subject.strip()[:200],
        modified=modified,
    )


def _order_s(commit: str) -> float | None:
    """Return when this was committed, in seconds, but at least one second later than each of its
    parents: commits of a rebase share a second, and clocks of authors differ. This is the
    generation number v2 ("corrected commit date") of git's commit graph. None: the repository does
    not have all ancestors.
    """
    if (_git("rev-parse", "--is-shallow-repository") or "").strip() != "false":
        return None
    lines = _git("rev-list", "--topo-order", "--reverse", "--timestamp", "--parents", commit)
    order: dict[str, int] = {}
    for line in (lines or "").splitlines():
        seconds, own, *parents = line.split()
        order[own] = max([int(seconds), *(order.get(parent, 0) + 1 for parent in parents)])
    return order.get(commit)


def short(commit: str) -> str:
    """Return a commit's identifier as it is shown."""
    return commit[:SHORT] if HEX.fullmatch(commit) else commit


def _git(*words: str) -> str | None:
    """Return what git says; None where it refuses, or is not there."""
    try:
        code, said, _ = completed(["git", *words])
    except (OSError, PrintsWithoutEnd):
        return None
    return said if code == 0 else None


def _date(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(
            f"{text!r} is no date",
            where="--date",
            remedy="Such as 2026-03-01 or 2026-03-01T12:00:00Z.",
        ) from None
    return _utc(int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()))


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


APART = (
    "hostname",
    "architecture",
    "cpu_model",
    "cpus_online",
    "smt_active",
    "governors",
    "turbo",
    "virtualisation",
    "memory_bytes",
)
"""Facts of the hardware and how it is set. Levels on machines that differ in one of these say
nothing about each other."""

SHOWN = tuple(fact for fact in (*FACTS, *SETTINGS) if fact not in APART)
"""Versions and settings of the system. A change of these may be the cause of a step, and is
reported with it."""

MEMORY_STEP = 1 << 30
"""Bytes: kernels of one machine differ in what they leave of its memory."""

NAMES = {"cpu_model": "CPU", "cpus_online": "CPUs", "smt_active": "SMT", "memory_bytes": "memory"}


def machine_of(manifest: Manifest, name: str | None) -> Machine:
    """Return the machine, or all nodes of a campaign together. `name` stands for the host names."""
    hosts = dict(sorted(manifest.hosts.items()))
    several = len(hosts) > 1
    facts: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for node, profile in hosts.items():
        lead = f"{node or 'here'}: " if several else ""
        for fact in APART:
            if (value := profile.get(fact)) is not None and not (name and fact == "hostname"):
                if fact == "memory_bytes" and isinstance(value, int):
                    value = round(value / MEMORY_STEP) * MEMORY_STEP
                facts[lead + fact] = value
        settings |= {lead + f: v for f in SHOWN if (v := profile.get(f)) is not None}
    hostnames = [str(profile.get("hostname") or "unnamed") for profile in hosts.values()]
    shown = name or " + ".join(dict.fromkeys(hostnames)) or "not recorded"
    if name:
        facts["machine"] = name
    return Machine(name=shown, facts=facts, settings=settings)


def differences(one: Machine, other: Machine) -> list[str]:
    """Return facts by which these machines are kept apart, in words."""
    names = dict.fromkeys([*one.facts, *other.facts])
    return [fact_name(fact) for fact in names if one.facts.get(fact) != other.facts.get(fact)]


def fact_name(fact: str) -> str:
    """Return what a fact of a machine is called, and the node that it is of."""
    lead, _, plain = fact.rpartition(": ")
    text = NAMES.get(plain, plain.replace("_", " "))
    return f"{text} of {lead}" if lead else text


VERSIONS = ("title", "version", "middleware_version", "sha256")
"""Facts of an adapter that are kept."""


def entry_of(
    directory: Path,
    *,
    commit: str | None = None,
    date: str | None = None,
    machine: str | None = None,
) -> tuple[HistoryEntry, list[str]]:
    """Return the entry, and what of the result is not in it and why.

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
    entry = HistoryEntry(
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
            "this campaign is not finished, and a result is added once",
            where=where,
            remedy=f"`busmark run --resume --out {where}` finishes it.",
        )
    if manifest.resumptions:
        raise UserError(
            f"this campaign ran on {len(manifest.resumptions) + 1} machines in turn, or on one "
            "that changed: its figures belong to none of them",
            where=where,
            remedy="Add results of campaigns that ran on one machine.",
        )


def _case(side: Side, case: SideCase) -> tuple[TrackedCase | None, list[str]]:
    if not case.good:
        # What is not supported was never to be measured.
        notes = [] if case.status == "unsupported" else [f"{case.id}: {case.reason}"]
        return None, notes
    found = side.measured(case)
    figures = {name: of.figure for name, of in found.figures.items() if of.figure is not None}
    notes = [f"{case.id}: {problem}" for problem in found.problems]
    if lost := [name for name, of in found.figures.items() if of.lost]:
        notes.append(f"{case.id}: {joined(lost)}: they fall among the samples that were lost")
    if not figures:
        return None, [*notes, f"{case.id}: it has no figure"]
    latencies = {name: of for name in figures if (of := found.figures[name].latency)}
    return TrackedCase(
        id=case.id,
        params=_identity(case.flat),
        effort={n: case.flat[n] for n in sorted(dim.EFFORT - {"seed"}) if n in case.flat},
        rounds=found.rounds,
        figures=figures,
        latencies=latencies,
        bounds_ns={name: off for name in figures if (off := found.figures[name].off_ns)},
    ), notes


def _identity(flat: dim.Flat) -> dict[str, Any]:
    """Return what must be equal: all but how long is measured, and what follows from the rest."""
    return {
        name: value
        for name, value in flat.items()
        if name not in dim.EFFORT and not name.startswith(dim.DERIVED)
    }


def _versions(manifest: Manifest) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path, adapter in manifest.adapters.items():
        facts = {key: adapter[key] for key in VERSIONS if adapter.get(key)}
        found[str(adapter.get("name") or path)] = facts
    return found
