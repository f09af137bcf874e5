"""What the adapters here can do: each is loaded in a process of its own, so that one that crashes
takes nothing with it."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark.adapters.conformance import digest, remembered
from busmark.adapters.known import known
from busmark.adapters.locate import (
    PATH_VARIABLE,
    environment,
    libraries,
    not_startable,
    search_path,
    worker,
)
from busmark.errors import UserError
from busmark.processes import end_group, signal_name

DESCRIBE_TIMEOUT_S = 20.0

_REBUILD = "Rebuild it, or leave it out"


@dataclass(frozen=True)
class Adapter:
    """An adapter library, usable or not."""

    name: str
    path: Path
    capabilities: dict[str, Any] | None
    """As declared; None if the library cannot be loaded."""
    reason: str | None
    """Why it cannot be used here, and what to do; None if it can."""

    @property
    def usable(self) -> bool:
        """Whether a round can be run with it."""
        return self.reason is None

    def stored(self) -> dict[str, Any]:
        """As kept in the manifest."""
        sha256 = digest(self.path)
        stored = {**(self.capabilities or {}), "path": str(self.path), "sha256": sha256}
        report = remembered(sha256)
        return {**stored, "conformance": report} if report else stored


def describe(name: str, path: Path) -> Adapter:
    """Loads one library and asks it."""

    def unusable(reason: str) -> Adapter:
        return Adapter(name, path, None, reason)

    with _start_worker("describe", path) as process:
        try:
            answer, errors = process.communicate(timeout=DESCRIBE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return unusable(f"{path}: did not answer within {DESCRIBE_TIMEOUT_S:g} s. {_REBUILD}")
        finally:
            end_group(process.pid)
    if process.returncode < 0:
        crash = f"crashed while loading ({signal_name(-process.returncode)})"
        return unusable(f"{path}: {crash}. {_REBUILD}")
    if process.returncode != 0:
        reason = errors.decode(errors="replace").strip().removeprefix("busmark-worker: ")
        return unusable(reason or f"{path}: exit code {process.returncode}. {_REBUILD}")
    try:
        described = json.loads(answer)
        return Adapter(name, path, described["capabilities"], described["reason"])
    except (ValueError, KeyError, TypeError):
        return unusable(f"{path}: ended the worker while it was loaded. {_REBUILD}")


def _start_worker(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """The worker in a group of its own, so that it can be ended with all that a library starts."""
    path = worker()
    try:
        return subprocess.Popen(
            [path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, env=environment(),
        )  # fmt: skip
    except OSError as error:
        raise not_startable(path, error) from None


def available() -> list[Adapter]:
    """Every adapter found, described, and those of this release that are not here."""
    worker()
    here = libraries()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda item: describe(*item), here.items()))
    return found + [_absent(name) for name in known() if name not in here]


def _absent(name: str) -> Adapter:
    """An adapter of this release whose library is not here."""
    return Adapter(name, Path(f"libbusmark_{name}.so"), None, known()[name].reason)


def resolve(names: list[str]) -> dict[str, Adapter]:
    """The named adapters; a name with a slash is the path of a library.

    Raises `UserError` for a name that nobody knows and for a path that does not exist.
    """
    here = libraries()
    chosen: dict[str, Path] = {}
    absent = [name for name in dict.fromkeys(names) if name in known() and name not in here]
    for name in dict.fromkeys(names):
        if name in absent:
            continue
        path = Path(name) if "/" in name else here.get(name)
        if path is None:
            raise _unknown(name, here)
        if not path.is_file():
            raise UserError(
                f"no such adapter library: {path}",
                where="matrix.adapter",
                remedy="Build it, or correct the path; `busmark adapters` lists what is here.",
            )
        chosen[name] = path
    with ThreadPoolExecutor(4) as pool:
        described = list(pool.map(lambda item: describe(*item), chosen.items()))
    return {adapter.name: adapter for adapter in [*described, *map(_absent, absent)]}


def _unknown(name: str, here: dict[str, Path]) -> UserError:
    import difflib

    near = difflib.get_close_matches(name, [*here, *known()], n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    folders = ", ".join(str(folder) for folder in search_path())
    return UserError(
        f"no adapter {name!r}; here are {', '.join(here) or 'none'}",
        where="matrix.adapter",
        remedy=f"{hint}Libraries are looked for in {folders}; add a folder with {PATH_VARIABLE}.",
    )
