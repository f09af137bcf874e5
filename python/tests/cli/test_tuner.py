"""Forms, dialogs and looks of `busmark watch`, without a bus: what is filled in is what commands
read, and what came and went stays in sight."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import click
import pytest
from test_bus_found import ANSWERS, BUS, MINE, OTHER, OURS, endpoint, participant
from test_live_screens import Feed, lines, text
from textual.pilot import Pilot

from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.found import Found
from busmark.plugins.bus.watching import Watching
from busmark.plugins.bus.commands import bus
from busmark.plugins.bus.commands.found import Filter
from busmark.plugins.bus.commands.options import attached
from busmark.plugins.bus.live import asked
from busmark.plugins.bus.live.asked import ChosenTest
from busmark.cli.live.dialogs import Form, Keys, Question
from busmark.plugins.bus.live.entities_view import COLUMNS, GONE_S, EntitiesView, Looks, Row
from busmark.plugins.bus.live.watch_app import WatchApp

AT = Attachment("cyclonedds")
TEST = ChosenTest(3, 7, "transceiver", 200.0)
UNCHANGED = {"rate_hz": "", "paused": "unchanged", "qos": ""}
EMPTY = {
    field.name: field.value or next(iter(field.choices), "") for field in asked.start_fields(None)
} | {"kind": "transponder"}
ATTACHED = click.command(attached(lambda: None))
SIZES = [(80, 24), (140, 40), (60, 10)]


def drive(does: Callable[[WatchApp, Pilot[None]], Awaitable[None]],
          size: tuple[int, int] = (80, 24)) -> None:  # fmt: skip
    async def run() -> None:
        app = WatchApp(Watching(Feed([])), "here")
        async with app.run_test(size=size) as pilot:
            await does(app, pilot)

    asyncio.run(run())


def test_a_change_is_what_the_command_orders() -> None:
    values = {"rate_hz": "100", "paused": "pause", "qos": "lifespan_s:0.1"}
    order = asked.change(AT, TEST, values)
    assert order.to == {"app": 3} and order.is_for_one
    assert order.task == {"cmd": "set", "test": 7, "kind": "transceiver", "rate_hz": 100.0,
                          "paused": True, "qos": {"lifespan_ns": 100_000_000}}  # fmt: skip
    resumed = asked.change(AT, TEST, {**UNCHANGED, "paused": "resume"})
    assert resumed.task["paused"] is False and "rate_hz" not in resumed.task


def test_a_new_test_has_the_defaults_of_the_command() -> None:
    values = {**EMPTY, "kind": "transceiver", "group": "1", "test": "5", "sources": "4,5"}
    order = asked.start(AT, values)
    assert order.to == {"group": 1}
    definition = order.task["definition"]
    assert definition["from"] == [4, 5] and definition["size"] == 64
    assert definition["duration_s"] == 60.0 and order.takes_s == definition["timeout_s"]


def test_the_form_of_a_new_test_has_every_option_of_the_command() -> None:
    apart = {"follow", "as_json", *(each.name for each in ATTACHED.params)}
    options = {each.name for each in bus.start.params} - apart
    assert {field.name for field in asked.start_fields(3)} == options
    values = {"kind": "transmitter", "everybody": "yes", "test": "5", "count": "2",
              "readers": "40", "from_each": "3", "payload": "double", "warmup_s": "1",
              "timeout_s": "7", "every_s": "0", "wait": "poll", "fifo": "30"}  # fmt: skip
    order = asked.start(AT, {**EMPTY, **values})
    assert order.to == "all" and order.takes_s == 7.0
    definition = order.task["definition"]
    assert (definition["count"], definition["readers"], definition["from_each"]) == (2, 40, 3)
    assert (definition["payload"], definition["wait"]) == ("double", "poll")
    assert (definition["warmup_s"], definition["every_s"], definition["fifo"]) == (1.0, 0.0, 30)


def test_what_is_stopped_and_injected_is_what_was_chosen() -> None:
    assert asked.stop(AT, TEST).task == {"cmd": "stop", "test": 7, "kind": "transceiver"}
    found = asked.inject(AT, "--count", {"size": "16", "count": "3"})
    assert (found["topic"], found["size"], found["count"]) == ("--count", 16, 3)


@pytest.mark.parametrize(
    ("makes", "words"),
    [
        (lambda: asked.change(AT, TEST, UNCHANGED), "say what changes"),
        (lambda: asked.change(AT, TEST, {**UNCHANGED, "rate_hz": "-5"}), "--rate"),
        (lambda: asked.change(AT, TEST, {**UNCHANGED, "rate_hz": "fast"}), "'fast' is not"),
        (lambda: asked.change(AT, TEST, {**UNCHANGED, "qos": "relible"}), "reliable"),
        (lambda: asked.change(AT, TEST, {**UNCHANGED, "qos": "lifespan_s:x"}), "seconds"),
        (lambda: asked.start(AT, {**EMPTY, "app": "3"}), "--test"),
        (lambda: asked.start(AT, {**EMPTY, "test": "5"}), "say who is meant"),
        (lambda: asked.start(AT, {**EMPTY, "app": "3", "group": "1", "test": "5"}), "one of"),
        (lambda: asked.start(AT, {**EMPTY, "app": "3", "test": "5", "sources": "a"}), "--from"),
        (lambda: asked.inject(AT, "t", {"size": "64", "count": "0"}), "--count"),
    ],
)  # fmt: skip
def test_what_cannot_be_ordered_is_refused_in_the_words_of_the_command(
    makes: Callable[[], Any], words: str
) -> None:
    with pytest.raises(click.ClickException) as refused:
        makes()
    assert words in asked.why(refused.value)


@pytest.mark.parametrize("size", SIZES)
def test_the_help_has_every_key_of_the_footers(size: tuple[int, int]) -> None:
    async def does(app: WatchApp, pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        assert isinstance(app.screen, Keys) and "Keys of busmark watch" in text(app)
        if size[1] >= 24:
            assert " quit" in text(app)
            bare = [line for line in text(app).splitlines() if "│" in line]
            assert len(bare) == len(app.KEYS), "each on a line of its own"
        await pilot.press("down", "escape")
        assert not isinstance(app.screen, Keys)

    drive(does, size)
    known = {part for key, _ in WatchApp.KEYS for part in key.split()}
    for footer in (WatchApp.FOOTER, EntitiesView.FOOTER):
        assert {part.split()[0] for part in footer.split("  ")} <= known


@pytest.mark.parametrize("size", SIZES)
def test_a_form_explains_its_fields_and_hands_over_what_is_typed(size: tuple[int, int]) -> None:
    sent: list[dict[str, str]] = []

    def send(form: Form, values: dict[str, str]) -> None:
        sent.append(values)
        form.say("refused: \x1b[31m no", "red")

    async def does(app: WatchApp, pilot: Pilot[None]) -> None:
        await app.push_screen(Form("New test", "", asked.start_fields(3), send))
        await pilot.pause()
        await pilot.press("t", "t", "down", "down", "down", *"12", "tab", *"4", "enter")
        await pilot.pause()
        assert sent[-1] == {**EMPTY, "kind": "transmitter", "app": "3", "test": "12",
                            "sources": "4"}  # fmt: skip
        if size[1] >= 24:
            assert "Applications that answer a transceiver" in text(app)
            assert lines(app, "◂ transmitter ▸")
            assert "refused" in text(app) and "\x1b" not in text(app)
        await pilot.press("up", "up", "up", "up", "left")
        await pilot.press("enter", "escape")
        assert sent[-1]["kind"] == "transponder" and not isinstance(app.screen, Form)

    drive(does, size)


def test_a_question_is_answered_once() -> None:
    yes: list[str] = []

    async def does(app: WatchApp, pilot: Pilot[None]) -> None:
        for keys in (("n",), ("y", "y", "escape")):
            await app.push_screen(Question("Stop?", "", lambda _: yes.append("y")))
            await pilot.press(*keys)
            await pilot.pause()
        assert yes == ["y"] and not isinstance(app.screen, Question)

    drive(does)


def test_what_comes_and_goes_is_listed_and_what_has_gone_for_a_while() -> None:
    looks = Looks(Filter(None, False, False))
    first = looks.rows(BUS)
    assert looks.rows(BUS) is first, "nothing has changed"
    topics = [row.topic for row in first.rows if row.kind != "participant"]
    assert topics == ["busmark_bus_7_ping", "busmark_bus_7_pong", "rt/chatter"]
    (ping,) = [row for row in first.rows if row.topic == "busmark_bus_7_ping"]
    assert (ping.test, ping.test_kind, ping.is_foreign) == (7, "transponder", False)
    pong = next(row for row in first.rows if row.topic == "busmark_bus_7_pong")
    assert pong.is_foreign and pong.test is None, "a foreign one on a topic of ours"

    rest = [one for one in BUS.entities if one["topic"] != "rt/chatter"]
    came = endpoint("reader", OTHER, "rt/other")
    later = Found([*rest, came], ANSWERS, BUS.at_realtime_ns + 10**9, True)
    rows = {row.topic: row for row in looks.rows(later).rows if row.topic}
    assert rows["rt/other"].since_ns == later.at_realtime_ns
    assert rows["rt/chatter"].gone_ns == later.at_realtime_ns and rows["rt/chatter"].is_foreign
    much = Found(later.entities, ANSWERS, later.at_realtime_ns + int(2e9 * GONE_S), True)
    assert "rt/chatter" not in {row.topic for row in looks.rows(much).rows}


@pytest.mark.parametrize(
    ("kind", "topic", "test"),
    [("writer", "busmark_bus_7_ping", "transceiver"), ("reader", "busmark_bus_0_data", "receiver"),
     ("writer", "busmark_bus_9_echo", "receiver"), ("writer", "busmark_bus_9_data", "transmitter"),
     ("reader", "busmark_bus_news", None)],
)  # fmt: skip
def test_an_endpoint_of_ours_belongs_to_a_kind_of_test(
    kind: str, topic: str, test: str | None
) -> None:
    found = Found([participant(OURS), endpoint(kind, OURS, topic)], ANSWERS, 0, True)
    row = list(Looks(Filter(None, False, True)).rows(found).rows)[-1]
    assert row.test_kind == test


def test_rows_have_words_also_where_little_is_announced() -> None:
    listed = Looks(Filter(None, False, True)).rows(BUS)
    view = EntitiesView(AT, None, lambda: None)  # type: ignore[arg-type]
    for row in listed.rows:
        assert isinstance(row, Row)
        assert all(len(column.cell(row, column.width)) == column.width for column in COLUMNS)
        detail = [line.plain for line in view.detail(listed, row, 80, 20)]
        assert row.kind in detail[0] and any(row.entity["key"] in line for line in detail)
        assert view.words_of(row)
    assert "1 foreign" in view.heading(listed) and "this command" in view.words_of(
        next(row for row in listed.rows if row.entity["key"] == MINE)
    )


def test_a_command_that_only_listens_is_no_foreign_program() -> None:
    heard = [endpoint("reader", OTHER, f"busmark_bus_{name}") for name in ("news", "troubles")]
    assert Found(heard, [], 0, True).owners()[OTHER].what == "busmark command"
    assert Found(heard[:1], [], 0, True).owners()[OTHER].what == "foreign"
