"""Whether a node fits, and what it is: looked at once, when it is reached."""

from __future__ import annotations

import json
import platform
import secrets
import shlex
from dataclasses import dataclass
from pathlib import Path

from busmark.host import Profile
from busmark.nodes import kernel
from busmark.nodes.address import Address, address_of
from busmark.nodes.shell import Shell

SCRIPT = Path(__file__).with_name("node.sh")


class UnfitError(Exception):
    """A node that answers, and cannot take part: why, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


@dataclass(frozen=True)
class Site:
    """What is needed to send anything there."""

    machine: str
    """Its architecture, as uname has it."""
    cache: str
    run_dir: str
    """A folder for sockets and pipes, which goes with the shell."""
    free_kib: int | None
    """In the cache's file system."""


@dataclass(frozen=True)
class Facts:
    """What a round needs to know of it."""

    profile: Profile
    address: Address
    system: str
    """Nodes on which this is the same are one machine, with one kernel that counts."""
    network: str
    """Those on which this is the same have one network, with counters of its own."""
    clock: str
    """Those on which this is the same have one CLOCK_MONOTONIC: they are one machine, and in one
    time namespace."""


def settle(shell: Shell) -> Site:
    """Defines our functions in the shell, and makes room.

    Raises:
        UnfitError: it lacks a tool, is another system, or takes no files.
        NodeDown: the shell ends on the way.
    """
    shell.ask(SCRIPT.read_text(encoding="utf-8"))
    pairs = [line.split(" ", 1) for line in
             shell.ask(f"busmark_open {secrets.token_hex(4)}").splitlines()]  # fmt: skip
    missing = [value for name, value in pairs if name == "missing"]
    told = dict(pairs)
    if missing:
        raise UnfitError(f"it has no {', '.join(missing)}", "Install what is missing there.")
    if told["system"] != "Linux":
        raise UnfitError(f"it runs {told['system']}", "Workers run on Linux.")
    if told["machine"] != platform.machine():
        raise UnfitError(
            f"its architecture is {told['machine']}, and the worker here is built for "
            f"{platform.machine()}",
            "Run Busmark on a machine like the nodes: all of a campaign are of one architecture.",
        )
    if not told["cache"] or not told["run"]:
        raise UnfitError(
            "no folder takes programs there: neither ~/.cache nor /tmp can be written to and lets "
            "files be executed",
            "Name one in XDG_CACHE_HOME there, and one for sockets in TMPDIR.",
        )
    free = told.get("free_kib", "")
    return Site(told["machine"], told["cache"], told["run"], int(free) if free.isdigit() else None)


def look(shell: Shell, program: str, wanted: Address, machine: str) -> Facts:
    """What a node is, by its own kernel and by the worker that has been sent.

    Raises:
        UnfitError: the worker does not start there, or it has no such interface.
        NodeDown: the shell ends on the way.
    """
    program = shlex.quote(program)
    said = shell.ask(f"{program} --version 2>&1 || :").strip()
    if not said.startswith("busmark-worker "):
        raise UnfitError(
            f"the worker does not start there: {said or 'it says nothing'}",
            "Its C library is another than this machine's, or older. Build Busmark on the oldest "
            "system of the campaign.",
        )
    interfaces = json.loads(shell.ask(f"{program} interfaces"))
    try:
        address = address_of(wanted, interfaces, shell.ask("cat /proc/net/route 2>&1 || :"))
    except LookupError as error:
        raise UnfitError(str(error), "Correct the node's address and interface.") from None
    profile = kernel.profile_of(shell, machine)
    # One that does not say which boot it is of is taken for a machine of its own.
    system = profile["boot_id"] or secrets.token_hex(16)
    spaces = [shell.ask(f"readlink /proc/self/ns/{kind} || :") for kind in ("net", "time")]
    network, clock = (f"{system} {space}" for space in spaces)
    return Facts(profile, address, system, network, clock)
