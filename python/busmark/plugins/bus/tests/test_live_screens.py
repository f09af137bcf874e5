"""The screens of a bus, driven as a user drives them: recorded messages of real participants, and
what two of them say in one second of 1,600 ends."""

from __future__ import annotations

import asyncio
import copy
import csv
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from busmark.errors import UserError
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.live.bus_app import BusApp
from busmark.plugins.bus.live.errors_app import ErrorsApp
from busmark.plugins.bus.live.spot_app import SpotApp
from busmark.plugins.bus.live.watch_app import WatchApp
from busmark.plugins.bus.watching import Watching

RECORDED = Path(__file__).parent / "recorded" / "session.jsonl"
MESSAGES: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.open(encoding="utf-8")]
BUS = Attachment("cyclonedds")
WIDE, NARROW = (120, 30), (80, 24)


class Feed:
    """Says these messages, and then nothing."""

    dropped = 0

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.waiting = copy.deepcopy(messages)
        self.ended = ""

    def next(self, within_s: float | None) -> dict[str, Any] | None:
        if self.ended:
            raise UserError(self.ended)
        return self.waiting.pop(0) if self.waiting else None

    def give(self, to: Any, task: dict[str, Any]) -> None:
        pass


def text(app: BusApp[Any]) -> str:
    """Return the text on the screen, row by row."""
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


def lines(app: BusApp[Any], word: str) -> list[str]:
    return [line for line in text(app).splitlines() if word in line]


def drive(
    kind: type[BusApp[Any]],
    does: Callable[[Any, Pilot[None], Feed], Awaitable[None]],
    size: tuple[int, int] = NARROW,
    messages: list[dict[str, Any]] = MESSAGES,
    **options: Any,
) -> Any:
    """Show these messages on a terminal of this size, where `does` acts; return the application."""
    feed = Feed(messages)
    app = kind(Watching(feed), BUS, **options)  # type: ignore[call-arg]

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await does(app, pilot, feed)

    asyncio.run(run())
    return app


async def tick(app: BusApp[Any], pilot: Pilot[None]) -> None:
    app.tick()
    app.paint()
    await pilot.pause()


def test_every_end_has_a_line_that_fits_the_smallest_usual_terminal() -> None:
    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        await tick(app, pilot)
        (trips,) = lines(app, "   3     7 transceiver 4")
        assert "ended" in trips and "%" in trips
        assert len(lines(app, " receiver    3")) == 2
        assert "2 participants" in text(app) and "q quit" in text(app)
        assert all(len(line) <= NARROW[0] for line in text(app).splitlines())
        assert "round trips looked at" in text(app), "details of the first line"

    drive(WatchApp, does)


def test_details_show_histogram_percentiles_and_segments_over_all_shares() -> None:
    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        await pilot.press("d")
        await tick(app, pilot)
        shown = text(app)
        assert "█" in shown and "min " in shown and "99 % " in shown
        for segment in ("send source", "send arrival", "echo arrival", "trip", "inter-arrival"):
            assert segment in shown
        for share in (" 100 ", "99.9 ", "  99 ", "  90 "):
            assert any("trip" in line and share in line for line in shown.splitlines()), share
        await pilot.press("escape")
        assert lines(app, "transponder")

    drive(WatchApp, does, WIDE)


def test_lines_are_sorted_searched_and_paused() -> None:
    async def does(app: WatchApp, pilot: Pilot[None], feed: Feed) -> None:
        await pilot.press(">", ">", ">", ">")
        assert "kind▴" in text(app)
        kinds = [line.split()[2] for line in text(app).splitlines()[2:7]]
        assert kinds == sorted(kinds)
        await pilot.press("r")
        assert "kind▾" in text(app)
        assert [line.split()[2] for line in text(app).splitlines()[2:7]] == kinds[::-1]
        await pilot.press("/", *"app", "space", *"4", "space", *"rec", "enter")
        assert "/app 4 rec: 2 found" in text(app) and not lines(app, "transponder")
        await pilot.press("escape")
        assert lines(app, "transponder")
        await pilot.press("p")
        feed.waiting.append(
            {
                **MESSAGES[-1],
                "instance": 5,
                "app": 9,
                "kind": "receiver",
                "news": "answer",
                "ok": True,
                "result": {"writers": [608], "kind": "receiver", "test": 1},
            }
        )
        await tick(app, pilot)
        assert "PAUSED" in text(app) and not lines(app, "   9     1 receiver")
        await pilot.press("p")
        assert "PAUSED" not in text(app) and lines(app, "   9     1 receiver")

    drive(WatchApp, does)


def test_what_is_shown_is_saved(tmp_path: Path) -> None:
    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        await pilot.press("/", *"transceiver", "enter", "s")
        await pilot.pause()
        assert "saved 1 rows" in text(app)
        await pilot.press("s")

    drive(WatchApp, does, folder=tmp_path)
    tables = sorted(tmp_path.glob("busmark-watch-*.csv"))
    assert len(tables) == 2, "the second does not overwrite the first"
    (row,) = csv.DictReader(io.StringIO(tables[0].read_text(encoding="utf-8")))
    assert (row["app"], row["test"], row["kind"], row["state"]) == (
        "3",
        "7",
        "transceiver",
        "ended",
    )
    assert float(row["median_us"]) > 0 and row["missing"] == "0" and row["mbit_per_s"] == ""
    words = tables[0].with_suffix(".txt").read_text(encoding="utf-8")
    assert "transceiver" in words and "round trips looked at" in words


def test_what_cannot_be_saved_is_reported(tmp_path: Path) -> None:
    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        await pilot.press("s")
        assert "not saved" in text(app)

    drive(WatchApp, does, folder=tmp_path / "nowhere")


def test_a_terminal_that_is_too_small_says_so_and_a_larger_one_shows_all_again() -> None:
    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        assert "This terminal is 50×8" in text(app) and "60×10" in text(app)
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        await tick(app, pilot)
        assert "too small" not in text(app) and lines(app, "transponder")
        await pilot.resize_terminal(80, 12)
        await pilot.pause()
        await tick(app, pilot)
        assert lines(app, "transponder") and "q quit" in text(app)

    drive(WatchApp, does, (50, 8))


def test_participants_are_shown_with_their_tests() -> None:
    async def does(app: SpotApp, pilot: Pilot[None], _: Feed) -> None:
        await tick(app, pilot)
        assert len(lines(app, "participant   app")) == 2
        assert lines(app, " receiver     app 4")
        await pilot.press("home")
        assert "number of this process on the bus" in text(app)

    drive(SpotApp, does, WIDE)


def test_troubles_come_latest_first_and_of_one_application_alone() -> None:
    base = {key: MESSAGES[0][key] for key in ("busmark", "app", "group", "instance", "seq")}
    troubles = [
        {
            **base,
            "at_realtime_ns": 10**18 + number,
            "app": 3 + number % 2,
            "trouble": "malformed",
            "message": f"number {number} \x1b[31m",
            "instance": number % 2,
        }
        for number in range(5)
    ]

    async def does(app: ErrorsApp, pilot: Pilot[None], _: Feed) -> None:
        await tick(app, pilot)
        assert [line.split("number ")[1][0] for line in lines(app, "malformed number")] == list(
            "43210"
        )
        assert "\x1b" not in text(app)
        await pilot.press("a")
        assert "app 3 only" in text(app) and len(lines(app, "malformed number")) == 3
        await pilot.press("a", "a")
        assert len(lines(app, "malformed number")) == 5

    drive(ErrorsApp, does, messages=troubles)


def test_of_many_ends_the_last_is_reached_and_stays_chosen() -> None:
    def said(app: int, test: int) -> dict[str, Any]:
        counts = [{"role": 64 * app + 32 + n, "writer": 64, "samples": 2} for n in range(4)]
        event = {"event": "interval", "begin_ns": 0, "end_ns": 10**9, "counts": counts}
        return {
            "app": app,
            "group": 1,
            "instance": app,
            "at_realtime_ns": 10**18,
            "news": "event",
            "kind": "receiver",
            "test": test,
            "event": event,
        }

    async def does(app: WatchApp, pilot: Pilot[None], _: Feed) -> None:
        await tick(app, pilot)
        assert len(app.rows(app.state())) == 1600
        await pilot.press("end")
        assert lines(app, "  40   9.4 receiver")
        await pilot.press("r", "r")
        await tick(app, pilot)
        assert lines(app, "  40   9.4 receiver"), "the same row is chosen"

    drive(WatchApp, does, messages=[said(1 + app, test) for app in range(40) for test in range(10)])


@pytest.mark.parametrize("kind", [WatchApp, SpotApp, ErrorsApp])
def test_a_bus_without_anybody_says_what_to_do_and_its_end_is_an_error(
    kind: type[BusApp[Any]],
) -> None:
    async def does(app: BusApp[Any], pilot: Pilot[None], feed: Feed) -> None:
        assert kind.EMPTY.splitlines()[0] in text(app)
        feed.ended = "it was ended by SIGKILL"
        app.tick()
        await pilot.pause()

    app = drive(kind, does, messages=[])
    assert app.fault is not None and "SIGKILL" in str(app.fault)
