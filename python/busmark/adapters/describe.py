"""What the adapters here can do: each is loaded in a process of its own, so that one that crashes
takes nothing with it."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark.adapters.locate import PATH_VARIABLE, libraries, search_path, worker
from busmark.errors import UserError

DESCRIBE_TIMEOUT_S = 20.0


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
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        return {**(self.capabilities or {}), "path": str(self.path), "sha256": digest}


def describe(name: str, path: Path) -> Adapter:
    """Loads one library and asks it."""
    try:
        done = subprocess.run(
            [worker(), "describe", path],
            capture_output=True, text=True, timeout=DESCRIBE_TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Adapter(name, path, None, f"{path}: did not answer within {DESCRIBE_TIMEOUT_S:g} s")
    if done.returncode < 0:
        what = signal.Signals(-done.returncode).name
        return Adapter(name, path, None, f"{path}: crashed while loading ({what})")
    if done.returncode != 0:
        reason = done.stderr.strip().removeprefix("busmark-worker: ")
        return Adapter(name, path, None, reason or f"{path}: exit code {done.returncode}")
    try:
        answer = json.loads(done.stdout)
        return Adapter(name, path, answer["capabilities"], answer["reason"])
    except (json.JSONDecodeError, KeyError):
        return Adapter(name, path, None, f"{path}: the worker's answer makes no sense")


def available() -> list[Adapter]:
    """Every adapter found, described."""
    worker()
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda item: describe(*item), libraries().items()))


def resolve(names: list[str]) -> dict[str, Adapter]:
    """The named adapters; a name with a slash is the path of a library.

    Raises `UserError` for a name that nobody knows and for a path that does not exist.
    """
    known = libraries()
    chosen: dict[str, Path] = {}
    for name in dict.fromkeys(names):
        path = Path(name) if "/" in name else known.get(name)
        if path is None:
            raise _unknown(name, known)
        if not path.is_file():
            raise UserError("no such adapter library", where=str(path))
        chosen[name] = path
    with ThreadPoolExecutor(4) as pool:
        described = pool.map(lambda item: describe(*item), chosen.items())
    return {adapter.name: adapter for adapter in described}


def _unknown(name: str, known: dict[str, Path]) -> UserError:
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    folders = ", ".join(str(folder) for folder in search_path())
    return UserError(
        f"no adapter {name!r}; here are {', '.join(known) or 'none'}",
        where="matrix.adapter",
        remedy=f"{hint}Libraries are looked for in {folders}; add a folder with {PATH_VARIABLE}.",
    )
