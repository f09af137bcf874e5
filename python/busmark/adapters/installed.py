"""What is installed here: the libraries of adapters, and the programs beside them."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from functools import cache
from pathlib import Path

from busmark.errors import UserError
from busmark.facts import PACKAGE, PATH_VARIABLE, WHEEL, adapter_facts
from busmark.launcher import programs

WORKER = "busmark-worker"
CHECKER = "busmark-check"
FORWARDER = "busmark-forwarder"
PACKETS = "busmark-packets"
BUS = "busmark-bus"
PACKAGES_VARIABLE = "BUSMARK_SITE_PACKAGES"


def environment() -> dict[str, str]:
    """Return what processes that load adapters find in their environment: this one's, and the
    folders of Python packages, for middleware that is installed from the Python Package Index."""
    return {**os.environ, PACKAGES_VARIABLE: _packages(tuple(sys.path))}


@cache
def _packages(path: tuple[str, ...]) -> str:
    """Select the folders of packages, once for each path: a round may start forty processes."""
    folders = (Path(entry) for entry in path if entry)
    packages = [str(f) for f in folders if f.name in ("site-packages", "dist-packages")]
    return os.pathsep.join(packages)


def search_path() -> list[Path]:
    """Return folders that may hold adapters: the user's, the package's, the checkout's build."""
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
            "the headers for adapters are not installed",
            where=str(WHEEL / "abi"),
            remedy="Install Busmark again, or take the folder `abi` of its sources.",
        )
    return folder


def worker() -> Path:
    """Return the executable that measures."""
    return _program(WORKER)


def checker() -> Path:
    """Return the executable of the conformance suite.

    It replaces malloc to count allocations, which a worker that measures must not do: hence a
    program of its own.
    """
    return _program(CHECKER)


def forwarder() -> Path:
    """Return the executable that delays the frames of a lab."""
    return _program(FORWARDER)


def packets() -> Path:
    """Return the executable that reads captures."""
    return _program(PACKETS)


def bus() -> Path:
    """Return the executable of participants on a bus, and of who drives and hears them."""
    return _program(BUS)


def _program(name: str) -> Path:
    """Return a program's executable: the one that the variable of its name has, or one beside the
    adapters or the interpreter, or one in PATH."""
    named = os.environ.get(_variable(name))
    if named:
        if Path(named).is_file() and os.access(named, os.X_OK):
            return Path(named)
        raise UserError(
            "not an executable file",
            where=f"{_variable(name)}={named}",
            remedy=f"Unset the variable, or name a {name}.",
        )
    # An installed package has it beside the interpreter, also where that folder is not in PATH.
    for folder in [*search_path(), programs()]:
        if os.access(folder / name, os.X_OK):
            return folder / name
    found = shutil.which(name)
    if found:
        return Path(found)
    raise UserError(
        f"{name} is not installed",
        remedy=f"Build it with `make build`, or name it in {_variable(name)}.",
    )


def _variable(name: str) -> str:
    """Return the variable that names another program in place of this one: `BUSMARK_WORKER`."""
    return name.upper().replace("-", "_")


_MORE_TASKS = (
    "There is a limit of processes or memory: raise it (`ulimit -u`, or pids.max of the control "
    "group), then continue with `busmark run --resume --out DIR`."
)
_MORE_FILES = (
    "There is a limit of open files, and each worker needs some here: raise it (`ulimit -n`), then "
    "continue with `busmark run --resume --out DIR`."
)
_LIMITED = {
    errno.EAGAIN: _MORE_TASKS,
    errno.ENOMEM: _MORE_TASKS,
    errno.EMFILE: _MORE_FILES,
    errno.ENFILE: _MORE_FILES,
}


def not_startable(path: Path, error: OSError, name: str = WORKER) -> UserError:
    """Return the error for a program that is there, but that the system does not run."""
    again = f"Build it again with `make build`, or name another in {_variable(name)}."
    return UserError(
        f"{name} cannot be started ({error.strerror or error})",
        where=str(path),
        remedy=_LIMITED.get(error.errno or 0, again),
    )


def libraries() -> dict[str, Path]:
    """Return the libraries of adapters by name: the first found along the search path."""
    found: dict[str, Path] = {}
    for folder in search_path():
        for path in sorted(folder.glob("libbusmark_*.so")):
            found.setdefault(_named(path.stem.removeprefix("libbusmark_")), path)
    return dict(sorted(found.items()))


def _named(stem: str) -> str:
    """Return the adapter of a library: names of files that cargo builds have no hyphen."""
    hyphened = stem.replace("_", "-")
    return hyphened if hyphened in adapter_facts() else stem
