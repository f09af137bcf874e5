"""Where the programs and the adapter libraries are."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from functools import cache
from pathlib import Path

from busmark.adapters.known import known
from busmark.errors import UserError

WORKER = "busmark-worker"
CHECKER = "busmark-check"
FORWARDER = "busmark-forwarder"
PACKETS = "busmark-packets"
PATH_VARIABLE = "BUSMARK_ADAPTER_PATH"
WORKER_VARIABLE = "BUSMARK_WORKER"
PACKAGES_VARIABLE = "BUSMARK_SITE_PACKAGES"

PACKAGE = Path(__file__).resolve().parent.parent
WHEEL = PACKAGE / "_native"
"""Adapters that a wheel carries; absent in a checkout."""


def environment() -> dict[str, str]:
    """What processes that load adapters find in their environment: this one's, and the folders of
    Python packages, for middleware that is installed from the Python Package Index."""
    return {**os.environ, PACKAGES_VARIABLE: _packages(tuple(sys.path))}


@cache
def _packages(path: tuple[str, ...]) -> str:
    """Once for each such path: a round may start forty processes."""
    folders = (Path(entry) for entry in path if entry)
    packages = [str(f) for f in folders if f.name in ("site-packages", "dist-packages")]
    return os.pathsep.join(packages)


def search_path() -> list[Path]:
    """Folders that may hold adapters: the user's, the installed package's, the checkout's build."""
    named = os.environ.get(PATH_VARIABLE, "").split(os.pathsep)
    own = [Path(part).absolute() for part in named if part]
    return [*own, WHEEL, PACKAGE.parent.parent / "target" / "release"]


def contract() -> Path:
    """Return the folder of the contract: headers for adapters, and `examples`.

    Raises:
        UserError: it is not here.
    """
    folder = next(
        (each for each in (WHEEL / "abi", PACKAGE.parent.parent / "abi") if each.is_dir()), None
    )
    if folder is None:
        raise UserError(
            "the headers for adapters are not installed", where=str(WHEEL / "abi"),
            remedy="Install Busmark again, or take the folder `abi` of its sources.",
        )  # fmt: skip
    return folder


def worker() -> Path:
    """The worker's executable."""
    named = os.environ.get(WORKER_VARIABLE)
    if named:
        if Path(named).is_file() and os.access(named, os.X_OK):
            return Path(named)
        raise UserError(
            "not an executable file",
            where=f"{WORKER_VARIABLE}={named}",
            remedy="Unset the variable, or name a busmark-worker.",
        )
    return _program(WORKER, f"Build it with `make build`, or name it in {WORKER_VARIABLE}.")


def checker() -> Path:
    """The executable of the conformance suite.

    It replaces malloc to count allocations, which a worker that measures must not do: hence a
    program of its own.
    """
    return _program(CHECKER, "Build it with `make build`.")


def forwarder() -> Path:
    """The executable that delays the frames of a lab."""
    return _program(FORWARDER, "Build it with `make build`.")


def packets() -> Path:
    """The executable that reads captures."""
    return _program(PACKETS, "Build it with `make build`.")


def _program(name: str, remedy: str) -> Path:
    # An installed package has it beside the interpreter, also where that folder is not in PATH.
    for folder in [*search_path(), Path(sys.executable).parent]:
        if os.access(folder / name, os.X_OK):
            return folder / name
    found = shutil.which(name)
    if found:
        return Path(found)
    raise UserError(f"{name} is not installed", remedy=remedy)


_MORE_TASKS = (
    "There is a limit of processes or memory: raise it (`ulimit -u`, or pids.max of the control "
    "group), then continue with --resume."
)
_MORE_FILES = (
    "There is a limit of open files, and each worker needs some here: raise it (`ulimit -n`), then "
    "continue with --resume."
)
_LIMITED = {
    errno.EAGAIN: _MORE_TASKS, errno.ENOMEM: _MORE_TASKS,
    errno.EMFILE: _MORE_FILES, errno.ENFILE: _MORE_FILES,
}  # fmt: skip


def not_startable(path: Path, error: OSError) -> UserError:
    """The worker is there, but the system does not run it."""
    again = f"Build it again with `make build`, or name another in {WORKER_VARIABLE}."
    return UserError(
        f"the worker cannot be started ({error.strerror})",
        where=str(path),
        remedy=_LIMITED.get(error.errno or 0, again),
    )


def libraries() -> dict[str, Path]:
    """Adapters by name: the first found along the search path."""
    found: dict[str, Path] = {}
    for folder in search_path():
        for path in sorted(folder.glob("libbusmark_*.so")):
            found.setdefault(_named(path.stem.removeprefix("libbusmark_")), path)
    return dict(sorted(found.items()))


def _named(stem: str) -> str:
    """The adapter of a library: those that cargo builds have no hyphen in their file's name."""
    hyphened = stem.replace("_", "-")
    return hyphened if hyphened in known() else stem
