"""Kills one process of a campaign at a random moment, again and again.

As a program it is a soak test; `test_e2e_kills.py` makes a few of its trials:

    python python/tests/e2e/kill_trials.py --trials 100 --seed 1

Campaigns run on the nodes of a lab, with delay, so that a forwarder runs, and partly under load.
Each trial kills the controller, a worker, the forwarder, the command that starts a process on a
node, the check of the lab, the load, or what reads the system's counters (without which a round
continues). No finished round may change, the campaign must continue or be resumable, and after the
next command nothing of a killed run may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from e2e_harness import (
    Lab,
    assert_complete,
    assert_intact,
    end,
    events,
    eventually,
    fingerprints,
    rows,
    scenario,
    strike,
    tidy,
)

VICTIMS = {
    "controller": 4,
    "worker": 3,
    "forwarder": 3,
    "prefix": 3,
    "load": 3,
    "check": 1,
    "counters": 1,
}
"""Who may be killed, and how often beside the others."""
ADAPTERS = ("udp", "tcp", "cyclonedds")
LOADS = ("", "net 5mbit", "cpu 20%", "disk 1MB")
ROUNDS = 3
RETRIES = 6
SEARCH_S = 15.0
"""A victim that does not appear within this time will not appear."""
SHARED_MEMORY = Path("/dev/shm")
LABS = Path("/run/busmark/labs")
NAMESPACES = Path("/run/netns")

Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One kill and what came of it."""

    victim: str
    outcome: str
    reason: str = ""
    """Reason of the attempt that failed."""


@dataclass
class Finished:
    """Rounds that have ended: their files' content and their rows."""

    files: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def of(cls, out: Path) -> Finished:
        """What is there now."""
        if not (out / "manifest.json").exists():
            return cls()
        return cls(fingerprints(out), [row for row in rows(out) if row["status"] != "failed"])

    def assert_kept(self, out: Path) -> None:
        """All of it is still there, unchanged."""
        now = Finished.of(out)
        assert self.files.items() <= now.files.items(), "files of a finished round have changed"
        assert all(row in now.rows for row in self.rows), "the row of a finished round has changed"


def victim_of(command: str) -> str | None:
    """What a child of the controller is."""
    if command.startswith(("ip netns exec", "setpriv")):
        return "prefix"
    marks = {" participate": "worker", "busmark-forwarder": "forwarder", "iperf3": "load",
             "stress-ng": "load", "fio ": "load", "probe.py": "check",
             "busmark-worker counters": "counters"}  # fmt: skip
    return next((victim for mark, victim in marks.items() if mark in command), None)


def children(process: int) -> Iterator[tuple[int, str]]:
    """Children of a process, with their commands; all that a campaign starts are the controller's
    own, for a prefix such as `ip netns exec` becomes the command."""
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found = [int(pid) for pid in task.read_text().split()]
        except OSError:
            continue
        for pid in found:
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            yield pid, words.decode(errors="replace")


class Campaigns:
    """Campaigns, one after the other, each struck until it is complete."""

    def __init__(self, lab: Lab, seed: int, victims: dict[str, int] | None = None) -> None:
        self.lab = lab
        self.chance = random.Random(seed)
        self.victims = victims or VICTIMS
        self.controllers: list[int] = []
        self._shared_memory = set(SHARED_MEMORY.iterdir())
        self._number = 0

    def trials(self, number: int) -> Iterator[Trial]:
        """So many trials; the campaign of the last one is finished too."""
        made = 0
        while made < number:
            for trial in self._campaign(number - made):
                made += 1
                yield trial

    def _campaign(self, limit: int) -> Iterator[Trial]:
        out = self.lab.folder / f"result{self._number}"
        name = f"scenario{self._number}.toml"
        self._number += 1
        cases = self._write_scenario(name)
        made = 0
        while True:
            arguments = ["run", "--resume"] if (out / "manifest.json").exists() else ["run", name]
            with tidy(self.lab.start(*arguments, "--out", out)) as process:
                self.controllers.append(process.pid)
                while made < limit and (trial := self._strike(process, out)):
                    made += 1
                    yield trial
                    if trial.victim == "controller":
                        break
                else:
                    ended = end(process)
                    assert ended.code == 0, ended.text
                    break
            self._after_death(out)
        assert_complete(out, cases, ROUNDS)
        self.assert_nothing_left()
        assert not list(self.lab.scratch.glob("busmark-*")), "a temporary folder is left"
        left = {path for path in SHARED_MEMORY.iterdir() if path.name.startswith("busmark")}
        assert left <= self._shared_memory, "shared memory is left"

    def _write_scenario(self, name: str) -> int:
        """A small campaign; the number of its cases."""
        adapters = self.chance.sample(ADAPTERS, 2)
        load = self.chance.choice(LOADS)
        nodes = self.chance.choice([2, 3])
        delays = self.chance.choice([["1ms"], ["1ms", "2ms"]])
        matrix = f"adapter = {json.dumps(adapters)}\nlink.delay = {json.dumps(delays)}\n"
        matrix += f'load = "{load}"'
        # On a busy machine a short round may see none of a load, and fail.
        length = 1.0 if load else 0.3
        measure = f"duration_s = {length}\nwarmup_s = 0.05\nmax_samples = 5000\ntimeout_s = 0.5"
        text = scenario(
            matrix,
            measure=measure,
            rounds=f"min = {ROUNDS}\nretries = {RETRIES}",
            run="hang_s = 10",
            criteria="min_samples = 1\nmatch_timeout_s = 5\nmin_load = 0\nmin_rate = 0",
            also=f"[lab]\nnodes = {nodes}",
        )
        self.lab.scenario(text, name)
        return len(adapters) * len(delays)

    def _strike(self, process: subprocess.Popen[str], out: Path) -> Trial | None:
        """Kills somebody; None if the campaign had ended before."""
        wanted = len(events(out)) + self.chance.choice([0, 0, 1, 2, 3])
        eventually(
            lambda: process.poll() is not None or len(events(out)) >= wanted,
            lambda: f"{len(events(out))} events, waiting for {wanted}",
        )
        kinds, weights = zip(*self.victims.items(), strict=True)
        victim = self.chance.choices(kinds, weights)[0]
        if victim == "controller":
            time.sleep(self.chance.uniform(0, 1.0))
            return self._strike_controller(process, out)
        # A prefix is there for milliseconds: whoever waits misses it.
        time.sleep(0 if victim == "prefix" else self.chance.uniform(0, 0.7))
        pid = self._find(process, victim)
        if pid is None:
            return self._strike(process, out) if process.poll() is None else None
        before, told = Finished.of(out), len(events(out))
        if not strike(pid):
            return self._strike(process, out)
        trial = self._outcome(process, out, victim, told)
        before.assert_kept(out)
        return trial

    def _strike_controller(self, process: subprocess.Popen[str], out: Path) -> Trial | None:
        if process.poll() is not None:
            return None
        # Between the two signals it does nothing, so that what it had told is known.
        os.kill(process.pid, signal.SIGSTOP)
        before = Finished.of(out)
        told = {
            (event["case"], event["round"])
            for event in events(out) if event["event"] == "round_ends"
        }  # fmt: skip
        assert told <= {(row["case"], row["round"]) for row in before.rows}
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before.assert_kept(out)
        return Trial("controller", f"killed, {'some' if told else 'no'} rounds had ended")

    def _after_death(self, out: Path) -> None:
        """The next command: a resumption, or one that has nothing to do with the campaign."""
        if (out / "manifest.json").exists():
            assert_intact(out)
        if self.chance.random() < 0.5:
            ended = self.lab.busmark("lab", "list")
            assert ended.code in (0, 1), ended.text
            self.assert_nothing_left()

    def _find(self, process: subprocess.Popen[str], victim: str) -> int | None:
        """A process of this kind, as soon as there is one."""
        until = time.monotonic() + SEARCH_S
        while process.poll() is None and time.monotonic() < until:
            if found := [pid for pid, as_called in children(process.pid)
                         if victim_of(as_called) == victim]:  # fmt: skip
                return self.chance.choice(found)
            time.sleep(0 if victim == "prefix" else 0.01)
        return None

    def _outcome(self, process: subprocess.Popen[str], out: Path, victim: str, told: int) -> Trial:
        """What becomes of the round that has lost a process."""

        def ends() -> list[Row]:
            return [e for e in events(out)[told:] if e["event"] in ("round_failed", "round_ends")]

        eventually(lambda: process.poll() is not None or ends(), lambda: "no round ends")
        if not ends():
            ended = end(process)
            assert ended.code == 0, f"{victim} killed: {ended.text}"
            return Trial(victim, "the campaign had ended")
        first = ends()[0]
        if first["event"] == "round_ends":
            return Trial(victim, "the round ended well all the same")
        reason = str(first["reason"])
        assert "killed by SIGKILL" in reason or "forwarder has ended" in reason, reason
        # No round is struck again and again, or it would be given up in the end.
        eventually(
            lambda: process.poll() is not None or any(e["event"] == "round_ends" for e in ends()),
            lambda: "no round ends after the strike",
        )
        return Trial(victim, "the attempt failed and was made again", reason)

    def assert_nothing_left(self) -> None:
        """Asserts that campaigns that have ended or were killed leave no process, namespace or file
        of a lab.

        Links and packet rules are in the namespaces and go with them.
        """
        eventually(lambda: not self.lab.processes(), lambda: f"alive: {self.lab.processes()}")
        names = tuple(f"r{pid}x" for pid in self.controllers)
        for folder, prefix in ((NAMESPACES, "busmark-"), (LABS, "")):
            entries = folder.iterdir() if folder.is_dir() else []
            left = [e.name for e in entries if e.name.removeprefix(prefix).startswith(names)]
            assert not left, f"{folder}: {left}"
        links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True)
        assert " p1@" not in links.stdout and "lan0" not in links.stdout, links.stdout


def main() -> None:
    """Makes trials and prints each as JSON, then how often each victim came to what."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    # So that what it has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    counted: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="bm-kills-") as folder:
        place = Path(folder)
        (place / "tmp").mkdir()
        campaigns = Campaigns(Lab(place, place / "tmp"), asked.seed)
        try:
            for trial in campaigns.trials(asked.trials):
                counted[trial.victim, trial.outcome] += 1
                print(json.dumps({"seed": asked.seed, **asdict(trial)}), flush=True)
        finally:
            for pid in campaigns.lab.processes():
                strike(pid)
    for (victim, outcome), number in sorted(counted.items()):
        print(f"{number:5}  {victim:10}  {outcome}")


if __name__ == "__main__":
    sys.exit(main())
