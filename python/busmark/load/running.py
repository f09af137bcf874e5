"""Loads while they run: several at once, each by its tool, at one place or several."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from busmark.errors import UserError
from busmark.load.part import (
    BLOCK_BYTES,
    DATAGRAM_BYTES,
    TOOLS,
    Account,
    Kind,
    Load,
    LoadPart,
    LoadSite,
    cpu_or_disk,
    preparation,
    receiver,
    sender,
)
from busmark.processes import Killed

FOREVER_S = 24 * 3600.0
LISTEN_S = 10.0
"""Time for which a sender is started again until its receiver listens."""
BEGIN_S = 20.0
"""A load that does nothing for this time is not running."""
LOOK_S = 0.02
PORTS = range(20_000, 32_000)
"""Ports of loads, below the ones that systems give out by themselves."""

LOADING_BYTES = 64 << 10
"""More than a program reads of itself and its libraries before it begins."""

LEAST = {"cpu": 0.02, "net": DATAGRAM_BYTES, "disk": BLOCK_BYTES}
"""Least work of a load that runs: seconds of a CPU; a datagram; a block read and one written."""

Sites = Callable[[Load], Sequence[LoadSite]]
"""Places where a load runs; for a load of the network from the first to the last."""


class NotRunning(UserError):
    """Raised where a load was started and does nothing."""


class _One:
    """A background load while it runs."""

    def __init__(self, load: Load, folder: Path, limit_s: float) -> None:
        self.load = load
        self.parts: list[LoadPart] = []
        """For a network load, the receiver and the sender."""
        self.on: dict[str, float | None] = {}
        """Level that was achieved, by node; for a load of the network the receiver's."""
        self._folder, self._limit_s = folder, limit_s
        self._begin: list[Account] = []
        self._end: list[Account] = []

    def start(self, sites: Sequence[LoadSite]) -> None:
        """Start the load and wait until it loads."""
        if self.load.kind == "net":
            address, port = sites[-1].address, random.choice(PORTS)
            self._add(sites[-1], receiver(address, port))
            sending = sender(self.load, address, port, self._limit_s)
            self._add(sites[0], sending)
        else:
            for site in sites:
                self._add(site, cpu_or_disk(self.load, self._limit_s))
        first: dict[LoadPart, Account] = {}
        begun = time.monotonic()
        while True:
            now = [part.account() for part in self.parts]
            if self.load.kind == "net" and now[0].runs and not now[1].runs:
                # A sender that finds no receiver ends at once.
                why = self.parts.pop().ended()
                if time.monotonic() > begun + LISTEN_S:
                    raise why
                time.sleep(LOOK_S)
                self._add(sites[0], sending)
                continue
            self._check(now)
            since = [
                first.setdefault(part, each) for part, each in zip(self.parts, now, strict=True)
            ]
            if all(done >= LEAST[self.load.kind] for done in self._amounts(since, now)):
                return
            if time.monotonic() > begun + BEGIN_S:
                raise NotRunning(
                    f"load {self.load.kind}: {TOOLS[self.load.kind]} was started and does nothing "
                    f"for {BEGIN_S:g} s",
                    remedy=f"Try `busmark load {self.load.kind}` by itself.",
                )
            time.sleep(LOOK_S)

    def _add(self, site: LoadSite, tool: list[str]) -> None:
        output = self._folder / f"load.{self.load.kind}.{site.name}.{len(self.parts)}.txt"
        before = preparation(self.load)
        self.parts.append(LoadPart(site, f"load {self.load.kind}", tool, output, before))

    def _check(self, now: Sequence[Account]) -> None:
        """Raise `Killed` where a part has ended. Where several have, name one that was killed: it
        takes its peer with it, which ends by an ordinary exit."""
        ended = [part.ended() for part, each in zip(self.parts, now, strict=True) if not each.runs]
        if ended:
            raise next((each for each in ended if "killed by" in str(each)), ended[0])

    def _amounts(self, since: Sequence[Account], now: Sequence[Account]) -> list[float]:
        """Return what was done between two moments, by each part: seconds of CPU, or bytes; of a
        disk read and as much written; of a network sent, or what came in where that is not
        known."""
        pairs = list(zip(since, now, strict=True))
        if self.load.kind == "cpu":
            return [last.cpu_s - first.cpu_s for first, last in pairs]
        read = [last.read_bytes - first.read_bytes for first, last in pairs]
        written = [last.written_bytes - first.written_bytes for first, last in pairs]
        if self.load.kind == "disk":
            return [min(each) for each in zip(read, written, strict=True)]
        # A client of iperf3 may send in a way that the kernel does not count here; and a program
        # reads when it is loaded.
        return [written[-1] or max(read[0] - LOADING_BYTES, 0)]

    def begin(self) -> None:
        """Begin to count what the load does."""
        self._begin = [part.account() for part in self.parts]

    def end(self) -> None:
        """End the count of what the load does.

        Raises:
            Killed: it has ended before.
        """
        self._end = [part.account() for part in self.parts]
        self._check(self._end)

    def stop(self) -> float | None:
        """End the load and return what it achieved on the node where that was least, in the unit of
        its level; None where it is not known."""
        # The sender of a load of the network, which is the last, ends first.
        said = [part.stop() for part in reversed(self.parts)]
        seconds = [b.moment_s - a.moment_s for a, b in zip(self._begin, self._end, strict=True)]
        if self.load.kind == "net":
            # A server of iperf3 may receive in a way that the kernel does not count.
            came = self._end[0].read_bytes - self._begin[0].read_bytes
            level = came * 8 / seconds[0] if came and seconds[0] > 0 else _own_rate(said[-1])
            self.on = {self.parts[0].site.name: level}
        else:
            done = self._amounts(self._begin, self._end)
            for part, amount, length in zip(self.parts, done, seconds, strict=True):
                whole = length * (part.site.cpus or 0) if self.load.kind == "cpu" else length
                self.on[part.site.name] = amount / whole if whole > 0 else None
        known_levels = [value for value in self.on.values() if value is not None]
        return min(known_levels) if len(known_levels) == len(self.on) else None

    def kill(self) -> None:
        for part in reversed(self.parts):
            part.stop()


def _own_rate(said: str) -> float | None:
    """Return the rate that the receiver states of all its time, in bits per second; or None."""
    try:
        whole = json.loads(said[said.index("{") : said.rindex("}") + 1])
        return float(whole["end"]["sum_received"]["bits_per_second"])
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None


class Running:
    """Loads that run at once."""

    def __init__(self, loads: Sequence[Load], folder: Path, limit_s: float = FOREVER_S) -> None:
        """Prepare the loads; none runs yet.

        Args:
            folder: on this machine, for the output of the tools.
            limit_s: time after which they end by themselves.
        """
        self.loads = list(loads)
        """Loads that were asked for."""
        self._running = [_One(load, folder, limit_s) for load in loads]
        self._killed = False

    def start(self, sites: Sites) -> None:
        """Start the loads and wait until each is seen to load.

        Raises:
            UserError: one does nothing (`NotRunning`).
            Killed: one ended at once.
        """
        try:
            for each in self._running:
                each.start(sites(each.load))
            for each in self._running:
                each.begin()
            if self._killed:
                raise Killed("the loads were ended while they began")
        except BaseException:
            self.kill()
            raise

    @property
    def parts(self) -> list[LoadPart]:
        """The tools at work."""
        return [part for each in self._running for part in each.parts]

    @property
    def on(self) -> dict[Kind, dict[str, float | None]]:
        """Return what was achieved, by kind and node; known when it has ended."""
        return {each.load.kind: each.on for each in self._running}

    def stop(self) -> dict[Kind, float | None]:
        """End the loads and return, by kind, what each achieved since all of them ran, in the unit
        of its level: on several nodes the least; None where it is not known.

        Raises:
            Killed: one had ended before.
        """
        try:
            # All are read before the first is ended.
            for each in self._running:
                each.end()
            return {each.load.kind: each.stop() for each in self._running}
        finally:
            self.kill()

    def kill(self) -> None:
        """End the loads at once, also while another thread starts them."""
        self._killed = True
        for each in self._running:
            each.kill()


def start(loads: Sequence[Load], sites: Sites, folder: Path, limit_s: float = FOREVER_S) -> Running:
    """Start loads as `Running.start` does, and return them."""
    running = Running(loads, folder, limit_s)
    running.start(sites)
    return running
