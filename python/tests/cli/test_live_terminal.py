"""A screen on a real terminal that goes, or takes nothing any more, and what signals do then."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import pytest

WATCHDOG_S = 120.0
PROGRAM = """
import json, sys, threading, time
from busmark.plugins.bus.watching import Watching
from busmark.cli.live import app
from busmark.plugins.bus.live.conduct import run
from busmark.plugins.bus.live.watch_app import WatchApp

messages = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]

class Feed:
    dropped = 0
    def next(self, within_s):
        return messages.pop(0) if messages else None
    def give(self, to, task):
        pass

class Busy(WatchApp):
    def heading(self, state):
        # Another text each time.
        return f"{time.monotonic_ns()} ".ljust(2000, "x")

def look():
    def full():
        thread = screen._driver and screen._driver._writer_thread
        return thread and thread._queue.full()
    while not full():
        time.sleep(0.01)
    print("full", file=open(sys.argv[2], "w"))

app.EVERY_S = 0.002
screen = Busy(Watching(Feed()), "here")
if len(sys.argv) > 2:
    threading.Thread(target=look, daemon=True).start()
screen.take = lambda: WatchApp.take(screen) or True
run(screen)
if len(sys.argv) == 2:
    print("the end")
"""
RECORDED = os.path.join(os.path.dirname(__file__), "recorded", "session.jsonl")


class Shown:
    """A screen that paints a lot, and our end of its terminal."""

    def __init__(self, *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, RECORDED, *arguments], stdin=theirs, stdout=theirs,
            stderr=theirs, env={**os.environ, "TERM": "xterm-256color"}, start_new_session=True,
        )  # fmt: skip
        self.theirs = theirs
        self.painted = b""

    def until(self, condition: Callable[[], object], *, reads: bool = True) -> None:
        deadline = time.monotonic() + WATCHDOG_S
        while not condition():
            assert time.monotonic() < deadline, self.painted[-2000:]
            if not reads:
                time.sleep(0.05)
            elif select.select([self.ours], [], [], 0.1)[0]:
                self.painted += os.read(self.ours, 65536)

    def hang_up(self) -> None:
        os.close(self.theirs)
        os.close(self.ours)
        self.theirs = self.ours = -1


@pytest.fixture
def shown(request: pytest.FixtureRequest) -> Iterator[Callable[..., Shown]]:
    made: list[Shown] = []

    def make(*arguments: str) -> Shown:
        made.append(Shown(*arguments))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
        one.process.wait()
        for end in (one.ours, one.theirs):
            if end >= 0:
                os.close(end)


def test_a_screen_ends_with_its_terminal(shown: Callable[..., Shown]) -> None:
    screen = shown()
    screen.until(lambda: b"transceiver" in screen.painted)
    screen.hang_up()
    screen.process.wait(WATCHDOG_S)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_screen_and_the_terminal_is_as_it_was(
    shown: Callable[..., Shown], number: signal.Signals
) -> None:
    screen = shown()
    screen.until(lambda: b"transceiver" in screen.painted)
    assert termios.tcgetattr(screen.theirs) != screen.before
    screen.process.send_signal(number)
    screen.until(lambda: b"the end" in screen.painted)
    assert screen.process.wait(WATCHDOG_S) == 0
    assert b"\x1b[?1049l" in screen.painted and b"\x1b[?25h" in screen.painted
    assert termios.tcgetattr(screen.theirs) == screen.before


def test_a_signal_ends_a_screen_whose_terminal_takes_nothing(
    shown: Callable[..., Shown], tmp_path: object
) -> None:
    full = os.path.join(str(tmp_path), "full")
    screen = shown(full)
    screen.until(lambda: os.path.exists(full), reads=False)
    screen.process.send_signal(signal.SIGTERM)
    screen.process.wait(WATCHDOG_S)
    assert termios.tcgetattr(screen.theirs) == screen.before
