"""Labs of this machine: made, listed, removed.

Each has a file below `/run/busmark/labs` that is there before its first namespace and goes after
the last one. It names the process that owns the lab, so that what a killed owner left behind is
found and removed by whoever comes next.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ValidationError

from busmark import files, platform
from busmark.adapters import forwarder
from busmark.errors import UserError, nearest
from busmark.files import SUFFIX
from busmark.launcher import DEVNULL, GONE_S, Launched, Start
from busmark.links import Links
from busmark.plugins.lab import network
from busmark.processes import Killed, Process, end_orphans, process

FOLDER = Path("/run/busmark/labs")
MOST_NODES = 250
MOST_CHARACTERS = 16


class Lab(BaseModel):
    """A lab, as its file tells."""

    name: str
    size: int
    links: Links
    created_utc: str
    owner: Process | None
    """Who removes it; None: it stays until the user removes it."""
    forwarder: Process | None = None
    """Process that delays frames, where they are delayed."""

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes, as scenarios have them."""
        return [f"n{number}" for number in range(1, self.size + 1)]

    @property
    def switch(self) -> str:
        """The namespace that joins them."""
        return f"busmark-{self.name}-switch"

    def namespace(self, node: str) -> str:
        """Return the name of a node's namespace."""
        return f"busmark-{self.name}-{node}"

    def address(self, node: str) -> str:
        """Return the address of a node's link."""
        return network.ADDRESS.format(self.nodes.index(node) + 1)

    def prefix(self, node: str) -> list[str]:
        """Return the command that runs another on a node."""
        return ["ip", "netns", "exec", self.namespace(node)]

    def cut(self, *, down: bool) -> None:
        """Take all links down, or up again: nothing that comes to a node arrives meanwhile."""
        nodes = [self.namespace(node) for node in self.nodes]
        (network.cut if down else network.join)(nodes)

    @property
    def namespaces(self) -> list[str]:
        """Network namespaces of the lab."""
        return [self.switch, *map(self.namespace, self.nodes)]

    @property
    def complaint(self) -> str | None:
        """Return what is wrong with it, if anything."""
        missing = set(self.namespaces) - network.namespaces()
        if missing:
            return f"{len(missing)} of its namespaces are gone"
        if self.links.forwarded and not (self.forwarder and self.forwarder.alive):
            return "its forwarder has ended: nothing crosses it"
        return None


def labs() -> list[Lab]:
    """Return the labs of this machine, by name."""
    with _registry():
        return _labs()


def set_up(name: str, size: int, links: Links, *, owned: bool) -> Lab:
    """Make a lab, and remove what killed owners left behind.

    Args:
        owned: this process removes it; else it stays until the user does.

    Raises:
        UserError: it cannot be made; nothing is left of it.
        Killed: what makes it was killed; nothing is left of it.
    """
    need()
    if not re.fullmatch(rf"[a-z0-9]{{1,{MOST_CHARACTERS}}}", name):
        raise UserError(
            f"{name!r} is not a valid name for a lab",
            where="--name",
            remedy=f"Use up to {MOST_CHARACTERS} small letters and digits.",
        )
    if not 2 <= size <= MOST_NODES:
        raise UserError(f"a lab has 2 to {MOST_NODES} nodes, not {size}")
    with _registry():
        if any(lab.name == name for lab in _labs()):
            raise UserError(
                f"there is a lab {name} already",
                remedy=f"Remove it with `busmark lab down {name}`, or name another with --name.",
            )
        lab = Lab(
            name=name,
            size=size,
            links=links,
            owner=process(os.getpid()),
            created_utc=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        )
        _store(lab)
        try:
            network.make(lab.switch, [lab.namespace(node) for node in lab.nodes], links)
            if links.forwarded:
                lab.forwarder = _forward(lab, owned=owned)
            else:
                network.bridge(lab.switch, size)
            lab.owner = lab.owner if owned else None
            _store(lab)
        except BaseException:
            _remove(lab)
            raise
        return lab


def lay_down(name: str) -> Lab:
    """Remove a lab and return it; what ran on its nodes continues without a network.

    Raises:
        UserError: there is none of this name.
    """
    _need_root()
    with _registry():
        for lab in _labs():
            if lab.name == name:
                _remove(lab)
                return lab
        known = [lab.name for lab in _labs()]
    none = "There is no lab on this machine; `busmark lab up 2` creates one."
    listed = f"Labs of this machine: {', '.join(known)}." if known else none
    raise UserError(f"no lab is called {name!r}", remedy=nearest(name, known, always=listed))


@contextmanager
def _registry() -> Iterator[None]:
    """Lock the labs for the block, and remove leftovers before it."""
    if os.geteuid() != 0:
        yield  # nobody but root makes labs, so there is nothing to protect, and nothing to remove
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(FOLDER, os.O_RDONLY | os.O_DIRECTORY)
    try:
        platform.lock(descriptor, wait=True)
        # First what may still be making a namespace for an owner that is gone.
        end_orphans()
        for unfinished in FOLDER.glob("*" + SUFFIX):
            unfinished.unlink()
        for lab in _labs():
            if lab.owner and not lab.owner.alive:
                _remove(lab)
        yield
    finally:
        os.close(descriptor)


def _labs() -> list[Lab]:
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        try:
            found.append(Lab.model_validate_json(path.read_text()))
        except (OSError, ValidationError):
            continue  # of another release; not ours to touch
    return found


def _path(lab: Lab, ending: str) -> Path:
    return FOLDER / f"{lab.name}.{ending}"


def _store(lab: Lab) -> None:
    files.write(_path(lab, "json"), lab.model_dump_json(indent=1) + "\n")


def _forward(lab: Lab, *, owned: bool) -> Process:
    """Start the forwarder, and wait until it forwards."""
    links = lab.links
    ports = [f"p{number}" for number in range(1, lab.size + 1)]
    log = _path(lab, "log")
    start = Start(
        [
            "ip",
            "netns",
            "exec",
            lab.switch,
            str(forwarder()),
            *ports,
            "--delay-ns",
            str(round(links.delay_s * 1e9)),
            "--jitter-ns",
            str(round(links.jitter_s * 1e9)),
            *(
                ["--loss", f"{links.loss:.9f}", "--burst", f"{links.burst:g}"]
                if links.burst
                else []
            ),
        ]
    )
    # The process of a lab that stays outlives the command that made it.
    child = Launched(start, "lab" if owned else None, stdin=DEVNULL, stderr=log)
    running = process(child.pid)
    # Known before it is waited for, so that it ends with the lab whatever happens to this process.
    lab.forwarder = running
    _store(lab)
    if child.output.readline() != b"ready\n":
        child.wait(GONE_S)
        if child.killed:
            raise Killed(f"the forwarder of lab {lab.name}: {child.killed}")
        raise UserError(f"the forwarder did not start: {log.read_text().strip()}")
    child.output.close()
    return running


def _remove(lab: Lab) -> None:
    # In a lab that stays, the nodes belong to the user. The switch has nothing but the forwarder,
    # even one that was no longer noted down.
    for name in lab.namespaces if lab.owner else [lab.switch]:
        for pid in network.inhabitants(name):
            process(pid).kill()
    network.remove(lab.namespaces)
    _path(lab, "log").unlink(missing_ok=True)
    _path(lab, "json").unlink(missing_ok=True)


def need() -> None:
    """Raise `UserError` if this process cannot make a lab."""
    _need_root()
    network.need_tools()


def _need_root() -> None:
    if os.geteuid() != 0:
        raise UserError("a lab needs root", remedy="Run the command with sudo.")
