"""Whether a node fits, and what it is: looked at once, when it is reached."""

from __future__ import annotations

import platform
import re
import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from busmark import files
from busmark.host import (
    Condition,
    Counters,
    Profile,
    condition,
    counters,
    proc,
    profile,
    snapshot,
    variables,
)
from busmark.host.condition import MACHINE_FILES, thread_files
from busmark.host.profile import FILES as PROFILE_FILES
from busmark.nodes.shell import Shell
from busmark.temporary import WORK_PREFIX, run_directory

# What a node's kernel reports of it.
#
# Its files come through the pipe, and are read by the code that reads this machine's, as are the
# words of whatever keeps its clock. So a figure means the same on every node, and nothing need be
# installed there.

NAME = r"(?!\.)[A-Za-z0-9_.-]{0,100}"
"""Pattern of what `*` may stand for. As in a shell it does not begin with a point, so it is not
`..`."""
VARIABLE = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)


def profile_of(shell: Shell, machine: str) -> Profile:
    """Return the host profile of a node; `machine` is its architecture."""
    environment = variables(_environment(shell.ask("env")))
    own = {"architecture": machine, "python_version": None, "environment": environment}
    with _mirror(shell, PROFILE_FILES) as root:
        return {**profile(root, shell.ask), **own}


def _environment(printed: str) -> dict[str, str]:
    """Parse variables as `env` prints them; a line that begins none continues the one before."""
    found: dict[str, str] = {}
    name = ""
    for line in printed.splitlines():
        if begins := VARIABLE.match(line):
            name = begins[1]
            found[name] = line[begins.end() :]
        elif name:
            found[name] += f"\n{line}"
    return found


def counters_of(shell: Shell) -> Counters:
    """Read its kernel's counters, of the network as the prefix sees it."""
    with _mirror(shell, counters.FILES) as root:
        return snapshot(root=root)


def condition_of(shell: Shell, processes: Sequence[int]) -> Condition:
    """Return the state of the node and of these processes on it. Its wall clock and the control
    groups of the processes are not looked at."""
    with _mirror(shell, [*MACHINE_FILES, *thread_files(processes)]) as root:
        return condition(processes, root, here=False)


@contextmanager
def _mirror(shell: Shell, names: Sequence[str]) -> Iterator[Path]:
    """Yield a folder with copies of these files; `*` stands for a part of a name, as in a shell.
    Other output of a node is left out: it has no say in what is written here."""
    # Names that may be in the answer: none leads elsewhere or is too long for a file.
    asked = re.compile("|".join("/" + re.escape(name).replace(r"\*", NAME) for name in names))
    answer = shell.ask("busmark_read " + " ".join(f"/{name}" for name in names))
    contents: dict[str, list[str]] = {}
    for line in answer.split("\n"):
        name, colon, text = line.partition(":")
        if colon and asked.fullmatch(name):
            contents.setdefault(name.lstrip("/"), []).append(text)
    with run_directory(WORK_PREFIX) as folder:
        for name, lines in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            files.create(path, "\n".join(lines) + "\n")
        yield folder


METRIC = re.compile(r"[0-9]{1,10}")
NO_NET = "00000000"
"""Destination of the default route in /proc/net/route."""


@dataclass(frozen=True)
class Address:
    """An interface and its address; what is empty is not known, or left to the node."""

    interface: str = ""
    address: str = ""


ANY = Address()


def address_of(wanted: Address, interfaces: list[dict[str, Any]], routes: str) -> Address:
    """Return what is wanted, completed by what the node has.

    By default it is the interface of the default route, else the first that leads to other hosts,
    else the first of all. The address is the interface's first one, IPv4 before IPv6.

    Args:
        interfaces: every address of every interface that is up, as `busmark-worker interfaces`
            prints them: name, address, loopback.
        routes: lines of the node's /proc/net/route.

    Raises:
        LookupError: the node has no such interface or address.
    """
    found = sorted(interfaces, key=lambda each: ":" in each["address"])
    fitting = [
        each
        for each in found
        if wanted.interface in ("", each["name"]) and wanted.address in ("", each["address"])
    ]
    if not fitting:
        asked = f" {wanted.interface}" if wanted.interface else ""
        asked += f" with {wanted.address}" if wanted.address else ""
        known = ", ".join(f"{each['name']} with {each['address']}" for each in found) or "none"
        raise LookupError(f"it has no interface{asked}; those that are up: {known}")
    default = _default_interface(routes)
    best = min(fitting, key=lambda each: (each["name"] != default, each["loopback"]))
    return Address(best["name"], best["address"])


def _default_interface(routes: str) -> str | None:
    """Return the interface of the preferred default route: columns are interface, destination,
    gateway, flags, references, uses, metric, mask and others."""
    words = [line.split() for line in routes.splitlines()]
    defaults = [
        (int(each[6]), each[0])
        for each in words
        if len(each) > 7 and each[1] == each[7] == NO_NET and METRIC.fullmatch(each[6])
    ]
    return min(defaults, default=(0, None))[1]


SCRIPT = Path(__file__).with_name("node.sh")


MOST_SHOWN = 60
MOST_SAID = 300
"""Characters of a strange answer that an error repeats."""

REQUIRED = ("system", "machine", "cache", "run")
PATH = re.compile(r"|/[^\x00-\x1f\x7f]{1,200}")
"""Pattern of the name of a folder, which may be empty."""


class Interface(TypedDict):
    """An address of a node."""

    name: str
    address: str
    loopback: bool


INTERFACES: TypeAdapter[list[Any]] = TypeAdapter(list[Interface])


class UnfitError(Exception):
    """A node that answers, and cannot take part: why, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


@dataclass(frozen=True)
class NodeSite:
    """The facts of a node that are needed before anything is sent there."""

    machine: str
    """Architecture of the machine, as uname has it."""
    cache: str
    run_dir: str
    """A folder for sockets and pipes, which goes with the shell."""
    free_kib: int | None
    """Free space in the cache's file system."""


@dataclass(frozen=True)
class NodeFacts:
    """The facts of a node that a round needs."""

    profile: Profile
    address: Address
    system: str
    """Nodes on which this is the same are one machine, with one kernel that counts."""
    network: str
    """Nodes with the same value share a network, which has counters of its own."""
    clock: str
    """Nodes with the same value share CLOCK_MONOTONIC: they are one machine, and in one time
    namespace."""


def settle(shell: Shell) -> NodeSite:
    """Define our functions in the shell, make its folders, and return the site.

    Raises:
        UnfitError: it lacks a tool, is another system, or takes no files.
        NodeDown: the shell ends on the way.
    """
    shell.ask(SCRIPT.read_text(encoding="utf-8"))
    answer = shell.ask(f"busmark_open {secrets.token_hex(4)}").splitlines()
    pairs = [(name, value) for name, _, value in (line.partition(" ") for line in answer)]
    missing = [value[:MOST_SHOWN] for name, value in pairs if name == "missing"]
    found = dict(pairs)
    if unsaid := [name for name in REQUIRED if name not in found]:
        raise UnfitError(
            f"it does not say what it is asked: its {' and '.join(unsaid)}",
            "The prefix is to lead to a shell, and to pass on what that prints, as ssh does.",
        )
    if missing:
        raise UnfitError(f"it has no {', '.join(missing)}", "Install what is missing there.")
    if found["system"] != "Linux":
        raise UnfitError(f"it runs {found['system'][:MOST_SHOWN]}", "Workers run on Linux.")
    if found["machine"] != platform.machine():
        raise UnfitError(
            f"its architecture is {found['machine'][:MOST_SHOWN]}, and the worker here is built "
            f"for {platform.machine()}",
            "Run Busmark on a machine like the nodes: all of a campaign are of one architecture.",
        )
    if not found["cache"] or not found["run"]:
        raise UnfitError(
            "no folder takes programs there: neither ~/.cache nor the temporary folder can be "
            "written to, is closed to other users and lets files be executed",
            "Name one in XDG_CACHE_HOME there, and one for sockets in TMPDIR.",
        )
    if not all(map(PATH.fullmatch, (found["cache"], found["run"]))):
        raise UnfitError(
            "the folders that it names for programs and for sockets are no paths",
            "The prefix is to pass on what a shell prints, as ssh does.",
        )
    free = proc.to_int(found.get("free_kib"))
    return NodeSite(found["machine"], found["cache"], found["run"], free)


def _interfaces(answer: str) -> list[dict[str, Any]]:
    try:
        return INTERFACES.validate_json(answer)
    except ValidationError:
        raise UnfitError(
            f"its worker does not list its interfaces, but says {answer[:MOST_SHOWN]!r}",
            "The prefix is to pass on what a program prints, and nothing else, as ssh does.",
        ) from None


def look(shell: Shell, program: str, wanted: Address, machine: str) -> NodeFacts:
    """Return what a node is, by its own kernel and by the worker that has been sent.

    Raises:
        UnfitError: the worker does not start there, or it has no such interface.
        NodeDown: the shell ends on the way.
    """
    program = shlex.quote(program)
    said = shell.ask(f"{program} --version 2>&1 || :").strip()
    if not said.startswith("busmark-worker "):
        raise UnfitError(
            f"the worker does not start there: {said[:MOST_SAID] or 'it says nothing'}",
            "Its C library is another than this machine's, or older. Build Busmark on the oldest "
            "system of the campaign.",
        )
    interfaces = _interfaces(shell.ask(f"{program} interfaces"))
    try:
        address = address_of(wanted, interfaces, shell.ask("cat /proc/net/route 2>&1 || :"))
    except LookupError as error:
        raise UnfitError(str(error), "Correct the node's address and interface.") from None
    profile = profile_of(shell, machine)
    # One that does not say which boot it is of is taken for a machine of its own.
    system = profile["boot_id"] or secrets.token_hex(16)
    spaces = [shell.ask(f"readlink /proc/self/ns/{kind} || :") for kind in ("net", "time")]
    network, clock = (f"{system} {space}" for space in spaces)
    return NodeFacts(profile, address, system, network, clock)
