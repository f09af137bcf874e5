"""Plants faults of every kind into campaigns, here and on nodes reached by ssh, and counts what is
lost and what is left.

    python python/tests/e2e/fault_trials.py --trials 1000 --seed 1 --out faults.json

A trial is one fault at a random moment of a campaign of short rounds. *Lost* are rounds that had
finished before and are not there, or not the same, afterwards. *Left* are processes, and files in
the temporary folder and in shared memory, once the campaign has been finished. A campaign that ends
is resumed until it is complete. What ends in a traceback, hangs, or cannot be resumed fails its
trial. What a worker says wrongly is taken from `test_e2e_worker_faults.py`, and kills
in a lab's network from `kill_trials.py`. As root.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from e2e_harness import (
    Ended,
    Lab,
    assert_complete,
    assert_intact,
    count,
    end,
    eventually,
    scenario,
    strike,
    tidy,
)
from kill_trials import ADAPTERS, Campaigns, Finished
from nodes_harness import beside_sshd, on_nodes, ssh
from test_e2e_worker_faults import HANGING, PROMPT, assert_told, run_with_faults

ROUNDS = 8
STRIKES = 5
"""Trials of one kind in one campaign."""
SHARED_MEMORY = Path("/dev/shm")
WATCHDOG_S = 300.0
"""A command that takes so long hangs: it waits for nothing longer than its hang_s."""


@dataclass
class Campaign:
    """One that is struck, and how it is started."""

    lab: Lab
    out: Path
    process: subprocess.Popen[str]
    chance: random.Random

    @property
    def controller(self) -> int | None:
        """The process that conducts it, behind the commands of its prefix."""
        return max(self.find(lambda command: " -m busmark run" in command and "unshare" not in
                             command and "with_sshd" not in command), default=None)  # fmt: skip

    def find(self, wanted: Callable[[str], bool]) -> list[int]:
        """Processes of its own with such commands, as soon as there is one."""

        def found() -> list[int]:
            return [pid for pid, command in self.lab.processes().items() if wanted(command)]

        eventually(lambda: found() or self.process.poll() is not None,
                   lambda: f"not found: {self.lab.processes()}")  # fmt: skip
        return found()

    def kill(self, wanted: Callable[[str], bool], what: int = signal.SIGKILL) -> None:
        """Sends a signal to one of them."""
        if found := self.find(wanted):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.chance.choice(found), what)

    def signal(self, *signals: int) -> None:
        """To the controller, one after the other."""
        controller = self.controller
        for each in signals if controller else ():
            assert controller
            with contextlib.suppress(ProcessLookupError):
                os.kill(controller, each)
            time.sleep(self.chance.uniform(0, 0.3))

    def limit(self, of: int, value: int) -> None:
        """Limits the controller from now on."""
        if controller := self.controller:
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(controller, of, (value, value))

    def leave(self, more: int) -> None:
        """So many more bytes may be addressed by the controller."""
        if controller := self.controller:
            with contextlib.suppress(OSError):
                pages = int(Path(f"/proc/{controller}/statm").read_text().split()[0])
                self.limit(resource.RLIMIT_AS, pages * resource.getpagesize() + more)

    def again(self, *arguments: str | Path) -> None:
        """A second command for the same directory is refused while there are rounds to come."""
        ended = self.lab.busmark(*arguments, "--out", self.out)
        ends = self.process.poll() is not None or count(self.out, "round_ends") >= ROUNDS
        assert ended.code == 2 or ends, ended.text

    def fill(self, folder: Path) -> None:
        """Leaves no room on the disk of a folder."""
        with contextlib.suppress(OSError), (folder / "filler").open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()


def worker(command: str) -> bool:
    return " participate" in command


Plant = Callable[[Campaign], None]
LOCAL: dict[str, Plant] = {
    "worker killed": lambda c: c.kill(worker),
    "worker stopped": lambda c: c.kill(worker, signal.SIGSTOP),
    "worker terminated": lambda c: c.kill(worker, signal.SIGTERM),
    "reader of counters killed": lambda c: c.kill(lambda command: " counters " in command),
    "controller killed": lambda c: c.signal(signal.SIGKILL),
    "controller and its group killed": lambda c: os.killpg(c.process.pid, signal.SIGKILL),
    "controller stopped, then continued": lambda c: c.signal(signal.SIGSTOP, signal.SIGCONT),
    "controller terminated": lambda c: c.signal(signal.SIGTERM),
    "controller interrupted": lambda c: c.signal(signal.SIGINT),
    "controller interrupted twice": lambda c: c.signal(signal.SIGINT, signal.SIGINT),
    "terminal closed (SIGHUP)": lambda c: c.signal(signal.SIGHUP),
    "no more descriptors": lambda c: c.limit(resource.RLIMIT_NOFILE, 8),
    "no more memory (address space)": lambda c: c.leave(4 << 20),
    "no larger files": lambda c: c.limit(resource.RLIMIT_FSIZE, 4096),
    "disk of the result full": lambda c: c.fill(c.out.parent),
    "disk of temporary files full": lambda c: c.fill(c.lab.scratch),
    "second run in its directory": lambda c: c.again("run", "scenario.toml"),
    "second resumption": lambda c: c.again("run", "--resume"),
    "directory removed": lambda c: shutil.rmtree(c.out, ignore_errors=True),
}
SERVED: dict[str, Plant] = {
    "server killed": lambda c: c.kill(lambda command: command.startswith("mosquitto")),
    "server stopped": lambda c: c.kill(
        lambda command: command.startswith("mosquitto"), signal.SIGSTOP
    ),
}
REMOTE: dict[str, Plant] = {
    **{name: LOCAL[name] for name in (
        "worker killed", "worker stopped", "reader of counters killed", "controller killed",
        "controller terminated", "controller interrupted", "no more descriptors",
    )},
    "ssh killed": lambda c: c.kill(lambda command: command.startswith("ssh ")),
    "ssh stopped": lambda c: c.kill(lambda command: command.startswith("ssh "), signal.SIGSTOP),
    "sshd of a connection killed": lambda c: c.kill(lambda c: c.startswith("sshd: root@")),
    "shell of a node killed": lambda c: c.kill(lambda command: command == "sh "),
}  # fmt: skip


@dataclass
class Row:
    """Trials of one kind in one place."""

    kind: str
    place: str
    count: int = 0
    lost: int = 0
    left: int = 0
    failures: list[str] = field(default_factory=list)


class Trials:
    """Campaigns of all kinds, one after the other."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.rows: dict[tuple[str, str], Row] = {}
        self._number = 0

    def make(self, number: int, only: str = "") -> None:
        """At least so many trials."""
        kinds = [(kind, "here") for kind in (*LOCAL, *SERVED)]
        kinds += [(kind, "nodes by ssh") for kind in REMOTE]
        kinds += [("", "worker"), ("", "lab")]
        kinds = [(kind, place) for kind, place in kinds if only in f"{kind} {place}"]
        while sum(row.count for row in self.rows.values()) < number:
            self.chance.shuffle(kinds)
            for kind, place in kinds:
                self._one(kind, place)

    def _one(self, kind: str, place: str) -> None:
        self._number += 1
        folder = self.folder / f"c{self._number}"
        (folder / "s").mkdir(parents=True)
        lab = Lab(folder, folder / "s")
        before = set(SHARED_MEMORY.iterdir())
        rows: dict[str, Row] = {}
        try:
            rows = {"worker": self._words, "lab": self._lab}.get(
                place, lambda lab: self._struck(lab, kind, place))(lab)  # fmt: skip
        except (Exception, pytest.fail.Exception) as error:
            name = kind or "see the words"
            rows = {name: Row(name, place, 1, failures=[f"{error}"[-2000:]])}
        finally:
            left = self._left(lab, before)
            for pid in lab.processes():
                strike(pid)
            for mount in (folder, folder / "s"):
                subprocess.run(["umount", "-q", str(mount)], check=False)
            shutil.rmtree(folder, ignore_errors=True)
        for name, row in rows.items():
            total = self.rows.setdefault((name, place), Row(name, place))
            total.count += row.count
            total.lost += row.lost
            total.left += len(left)
            total.failures += [*row.failures, *(f"left: {each}" for each in left)]
            print(json.dumps(row.__dict__ | {"place": place, "left": left}), flush=True)

    def _left(self, lab: Lab, before: set[Path]) -> list[str]:
        until = time.monotonic() + 20
        while lab.processes() and time.monotonic() < until:
            time.sleep(0.1)
        files = [path.name for path in lab.scratch.glob("busmark-*")]
        memory = {path.name for path in set(SHARED_MEMORY.iterdir()) - before}
        ours = [name for name in memory if name.startswith("busmark")]
        return [*lab.processes().values(), *files, *ours]

    def _words(self, lab: Lab) -> dict[str, Row]:
        """Each fault of a worker's words in a round of its own."""
        hangs = self.chance.random() < 0.15
        faults = HANGING if hangs else PROMPT
        out, ended = run_with_faults(lab, faults, run=f"hang_s = {3 if hangs else 60}")
        assert ended.code == 0, ended.text
        assert_complete(out, cases=1, rounds=len(faults))
        assert_told(out, faults)
        return {fault: Row(fault, "worker", 1) for fault in faults}

    def _lab(self, lab: Lab) -> dict[str, Row]:
        """Processes of campaigns in a lab's network."""
        rows: dict[str, Row] = {}
        for trial in Campaigns(lab, self.chance.randrange(1 << 30)).trials(STRIKES):
            rows.setdefault(f"{trial.victim} killed", Row(trial.victim, "lab")).count += 1
        return rows

    def _struck(self, lab: Lab, kind: str, place: str) -> dict[str, Row]:
        row, prefix = Row(kind, place), self._prepared(lab, kind, place)
        out = lab.folder / "result"
        while True:
            resuming = (out / "manifest.json").exists()
            words = ("run", "--resume") if resuming else ("run", "scenario.toml")
            with tidy(lab.start(*words, "--out", out, prefix=prefix)) as process:
                while row.count < STRIKES and self._strike(row, lab, out, process):
                    pass
                ended = end(process, WATCHDOG_S)
            for folder in (lab.folder, lab.scratch):
                (folder / "filler").unlink(missing_ok=True)
            if ended.code == 0:
                break
            assert len(row.failures) < 3 and self._plausible(ended), ended.text
        assert_complete(out, cases=1, rounds=ROUNDS)
        return {kind: row}

    def _plausible(self, ended: Ended) -> bool:
        """A command that was struck ends by the signal, or in words."""
        return ended.code < 0 or ended.code in (0, 1, 2, 129, 130, 137, 143)

    def _prepared(self, lab: Lab, kind: str, place: str) -> list[str]:
        """Writes the scenario; the prefix of its commands."""
        rounds = f"min = {ROUNDS}\nretries = 6"
        if place != "here":
            nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
            lab.scenario(on_nodes(nodes, 'adapter = "tcp"', rounds=rounds, run="hang_s = 5"))
            return beside_sshd(lab)
        if kind.startswith("disk"):
            at = lab.scratch if "temporary" in kind else lab.folder
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(at)], check=True)
            lab.scratch.mkdir(exist_ok=True)
        adapter = "mqtt" if kind in SERVED else self.chance.choice(ADAPTERS)
        lab.scenario(scenario(f'adapter = "{adapter}"', rounds=rounds, run="hang_s = 5"))
        return []

    def _strike(self, row: Row, lab: Lab, out: Path, process: subprocess.Popen[str]) -> bool:
        """One fault; whether the campaign continues after it."""
        # Limits are met on the way: a command that begins under one says so at once.
        later = [1, 1, 2] if row.kind.startswith("no ") else [0, 0, 1, 1, 2]
        wanted = count(out, "round_ends") + self.chance.choice(later)
        eventually(
            lambda: process.poll() is not None or count(out, "round_ends") >= wanted,
            lambda: f"no round ends: {lab.processes()}",
        )
        time.sleep(self.chance.uniform(0, 0.5))
        if process.poll() is not None:
            return False
        before = Finished.of(out)
        plant = (REMOTE if row.place != "here" else LOCAL | SERVED)[row.kind]
        plant(Campaign(lab, out, process, self.chance))
        row.count += 1
        told = count(out, "round_ends")
        eventually(
            lambda: process.poll() is not None or count(out, "round_ends") != told,
            lambda: f"neither ends nor continues: {lab.processes()}",
        )
        if row.kind != "directory removed":
            try:
                before.assert_kept(out)
                if (out / "manifest.json").exists():
                    assert_intact(out)
            except AssertionError as error:
                row.lost += 1
                row.failures.append(str(error))
        return process.poll() is None


def table(rows: list[Row]) -> Iterator[str]:
    """In Markdown."""
    yield "| fault | place | trials | lost | left | failed |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in sorted(rows, key=lambda row: (row.place, row.kind)):
        cells = (row.kind, row.place, row.count, row.lost, row.left, len(row.failures))
        yield f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Makes the trials and prints each, then the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="kinds with this in their name")
    parser.add_argument("--out", type=Path, help="the table as JSON")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="bmf-") as folder:
        trials = Trials(Path(folder), asked.seed)
        try:
            trials.make(asked.trials, asked.only)
        finally:
            rows = list(trials.rows.values())
            print("\n".join(table(rows)))
            print(f"{sum(row.count for row in rows)} faults, {sum(row.lost for row in rows)} "
                  f"lost, {sum(row.left for row in rows)} left")  # fmt: skip
            if asked.out:
                asked.out.write_text(json.dumps([row.__dict__ for row in rows], indent=1) + "\n")
    return 1 if any(row.failures for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
