"""Keys of `busmark watch` by which tests are made, changed and stopped, and entities and samples
are looked at: beside real participants, and a program that knows nothing of Busmark."""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import DOMAIN, PATIENCE_S, Lab, need_adapters
from test_e2e_bus import CYCLONE, joined
from test_e2e_bus_found import FOREIGN, ddsperf
from test_e2e_watch import Terminal
from textual.pilot import Pilot

from busmark.adapters import resolve
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.caller import Caller
from busmark.plugins.bus.watching import Watching
from busmark.plugins.bus.live.watch_app import WatchApp

AT = Attachment("cyclonedds", domain=DOMAIN)
QOS = ("--qos", "reliable")
WAITS_S = 2 * PATIENCE_S


@pytest.fixture(scope="module")
def participants(shared_lab: Lab) -> Iterator[dict[int, subprocess.Popen[str]]]:
    """Applications 3 and 4 with round trips (test 7), and a receiver without a stream (test 8)."""
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        started = {app: joined(shared_lab, app, stack) for app in (3, 4)}
        for words in (
            ("transponder", "--app", "4", "--test", "7"),
            ("receiver", "--app", "4", "--test", "8", "--from", "3"),
            ("transceiver", "--app", "3", "--test", "7", "--from", "4", "--rate", "100",
             "--duration", "3000", "--timeout", "60"),
        ):  # fmt: skip
            assert shared_lab.busmark("bus", "start", *words, *CYCLONE, *QOS).code == 0
        yield started


class Screen:
    """The screen, and who sits in front of it."""

    def __init__(self, app: WatchApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(part.text for part in row).rstrip() for row in rows)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, *words: str) -> None:
        """Waits until all of these are on one line."""
        await self.until_so(
            lambda: any(all(w in line for w in words) for line in self.text.splitlines()), words
        )

    async def until_so(self, condition: Callable[[], Any], why: object) -> None:
        deadline = time.monotonic() + WAITS_S
        while not condition():
            assert time.monotonic() < deadline, f"{why} not on\n{self.text}"
            await self.pilot.pause(0.1)

    async def choose(self, *words: str) -> None:
        """Goes to the first line that has these words."""

        def place() -> int | None:
            rows = self.app.shown(self.app.view.state())
            found = [self.app.view.words_of(row) for row in rows]
            return next((i for i, row in enumerate(found) if all(w in row for w in words)), None)

        await self.until_so(lambda: place() is not None, words)
        down = place() or 0
        await self.press("home", *["down"] * down)

    async def foreign(self) -> None:
        """The entities view, with a line of the foreign program's chosen."""
        await self.press("e")
        await self.choose("writer", FOREIGN)


def watch(does: Callable[[Screen], Awaitable[None]], at: Attachment = AT,
          size: tuple[int, int] = (100, 30), folder: Path | None = None) -> WatchApp:  # fmt: skip
    """Watches, and does something; every process that keys have begun has left in the end."""

    async def run(watching: Watching) -> WatchApp:
        app = WatchApp(watching, at.words(), at, folder=folder)
        async with app.run_test(size=size) as pilot:
            await does(Screen(app, pilot))
        return app

    with Caller.on(AT, live=True, stamped=True) as caller:
        app = asyncio.run(run(Watching(caller)))
    for hand in app._hands:
        assert hand._thread is None or not hand._thread.is_alive(), "a thread is left"
    assert app.fault is None
    return app


@pytest.fixture
def foreign(participants: object) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is no participant of Busmark's; whatever was done, it runs on."""
    with ddsperf() as process:
        yield process
        assert process.poll() is None


def test_entities_are_listed_searched_sorted_paused_and_saved(
    participants: object, foreign: subprocess.Popen[bytes], lab: Lab, tmp_path: Path
) -> None:
    async def does(screen: Screen) -> None:
        await screen.press("e")
        await screen.until("participant", "app 3 (group 1)")
        await screen.until("writer", "foreign", FOREIGN)
        await screen.until("reader", "app 4 (group 1)", "busmark_bus_7_ping", "reliable")
        assert "1 foreign" in screen.text and "busmark_bus_orders" not in screen.text
        await screen.choose("reader", "busmark_bus_7_ping")
        await screen.until("test", "transponder 7")
        await screen.press("slash", *"reader", "space", *"ping_", "backspace", "enter")
        await screen.until("/reader ping: ", "found")
        await screen.press("escape", "less_than_sign", "s")
        await screen.until("saved", "busmark-watch-entities-")
        await screen.press("p")
        with ExitStack() as stack:
            joined(lab, 5, stack)
            await screen.until("PAUSED")
            assert "app 5" not in screen.text
            await screen.press("p")
            await screen.until("participant", "app 5 (group 1)")
        await screen.press("slash", *"app", "space", *"5", "space", *"gone", "enter")
        await screen.until("/app 5 gone: ", "found")
        await screen.choose("participant")
        await screen.press("escape", "a")
        await screen.choose("busmark_bus_orders")
        await screen.until("busmark_bus_orders")
        await screen.press("e")
        await screen.until("transceiver 4")
        # The line that was chosen is chosen again.
        await screen.press("e")
        await screen.choose("participant", "app 3")
        await screen.until("participant", "app 3")

    watch(does, folder=tmp_path)
    (table,) = tmp_path.glob("*.csv")
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    ours = [row for row in rows if row["topic"] == "busmark_bus_7_ping"]
    assert {(row["kind"], row["test"], row["whose"]) for row in ours} == {
        ("writer", "7", "app 3 (group 1)"), ("reader", "7", "app 4 (group 1)")
    }  # fmt: skip
    assert {row["state"] for row in rows if row["topic"] == FOREIGN} == {"foreign"}


def test_an_adapter_that_lists_nothing_names_those_that_do(participants: object) -> None:
    need_adapters("iceoryx2")
    found = resolve(["iceoryx2"])["iceoryx2"].capabilities
    assert found is not None and "entities" not in found["features"]

    async def does(screen: Screen) -> None:
        for key in ("e", "l"):
            await screen.choose("receiver")
            await screen.press(key)
            await screen.until("iceoryx2 does not list what is on the bus", "These do:")
            assert "cyclonedds" in screen.text
            await screen.press("escape")
            await screen.until("transceiver 4")

    watch(does, Attachment("iceoryx2"), size=(140, 40))


def test_a_test_is_changed_and_what_cannot_change_is_refused_by_name(participants: object) -> None:
    async def does(screen: Screen) -> None:
        await screen.choose("transceiver", "app 3")
        await screen.press("c")
        await screen.until("Change transceiver 7 of app 3")
        await screen.press("enter")
        await screen.until("say what changes")
        await screen.press(*"abc", "enter")
        await screen.until("Invalid value for '--rate'")
        await screen.press(*["backspace"] * 3, "down", "down", *"deadline_s:0.1", "enter")
        await screen.until("app 3 (group 1): refused: deadline cannot change")
        await screen.press(*["backspace"] * 14, *"lifespan_s:3600", "up", "up", *"50", "enter")
        await screen.until("transceiver 7 changed, QoS of 1 endpoint")
        await screen.press("escape")
        for choice, name, rate in ((1, "pause", False), (2, "resume", True)):
            await screen.press("c", "down", *["right"] * choice)
            await screen.until(f"◂ {name} ▸")
            await screen.press("enter")
            await screen.until("transceiver 7 changed")
            await screen.press("escape")
            await screen.until_so(lambda rate=rate: bool(_rate_hz(screen, 7)) is rate, name)
        await screen.choose("transponder", "test 7")
        await screen.press("c", *"5", "enter")
        await screen.until("refused: a transponder sends nothing")

    watch(does)


def _rate_hz(screen: Screen, test: int) -> float | None:
    """Rate of the transceiver, as it was reported last."""
    ends = screen.app.watching.seen.ends.values()
    return next(end.rate_hz for end in ends if (end.kind, end.test) == ("transceiver", test))


def test_a_test_is_made_and_stopped_after_a_question(participants: object) -> None:
    async def does(screen: Screen) -> None:
        await screen.choose("transponder", "app 4")
        await screen.press("n")
        await screen.until("New test")
        await screen.press("enter")
        await screen.until("Missing option '--test'")
        await screen.press("r", "down", "down", "down", *"21", "enter")
        await screen.until("refused: from: a receiver names")
        await screen.press("down", *"3", "enter")
        await screen.until("receiver 21 runs")
        await screen.press("enter")
        await screen.until("receiver 21 is here already")
        await screen.press("escape")
        await screen.choose("receiver", "app 4", "test 21")
        await screen.press("x")
        await screen.until("Stop receiver 21 of app 4?")
        await screen.press("n")
        assert "Stop receiver" not in screen.text
        await screen.press("x", "y")
        await screen.until("receiver 21 ended")
        await screen.press("escape")
        await screen.choose("receiver", "test 21", "ended")
        await screen.press("x", "y")
        await screen.until("application 4 has no receiver 21")
        await screen.press("escape")
        # Everybody of a group: an answer of each.
        await screen.press("n", *["t"] * 2, *["r"], "down", "backspace", "down", *"1", "down")
        await screen.press(*"22", "down", *"4", "enter")
        await screen.until("app 3 (group 1): receiver 22 runs")
        await screen.until("app 4 (group 1): receiver 22 runs")
        # Closed before it is known that there is no answer: that is shown then.
        await screen.press("escape", "n", "r", "down", "backspace", *"9", "down", "down")
        await screen.press(*"23", "down", *"4", "enter")
        await screen.until("waiting for the answer")
        await screen.press("escape")
        await screen.until("application 9 does not answer")

    watch(does)


def test_samples_are_looked_at_and_injected(participants: object) -> None:
    async def does(screen: Screen) -> None:
        await screen.choose("transceiver", "app 3")
        await screen.press("l")
        await screen.until("samples of busmark_bus_7_ping", "came")
        await screen.until("writer 192", "app 3")
        await screen.until("body of 64 bytes")
        await screen.press("c")
        await screen.until("Esc returns to the table")
        await screen.press("escape")
        await screen.until("transceiver 4")
        assert screen.app._samples is None
        await screen.choose("receiver", "test 8")
        await screen.press("i")
        await screen.until("Inject into busmark_bus_8_data")
        await screen.press("down", "backspace", *"0", "enter")
        await screen.until("Invalid value for '--count'")
        await screen.press("backspace", *"3", "up", "backspace", "backspace", *"16", "enter")
        await screen.until("3 samples of 16 bytes written to 1 reader")
        await screen.press("escape", "l")
        # Nobody writes there.
        await screen.until("no writer of topic busmark_bus_8_data was found")
        await screen.press("escape")
        await screen.until("transceiver 4")

    watch(does)


def test_what_is_foreign_is_shown_and_never_touched(participants: object, foreign: object) -> None:
    async def does(screen: Screen) -> None:
        await screen.foreign()
        await screen.until("foreign: shown, never changed")
        for key in "cnx":
            await screen.press(key)
            await screen.until("foreign application: Busmark shows it, and never touches it")
            # Another line is chosen: the sentence goes.
            await screen.press("up", "down")
            assert "never touches" not in screen.text
        for key in "li":
            await screen.press(key)
            await screen.until(f"topic {FOREIGN} has the type KeyedSeq")
            await screen.press("escape")
        await screen.choose("participant", "foreign")
        await screen.press("l")
        await screen.until("a participant has no topic")
        await screen.choose("participant", "app 3")
        await screen.press("x")
        await screen.until("It belongs to no test")
        # What is ours is changed from here, too.
        await screen.choose("reader", "busmark_bus_7_ping", "app 4")
        await screen.press("c")
        await screen.until("Change transponder 7 of app 4")
        await screen.press("escape")
        await screen.choose("writer", "busmark_bus_7_ping", "app 3")
        await screen.press("l")
        await screen.until("samples of busmark_bus_7_ping", "came")
        await screen.press("escape")
        await screen.until("participant", "app 3")

    watch(does)


def test_a_process_that_is_killed_ends_an_order_and_not_the_screen(participants: object) -> None:
    async def does(screen: Screen) -> None:
        await screen.choose("transponder", "test 7")
        await screen.press("c", *"5", "enter")
        await screen.until("refused: a transponder sends nothing")
        hand = screen.app._orders
        assert hand is not None and hand._caller is not None
        killed = hand._caller
        os.kill(killed._process._process.pid, signal.SIGKILL)
        await screen.until_so(lambda: not killed.is_there, "it has ended")
        # By a process that joins anew.
        await screen.press("enter")
        await screen.until_so(lambda: hand._caller not in (None, killed), "another process")
        await screen.until("refused: a transponder sends nothing")

    watch(does)


def test_nothing_is_left_when_the_screen_is_left_from_samples(
    participants: object, lab: Lab
) -> None:
    with closing(Terminal(lab, "watch", *CYCLONE)) as terminal:
        terminal.until(lambda: b"transceiver" in terminal.painted)
        terminal.press("e")
        terminal.until(lambda: b"busmark_bus_7_ping" in terminal.painted)
        terminal.press("e")
        terminal.press("l")
        terminal.until(lambda: b"came" in terminal.painted)
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0
    lab.assert_nothing_left()
