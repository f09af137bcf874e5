"""`busmark watch`, `spot` and `errors` beside real participants on a real DDS: on a screen, in a
pipe, and when a participant is killed."""

from __future__ import annotations

import asyncio
import fcntl
import json
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
from contextlib import ExitStack, closing

import pytest
from e2e_harness import (
    DOMAIN,
    PATIENCE_S,
    WATCHDOG_S,
    Lab,
    end,
    eventually,
    need_adapters,
    tidy,
)
from textual.app import App

from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.caller import Caller
from busmark.plugins.bus.watching import Watching
from busmark.plugins.bus.live.watch_app import WatchApp

BUS = ("--adapter", "cyclonedds", "--domain", str(DOMAIN))


@pytest.fixture(scope="module")
def participants(shared_lab: Lab) -> Iterator[dict[int, subprocess.Popen[str]]]:
    """Applications 3 and 4, between which round trips are measured."""
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        started = {}
        for app in (3, 4):
            words = ("participant", *BUS, "--app", str(app), "--group", "1")
            started[app] = stack.enter_context(tidy(shared_lab.start(*words)))
            output = started[app].stdout
            assert output is not None and "joined" in output.readline()
        assert shared_lab.busmark("bus", "start", "transponder", *BUS, "--app", "4", "--test",
                                  "7").code == 0  # fmt: skip
        start = ("transceiver", *BUS, "--app", "3", "--test", "7", "--from", "4", "--rate", "100",
                 "--duration", "3000", "--timeout", "60")  # fmt: skip
        assert shared_lab.busmark("bus", "start", *start).code == 0
        refused = shared_lab.busmark("bus", "stop", *BUS, "--app", "4", "--test", "99")
        assert refused.code == 2
        yield started


class Terminal:
    """A command on a terminal of 80×24."""

    def __init__(self, lab: Lab, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "busmark", *arguments], cwd=lab.folder, stdin=theirs,
            stdout=theirs, stderr=theirs, env={**lab.environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.painted = b""

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, condition: Callable[[], bool]) -> None:
        """Reads what is painted until it is so."""
        deadline = time.monotonic() + WATCHDOG_S
        while not condition():
            assert time.monotonic() < deadline, self.painted[-2000:]
            if select.select([self._ours], [], [], 0.2)[0]:
                try:
                    self.painted += os.read(self._ours, 65536)
                except OSError:
                    # The other side has been closed.
                    self.process.wait(WATCHDOG_S)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._ours)


@pytest.mark.parametrize(
    ("command", "word"), [("watch", b"transceiver"), ("spot", b"participant"), ("errors", b"99")]
)
def test_a_screen_is_painted_and_left_by_a_key(
    participants: object, lab: Lab, command: str, word: bytes
) -> None:
    with closing(Terminal(lab, command, *BUS)) as terminal:
        terminal.until(lambda: word in terminal.painted)
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0
        assert b"\x1b[?1049l" in terminal.painted, "the terminal is as it was"
    lab.assert_nothing_left()


def test_in_a_pipe_there_are_lines(participants: object, lab: Lab) -> None:
    def found(command: str, *words: str) -> str:
        text: str = eventually(
            lambda: all(
                word in (told := lab.busmark(command, *BUS, "--for", "4").out) for word in words
            ) and told,
            lambda: f"{command} says nothing of {words}",
        )  # fmt: skip
        return text

    live = found("watch", "transceiver 7: answered")
    assert "joined" in live, "those who come late hear what was said before"
    spot = found("spot", "app 3 (group 1): joined", "app 4 (group 1): joined")
    assert "answered" not in spot
    errors = found("errors", "refused: application 4 has no test 99")
    assert "joined" not in errors
    assert not lab.busmark("errors", *BUS, "--app", "3", "--for", "2").out


@pytest.mark.parametrize("command", ["watch", "spot", "errors"])
def test_a_bus_that_cannot_be_joined_is_refused_in_words(lab: Lab, command: str) -> None:
    need_adapters("udp")
    for options, words in (
        (("--adapter", "udp"), "this middleware has no discovery"),
        (("--adapter", "cyclonedd"), "Did you mean cyclonedds?"),
    ):
        ended = lab.busmark(command, *options, "--for", "5")
        assert ended.code == 2 and words in ended.err, ended.text


def test_a_participant_that_is_killed_is_shown_as_gone(
    participants: dict[int, subprocess.Popen[str]], lab: Lab
) -> None:
    bus = Attachment("cyclonedds", domain=DOMAIN)
    spot = lab.start("spot", *BUS, "--json")

    async def look() -> None:
        with Caller.on(bus, live=True, stamped=True) as caller:
            app = WatchApp(Watching(caller), "here")
            async with app.run_test(size=(80, 24)) as pilot:
                await shown(app, pilot.pause, lambda row: "transponder" in row)
                await shown(app, pilot.pause, lambda row: "transceiver 4" in row and "%" in row)
                (four,) = [p for p in app.state().participants.values() if p.app == 4]
                # The process that takes part, which cannot say that it goes.
                os.kill(int(four.word("pid")), signal.SIGKILL)
                await shown(app, pilot.pause, lambda row: "transponder" in row and "gone" in row)

    with tidy(spot):
        assert spot.stdout is not None
        told = (json.loads(line) for line in spot.stdout)
        # Who was never heard of cannot be gone.
        next(message for message in told if message.get("app") == 4)
        asyncio.run(look())
        gone = next(message for message in told if message.get("news") == "gone")
        assert gone["app"] == 4 and gone["silent_s"] > 0
        spot.send_signal(signal.SIGINT)
        assert end(spot).code == 130


async def shown(app: App[None], pause: Callable[[float], object],
                wanted: Callable[[str], bool]) -> None:  # fmt: skip
    """Waits until a line of the screen is so."""
    deadline = time.monotonic() + 2 * PATIENCE_S
    while True:
        rows = ["".join(segment.text for segment in row)
                for row in app.screen._compositor.render_strips()]  # fmt: skip
        if any(wanted(row) for row in rows):
            return
        assert time.monotonic() < deadline, "\n".join(rows)
        await pause(0.2)  # type: ignore[misc]
