"""A node of the user's: a shell there, and what of ours is there."""

from __future__ import annotations

import gzip
import hashlib
import json
import shlex
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from busmark import files
from busmark.adapters import worker
from busmark.errors import UserError
from busmark.host import Condition, Counters
from busmark.launcher import Start, marker
from busmark.nodes import site
from busmark.nodes.shell import NodeDown, Shell, command, environment
from busmark.nodes.site import (
    ANY,
    MOST_SAID,
    Address,
    NodeFacts,
    NodeSite,
    UnfitError,
    look,
    settle,
)

# Files on a node, kept between runs by what is in them: `CACHE/SHA256/NAME`.
#
# A file is sent only where it is missing. It is there whole or not at all: it is written beside its
# place, renamed into it, and checked against the SHA-256 in its path at each use.

LARGEST = 1 << 30
"""Bytes of a program or library."""
LEVEL = 1
"""Level of compression: networks are fast, and this is waited for once."""
SPARE_KIB = 1024


def key(path: Path) -> str:
    """Return where a file is kept, within the cache.

    Raises:
        UserError: it cannot be read.
    """
    try:
        status = path.stat()
        return f"{_sha256(path, status.st_mtime_ns, status.st_size)}/{path.name}"
    except OSError as error:
        raise UserError(f"cannot be sent to a node ({error.strerror})", where=str(path)) from None


@cache
def _sha256(path: Path, _mtime_ns: int, _size: int) -> str:
    """Hash a file once for all nodes, as long as it does not change."""
    with files.opened(path) as file:
        return hashlib.file_digest(cast(BufferedReader, file), "sha256").hexdigest()


def send(shell: Shell, paths: list[Path], free_kib: int | None) -> int:
    """Send the files that are missing there; return how many bytes, before compression.

    Raises:
        UnfitError: there is no room.
        NodeDown: the shell ends on the way.
    """
    keys = {key(path): path for path in paths}
    quoted = " ".join(map(shlex.quote, keys))
    # Other output on the way to the node is not a file of ours.
    answer = shell.ask(f"busmark_missing {quoted}").splitlines()
    missing = [name for name in keys if name in answer]
    total = sum(keys[name].stat().st_size for name in missing)
    if missing and free_kib is not None and total // 1024 + SPARE_KIB > free_kib:
        raise UnfitError(
            f"{free_kib} KiB are free for its cache, {total // 1024} KiB are to be sent",
            "Make room in ~/.cache there, or name another folder in XDG_CACHE_HOME.",
        )
    for name in missing:
        data = gzip.compress(files.content(keys[name], LARGEST), LEVEL)
        shell.give(f"busmark_put {shlex.quote(name)} {len(data)}", data)
    return total


class Node:
    """A place with files of its own, which may go and come back. Threads may share it."""

    facts: NodeFacts
    """Facts from the last time that it was reached."""

    def __init__(
        self,
        name: str,
        prefix: Sequence[str],
        *,
        wanted: Address = ANY,
        group: str = "",
        patience_s: float = 20.0,
    ) -> None:
        """Do nothing yet.

        Args:
            wanted: interface and address, as far as the user says.
            patience_s: a node that says nothing for this time is given up, and not tried again for
                as long: meanwhile others can be measured.
        """
        self.name = name
        self.prefix = list(prefix)
        self.group = group
        self.visits = 0
        """Number of times that the node was reached."""
        self.sent_bytes = 0
        """Bytes of the files that had to be sent, before compression."""
        self._wanted = wanted
        self.patience_s = patience_s
        self._lock = threading.RLock()
        self._shell: Shell | None = None
        self._site: NodeSite | None = None
        self._files: dict[Path, str] = {}
        self._kept: dict[Path, str] = {}
        self._refused: tuple[float, NodeDown] | None = None

    def ready(self, wanted: Iterable[Path] = ()) -> None:
        """Reach the node, unless it is reached, and send the worker and these files, unless they
        are there.

        Raises:
            NodeDown: it cannot be used now.
        """
        with self._lock:
            if self._refused and time.monotonic() < self._refused[0]:
                raise self._refused[1]
            try:
                self._ready({worker(), *wanted})
            except UnfitError as error:
                down = NodeDown(str(error), where=f"nodes.{self.name}", remedy=error.remedy)
                self._give_up(down)
                raise down from None
            except NodeDown as error:
                self._give_up(error)
                raise

    def _ready(self, wanted: set[Path]) -> None:
        fresh = not self._answers()
        if fresh:
            self.close()
            self._shell = Shell(self.name, self.prefix, self.patience_s)
            self._site = settle(self._shell)
            self._files, self._kept = {}, {}
        assert self._shell and self._site
        missing = sorted(wanted - self._files.keys())
        if missing:
            self.sent_bytes += send(self._shell, missing, self._site.free_kib)
            self._files |= {path: f"{self._site.cache}/{key(path)}" for path in missing}
        if fresh:
            program = self._files[worker()]
            self.facts = look(self._shell, program, self._wanted, self._site.machine)
            self.visits += 1

    def _answers(self) -> bool:
        """Return whether it can still be asked: nothing reports it if its machine has gone."""
        try:
            return self._shell is not None and self._shell.ask(":") == ""
        except NodeDown:
            return False

    def _give_up(self, error: NodeDown) -> None:
        self._refused = time.monotonic() + self.patience_s, error
        self.close()

    def close(self) -> None:
        """End the shell there, and with it the folder for sockets."""
        with self._lock:
            if self._shell:
                self._shell.close()
                self._shell = None

    def start(self, arguments: Sequence[str]) -> Start:
        """Return how a worker is started there, with these arguments."""
        return self.command([self._files[worker()], *arguments])

    def command(self, words: Sequence[str]) -> Start:
        """Return how any program is started there."""
        return Start(command(self.prefix), environment(), shlex.join(words), marker())

    def asked(self, script: str) -> str:
        """Return what these commands print there.

        Raises:
            NodeDown: the node has gone, or a command failed.
        """
        with self._lock:
            return self._open().ask(script)

    def _open(self) -> Shell:
        if self._shell is None:
            raise NodeDown("its shell has ended", where=f"nodes.{self.name}")
        return self._shell

    @property
    def reached_by(self) -> dict[str, Any]:
        """Return what a result keeps of how it was reached."""
        own = self.facts.address
        return {
            "prefix": shlex.join(self.prefix),
            "interface": own.interface,
            "address": own.address,
            "network_id": self.facts.network,
            "clock_id": self.facts.clock,
        }

    def path(self, path: Path) -> str:
        """Return where a file is there that `ready` has sent."""
        return self._files[path]

    def keep(self, path: Path) -> str:
        """Send a file that nobody else there may read and that goes with the shell, unless it is
        there; return where it is.

        Raises:
            NodeDown: the node has gone, or has no room.
            OSError: the file cannot be read here.
        """
        with self._lock:
            if path not in self._kept:
                data = files.content(path)
                name = f"{len(self._kept)}{path.suffix}"
                self._open().give(f"busmark_keep {shlex.quote(name)} {len(data)}", data)
                self._kept[path] = f"{self.run_dir}/kept/{name}"
            return self._kept[path]

    @property
    def run_dir(self) -> str:
        """Folder on the node for sockets and pipes."""
        assert self._site
        return self._site.run_dir

    def lacks(self, adapter: Path) -> str | None:
        """Return why this adapter's library, which `ready` has sent, cannot be used there; None if
        it can.

        Raises:
            NodeDown: the node has gone, or the library hangs while it is loaded.
        """
        program, library = (shlex.quote(self._files[path]) for path in (worker(), adapter))
        with self._lock:
            # What a library prints while it is loaded is no part of the answer.
            command = f'{program} describe {library} 2>"$run/said" || cat "$run/said"'
            said = self._open().ask(command).strip()
        try:
            reason = json.loads(said)["reason"]
        except (ValueError, KeyError, TypeError, RecursionError):
            why = said.removeprefix("busmark-worker: ")[:MOST_SAID] or "it ends the worker"
            return f"its library cannot be loaded there: {why}"
        return None if reason is None else str(reason)[:MOST_SAID]

    def counters(self) -> Counters:
        """Read its kernel's counters, as they are now.

        Raises:
            NodeDown: the node has gone.
        """
        with self._lock:
            return site.counters_of(self._open())

    def condition(self, processes: Sequence[int]) -> Condition:
        """Read its state, and where threads of these processes run, now.

        Raises:
            NodeDown: the node has gone.
        """
        with self._lock:
            return site.condition_of(self._open(), processes)

    def hurry(self, process: int) -> None:
        """Let a process of ours, which ran in the idle class, run as others do, if that can be.

        Raises:
            NodeDown: the node has gone.
        """
        with self._lock:
            self._open().ask(f"chrt -o -p 0 {process} 2>&1 || :")

    def end(self, processes: Iterable[int]) -> None:
        """End these workers, if they are still alive.

        Raises:
            NodeDown: the node has gone.
        """
        with self._lock:
            self.ready()
            self._open().ask("busmark_end " + " ".join(map(str, processes)))


AT_ONCE = 8
"""Nodes that are reached, and files sent to, at the same time."""


class Nodes:
    """The nodes that a scenario names."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._nodes = {node.name: node for node in nodes}

    @property
    def names(self) -> list[str]:
        """Names of all nodes, in the scenario's order."""
        return list(self._nodes)

    def named(self, name: str) -> list[Node]:
        """Return the node of this name, or the nodes of the group."""
        if name in self._nodes:
            return [self._nodes[name]]
        return [node for node in self._nodes.values() if node.group == name]

    def usable(self, names: Iterable[str], wanted: Collection[Path]) -> list[Node]:
        """Return the nodes of these names; of groups, the nodes that can be used now. All are
        reached, and have these files, afterwards.

        Raises:
            NodeDown: one that is named cannot be used, or none of a group.
        """
        meant = {name: self.named(name) for name in dict.fromkeys(names)}
        members = list(dict.fromkeys(node for nodes in meant.values() for node in nodes))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            troubles = dict(
                zip(members, pool.map(lambda n: _trouble(n, wanted), members), strict=True)
            )
        found: list[Node] = []
        for nodes in meant.values():
            good = [node for node in nodes if troubles[node] is None]
            found += good
            if not good:
                raise next(error for node in nodes if (error := troubles[node]))
        return found

    def close(self) -> None:
        """End the shells on all nodes."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(Node.close, self._nodes.values()))


def end_there(processes: Iterable[tuple[Node, int]]) -> NodeDown | None:
    """End these processes of ours on their nodes, whatever became of the way to them. Return why a
    node cannot be asked, if there is one: what runs on it ends by itself when its input closes."""
    numbers: dict[Node, list[int]] = {}
    for node, number in processes:
        numbers.setdefault(node, []).append(number)
    reason = None
    for node, own in numbers.items():
        try:
            node.end(own)
        except NodeDown as error:
            reason = error
    return reason


def _trouble(node: Node, wanted: Collection[Path]) -> NodeDown | None:
    """Return why a node cannot be used now."""
    try:
        node.ready(wanted)
    except NodeDown as error:
        return error
    return None
