"""Who can do a task, and how to make them do it."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from bare import Bare
from catalogue import BARE, HELP, INLINED, LAYER, LAYERS, OURS, PYTHON, Group
from meeting import BareMeeting, OurMeeting
from ours import Ours, wanted
from peers import Peers
from session import Settings
from task import MAIN, MeasurementError, Task, Values

COMMANDS = {
    HELP: [sys.executable, "-m", "busmark", "--help"],
    PYTHON: [sys.executable, "-c", "pass"],
}


class Contestants:
    """The contestants of a bench session."""

    def __init__(self, seconds: float, warmup_s: float, folder: Path) -> None:
        self.ours = Ours(seconds, warmup_s, folder)
        self.bare = Bare(seconds, warmup_s, folder, self.ours.server)
        self.peers = Peers(seconds, folder)
        self.our_meeting, self.bare_meeting = OurMeeting(self.ours), BareMeeting()

    def close(self) -> None:
        """End what is left of an interrupted measurement."""
        self.ours.close()

    def settings(self, group: Group) -> Settings:
        """Return the settings of our adapter, and the settings that it would need but lacks."""
        if group.task is None or self.ours.unavailable(group.task):
            return Settings()
        used = self.ours.settings(group.task)
        return Settings(used, {k: v for k, v in wanted(group.task).items() if k not in used})

    def unavailable(self, name: str, group: Group) -> str | None:
        """Return the reason why it cannot take part; None if it can."""
        if group.task is None:
            return None
        if len(set(group.task.cpus)) == 1 and group.task.placement == "different":
            return "there is one CPU only"
        if name == OURS:
            return self.ours.unavailable(group.task)
        if name in (BARE, INLINED):
            return self.bare.unavailable(group.task)
        if name == LAYER:
            return self.bare.unavailable(below(group.task))
        return self.peers.unavailable(name)

    def measure(self, name: str, group: Group) -> Values:
        """Measure once, in fresh processes. Raise `MeasurementError` if that fails."""
        if group.task is None:
            return start_up(name)
        if group.task.test == "discovery":
            ours = name == OURS
            return (self.our_meeting if ours else self.bare_meeting).measure(group.task)
        if name == OURS:
            return self.ours.measure(group.task)
        if name in (BARE, INLINED):
            return self.bare.measure(group.task, inlined=name == INLINED)
        if name == LAYER:
            return self.bare.measure(below(group.task))
        return self.peers.measure(name, group.task)


def below(task: Task) -> Task:
    """Return the same task over the library that the adapter's layer lies over."""
    return replace(task, adapter=LAYERS[task.adapter])


def start_up(name: str) -> Values:
    """Measure the time from a command's start to its end, in seconds."""
    begin = time.perf_counter()
    done = subprocess.run(COMMANDS[name], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise MeasurementError(f"{name}: exit code {done.returncode}")
    return {MAIN: seconds}
