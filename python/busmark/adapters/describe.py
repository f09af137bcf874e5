"""What the adapters here can do: each is loaded in a process of its own, so that one that crashes
takes nothing with it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark import files
from busmark.adapters.conformance import digest, remembered
from busmark.adapters.installed import (
    environment,
    libraries,
    not_startable,
    search_path,
    worker,
)
from busmark.errors import UserError, nearest, together
from busmark.facts import PATH_VARIABLE, Fault, adapter_facts, faults
from busmark.launcher import DEVNULL, PIPE, Launched, PrintsWithoutEnd, Start
from busmark.processes import signal_name

DESCRIBE_TIMEOUT_S = 120.0

_REBUILD = "Rebuild it, or leave it out"


@dataclass(frozen=True)
class Adapter:
    """An adapter library, usable or not."""

    name: str
    path: Path
    capabilities: dict[str, Any] | None
    """Capabilities as declared; None if the library cannot be loaded."""
    reason: str | None
    """Why it cannot be used here, and what to do; None if it can."""

    @property
    def usable(self) -> bool:
        """Return whether a round can be run with it."""
        return self.reason is None

    def faults(self) -> list[Fault]:
        """Return the known faults of its middleware, which end or lock up workers."""
        return faults(self.name, (self.capabilities or {}).get("middleware_version", ""))

    def stored(self) -> dict[str, Any]:
        """Return the adapter as kept in the manifest."""
        sha256 = digest(self.path)
        stored = {**(self.capabilities or {}), "path": str(self.path), "sha256": sha256}
        report = remembered(sha256)
        return {**stored, "conformance": report} if report else stored


def describe(name: str, path: Path) -> Adapter:
    """Load one library in a worker, and return what it can do, or why it cannot be used."""

    def unusable(reason: str) -> Adapter:
        return Adapter(name, path, None, reason)

    try:
        with _start_worker("describe", str(path)) as process:
            answer, errors = process.complete(DESCRIBE_TIMEOUT_S)
    except PrintsWithoutEnd as error:
        return unusable(f"{path}: while it was loaded, {error.message}. {_REBUILD}")
    except TimeoutError:
        return unusable(f"{path}: did not answer within {DESCRIBE_TIMEOUT_S:g} s. {_REBUILD}")
    code = process.returncode or 0
    if code < 0:
        crash = f"crashed while loading ({signal_name(-code)})"
        return unusable(f"{path}: {crash}. {_REBUILD}")
    if code:
        reason = errors.strip().removeprefix("busmark-worker: ")
        return unusable(reason or f"{path}: exit code {code}. {_REBUILD}")
    try:
        described = json.loads(answer)
        return Adapter(name, path, described["capabilities"], described["reason"])
    except (ValueError, KeyError, TypeError):
        return unusable(f"{path}: ended the worker while it was loaded. {_REBUILD}")


def _start_worker(*arguments: str) -> Launched:
    """Start the worker in a group of its own, to be ended with all that a library starts."""
    path = worker()
    try:
        start = Start([str(path), *arguments], environment())
        return Launched(start, None, stdin=DEVNULL, stderr=PIPE)
    except OSError as error:
        raise not_startable(path, error) from None


def available() -> list[Adapter]:
    """Describe every adapter found, and add the adapters of this release that are missing here."""
    worker()
    here = libraries()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda item: describe(*item), here.items()))
    return found + [_absent(name) for name in adapter_facts() if name not in here]


def _absent(name: str) -> Adapter:
    """Return an adapter of this release whose library is not here."""
    return Adapter(name, Path(f"libbusmark_{name}.so"), None, adapter_facts()[name].reason)


def resolve(
    names: list[str], before: Callable[[str, Path], None] | None = None, *, where: str = ""
) -> dict[str, Adapter]:
    """Describe the named adapters; a name with a slash is the path of a library. `before` is called
    with the name and path of each before any of them is loaded, which runs its code; `where` they
    are named is part of an error.

    Raises `UserError` for names that nobody knows and for paths that do not exist.
    """
    if wrong := misnamed(names, where):
        raise together(wrong)
    here = libraries()
    absent = [name for name in dict.fromkeys(names) if name in adapter_facts() and name not in here]
    chosen = {name: _path(name, here) for name in dict.fromkeys(names) if name not in absent}
    if before:
        for name, path in chosen.items():
            before(name, path)
    with ThreadPoolExecutor(4) as pool:
        described = list(pool.map(lambda item: describe(*item), chosen.items()))
    return {adapter.name: adapter for adapter in [*described, *map(_absent, absent)]}


def first_here(alternatives: str) -> str:
    """Return the first of `ONE|ANOTHER` whose library is here, with the program that it needs; the
    last where none is. A name that nobody knows is returned before all others: it is a mistake."""
    names = [name.strip() for name in alternatives.split("|")]
    here = libraries()
    for name in names:
        if name not in {*here, *adapter_facts()}:
            return name
    for name in names:
        program = adapter_facts()[name].program if name in adapter_facts() else ""
        if name in here and (not program or shutil.which(program)):
            return name
    return names[-1]


def misnamed(names: Iterable[str], where: str | Mapping[str, str] = "") -> list[UserError]:
    """Return an error for each name that nobody knows and each path that does not exist; nothing is
    loaded. `where` is where they were named, by name if not all in one place."""
    names, here = list(names), libraries()
    if isinstance(where, str):
        where = dict.fromkeys(names, where)
    found = {*here, *adapter_facts()}
    strange = [name for name in dict.fromkeys(names) if "/" not in name and name not in found]
    # What there is instead is listed once.
    wrong = [_unknown(name, here, where[name], listed=name == strange[-1]) for name in strange]
    for name in dict.fromkeys(names):
        if "/" in name and (reason := _no_library(_path(name, here))):
            wrong.append(
                UserError(
                    f"{reason}: {_path(name, here)}",
                    where=where[name],
                    remedy="Build it, or correct the path; `busmark adapters` lists what is here.",
                )
            )
    return wrong


def _no_library(path: Path) -> str:
    """Return why no library can be loaded from there, before anything is; empty: it can be."""
    try:
        files.beginning(path, 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return "no such adapter library" if missing else f"no adapter library ({error.strerror})"
    return ""


def _path(name: str, here: dict[str, Path]) -> Path:
    """Return the whole path: "./libx.so" without "./" would be looked for in the library path."""
    return Path(name).absolute() if "/" in name else here[name]


def _unknown(name: str, here: dict[str, Path], where: str, *, listed: bool) -> UserError:
    folders = ", ".join(str(folder) for folder in search_path())
    searched = f"Libraries are looked for in {folders}; add a folder with {PATH_VARIABLE}."
    there = f"; here are {', '.join(here) or 'none'}" if listed else ""
    return UserError(
        f"no adapter {name!r}{there}",
        where=where,
        remedy=nearest(name, [*here, *adapter_facts()], always=searched if listed else ""),
    )
