"""The adapters that Busmark comes with, whether or not they are built here.

`known.toml` names each with its middleware and the way to get it, so that a scenario may name all
and a plan can say what is missing.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from busmark import platform
from busmark.errors import UserError
from busmark.launcher import programs


@dataclass(frozen=True)
class Fault:
    """A fault of a middleware that ends or locks up the process it is in, reduced to a small
    program."""

    middleware: str
    """Version as the library states it."""
    what: str
    """Cause, in words."""
    program: str
    """Source of the small program, in the repository."""
    transport: str = ""
    """Empty: each."""
    signals: Sequence[str] = ()
    """Signals by which the process ends; none: it hangs."""
    participants: int = 1
    """Participants of one process, at least."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options as shipped, with another value of which it does not occur."""

    @property
    def text(self) -> str:
        """To follow how a process has ended."""
        over = f" over {self.transport}" if self.transport else ""
        return f"{self.middleware}{over} has this fault: {self.what}"

    def occurs(self, transport: str, participants: int, settings: Mapping[str, str]) -> bool:
        """Return whether it can occur in a process with this many participants."""
        return (
            self.transport in ("", transport)
            and participants >= self.participants
            and all(settings.get(key, value) == value for key, value in self.options.items())
        )


@dataclass(frozen=True)
class Incompatibility:
    """Adapters whose readers a writer never matches."""

    middleware: str
    """Version of the writer's, as its library states it."""
    readers: Sequence[str]
    """The adapters that read."""
    why: str
    security: Sequence[str] = ()
    """Profiles under which it is so; none: always."""


@dataclass(frozen=True)
class KnownAdapter:
    """An adapter of this release."""

    name: str
    title: str
    family: str
    """dds, dds-xrce, corba, shared memory, pub/sub or baseline."""
    get: str
    """What provides it, to follow "not built here: "."""
    no_user_type: str = ""
    """Why it cannot be compiled with a type of the user's, where it is a DDS that cannot."""
    interop: Mapping[str, str] = field(default_factory=dict)
    """Options by which a DDS finds other vendors' DDS on one host."""
    without_effect: Mapping[str, str] = field(default_factory=dict)
    """QoS values that its middleware takes and that change nothing, so that the adapter does not
    offer them: what happens, in words."""
    no_security: str = ""
    """Why its middleware is not secured, and how a secured one is had, where there is one."""
    lacks_security: Mapping[str, str] = field(default_factory=dict)
    """Profiles that its middleware knows and that protect nothing there: what happens, in words."""
    unsecured_by: Mapping[str, str] = field(default_factory=dict)
    """Why nothing is protected over a transport or with an option: by `transport=NAME` or
    `OPTION=VALUE`."""
    answers_handshakes: bool = False
    """Whether a secured participant finds another vendor's only where it does not begin the
    handshake."""
    server_without_passphrase: bool = False
    """Whether the server that a run starts for it can read no encrypted private key."""
    program: str = ""
    """A program in PATH without which its library is of no use."""
    faults: Sequence[Mapping[str, Any]] = ()
    """Faults that end or lock up workers, each with the fields of `Fault`."""
    unmatched: Sequence[Mapping[str, Any]] = ()
    """Whom its writers never match, each with the fields of `Incompatibility`."""
    ros: bool = False
    """Whether it sends messages of ROS, which no other adapter's participants match."""
    layer_over: str = ""
    """The adapter whose library lies below it, with the same transports."""
    stands_for: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Options that a parameter's value stands for, by `PARAMETER=VALUE`; `rmem_max` and `wmem_max`
    are what the kernel grants a socket, at most `LARGE_BUFFER`."""
    folder: str = ""
    """Below `adapters/`, where it has not the adapter's name."""

    @property
    def reason(self) -> str:
        """Return why it cannot be used, where its library is not there."""
        return f"{self.name} is not built here: {self.get}"

    @property
    def notes(self) -> str:
        """Its page in the repository: what is shipped, what is changed, what it does not do."""
        return f"adapters/{self.folder or self.name}/NOTES.md"


@cache
def known() -> dict[str, KnownAdapter]:
    """Return every adapter of this release by name, in the order of the file."""
    text = Path(__file__).with_name("known.toml").read_text(encoding="utf-8")
    return {name: KnownAdapter(name, **entry) for name, entry in tomllib.loads(text).items()}


def options_of(adapter: str, parameter: str, value: object) -> dict[str, str]:
    """Return the options of an adapter that a parameter's value stands for; empty without any."""
    entry = known().get(adapter)
    found = entry.stands_for.get(f"{parameter}={value}", {}) if entry else {}
    return {option: str(GRANTED[of]()) if of in GRANTED else of for option, of in found.items()}


def _granted(limit: str) -> int:
    return min(LARGE_BUFFER, platform.largest_buffer(limit))


LARGE_BUFFER = 4 << 20
"""Bytes of a buffer that holds a large message of ROS or a burst of small ones."""
GRANTED = {limit: partial(_granted, limit) for limit in ("rmem_max", "wmem_max")}


def faults(adapter: str, middleware: str) -> list[Fault]:
    """Return the faults of this version of an adapter's middleware."""
    entry = known().get(adapter)
    found = [Fault(**fault) for fault in entry.faults] if entry else []
    return [fault for fault in found if fault.middleware == middleware]


def unmatched(writer: str, middleware: str, reader: str, profile: str) -> str | None:
    """Return why a writer of this version never matches the reader; the profile may be `none`."""
    entry = known().get(writer)
    found = [Incompatibility(**pair) for pair in entry.unmatched] if entry else []
    for pair in found:
        concerned = pair.middleware == middleware and reader in pair.readers
        if concerned and (not pair.security or profile in pair.security):
            return pair.why
    return None


def of_ros(adapter: str) -> bool:
    """Return whether it sends messages of ROS."""
    return adapter in known() and known()[adapter].ros


def place(name: str) -> tuple[int, str]:
    """Return a key to sort by: adapters of this release in the order of the file, then others."""
    order = list(known())
    return (order.index(name) if name in order else len(order), name)


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
    """Return the worker's executable."""
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
    """Return the executable of the conformance suite.

    It replaces malloc to count allocations, which a worker that measures must not do: hence a
    program of its own.
    """
    return _program(CHECKER, "Build it with `make build`.")


def forwarder() -> Path:
    """Return the executable that delays the frames of a lab."""
    return _program(FORWARDER, "Build it with `make build`.")


def packets() -> Path:
    """Return the executable that reads captures."""
    return _program(PACKETS, "Build it with `make build`.")


def _program(name: str, remedy: str) -> Path:
    # An installed package has it beside the interpreter, also where that folder is not in PATH.
    for folder in [*search_path(), programs()]:
        if os.access(folder / name, os.X_OK):
            return folder / name
    found = shutil.which(name)
    if found:
        return Path(found)
    raise UserError(f"{name} is not installed", remedy=remedy)


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


def not_startable(path: Path, error: OSError) -> UserError:
    """Return the error for a worker that is there, but that the system does not run."""
    again = f"Build it again with `make build`, or name another in {WORKER_VARIABLE}."
    return UserError(
        f"the worker cannot be started ({error.strerror or error})",
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
    return hyphened if hyphened in known() else stem
