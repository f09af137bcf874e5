"""What a replay gives, from what was recorded."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import recordings
from click.testing import CliRunner
from recordings import answer, member, order, start, started

from busmark.cli.main import busmark as command
from busmark.errors import UserError


@dataclass
class Step:
    """An order that would be given."""

    planned_s: float
    line: int | None
    to: dict[str, Any]
    do: dict[str, Any]


@dataclass
class Score:
    """What `busmark bus replay --dry-run` lists."""

    steps: list[Step]
    needed: dict[int, int | None]
    ends_s: float
    left_out: list[str]


def scored(tmp_path: Path, lines: list[Any], *options: str) -> Score:
    path = recordings.write(tmp_path / "r.jsonl", lines)
    words = ["bus", "replay", str(path), "--dry-run", "--json", *options]
    done = CliRunner().invoke(command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    return Score(
        [Step(**order) for order in found["orders"]],
        {each["app"]: each["group"] for each in found["needed"]},
        found["ends_s"],
        found["left_out"],
    )


def test_orders_come_at_their_times_and_need_whoever_answered(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION)
    assert [step.planned_s for step in found.steps] == [0.0, 1.0, 4.0, 7.0]
    assert found.needed == {3: 1, 4: 1} and found.ends_s == pytest.approx(8.11)
    assert found.left_out == []


def test_at_twice_the_speed_times_and_durations_are_halved(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION, "--speed", "2")
    assert [step.planned_s for step in found.steps] == [0.0, 0.5, 2.0, 3.5]
    assert found.steps[1].do["definition"]["duration_s"] == 5.0
    assert "duration_s" not in found.steps[0].do["definition"], "it runs until it is stopped"


def test_others_take_the_place_of_applications_and_groups(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION, "--map", "4=8", "--map-group", "1=2")
    assert [step.to for step in found.steps] == [{"app": 8}, {"app": 3}, {"app": 3}, {"group": 2}]
    assert found.steps[1].do["definition"]["from"] == [8]
    assert found.needed == {3: 2, 8: 2}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--map", "5=6"), "--map: 5 is not in the recording\n  It has 3, 4"),
        (("--map-group", "5=6"), "--map-group: 5 is not"),
        (("--map", "3=4"), "--map: two of the recording become 4"),
        (("--only", "app=9"), "no order to be replayed that --only lets through, of 4"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    with pytest.raises(UserError) as refused:
        scored(tmp_path, recordings.SESSION, *options)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("only", "left"),
    [
        ([("app", "3")], [2, 3]),
        ([("cmd", "start")], [1, 2]),
        ([("kind", "transponder")], [1]),
        ([("app", "3"), ("app", "4")], [1, 2, 3]),
        ([("app", "3"), ("cmd", "set")], [3]),
        ([("test", "7")], [1, 2, 3]),
        ([("group", "1")], [4]),
    ],
)
def test_only_some_orders(tmp_path: Path, only: list[tuple[str, str]], left: list[int]) -> None:
    lines = [line for line in recordings.SESSION if line["what"] == "order"]
    numbers = {2 + recordings.SESSION.index(line): n for n, line in enumerate(lines, 1)}
    found = scored(
        tmp_path,
        recordings.SESSION,
        *(word for key, value in only for word in ("--only", f"{key}={value}")),
    )
    assert [numbers[step.line or 0] for step in found.steps] == left


def test_an_order_that_was_repeated_is_given_once_and_questions_are_not(tmp_path: Path) -> None:
    again = copy.deepcopy(recordings.SESSION[0]) | {"at_s": 1.5}
    question = order(1.2, 1, "all", {"cmd": "list"}, caller=55)
    found = scored(tmp_path, [*recordings.SESSION, again, question])
    assert len(found.steps) == 4


def snapshot(at_s: float, app: int, *tests: dict[str, Any]) -> Any:
    found = {"adapter": "cyclonedds", "pid": 1, "tests": list(tests)}
    return answer(at_s, app, 1, found, caller=recordings.LISTENER)


def test_tests_that_ran_before_are_started_first_with_what_was_changed(tmp_path: Path) -> None:
    active = {"kind": "transceiver", "test": 9, "from": [4], "warmup_s": 2.0}
    running = {
        "test": 9,
        "kind": "transceiver",
        "definition": active,
        "running_s": 12.0,
        "changed": {"rate_hz": 5.0, "qos": {"lifespan_ns": 7}},
    }
    passive = {
        "test": 9,
        "kind": "transponder",
        "changed": {},
        "running_s": 20.0,
        "definition": {"kind": "transponder", "test": 9},
    }
    lines = [snapshot(0.2, 3, running), snapshot(0.2, 4, passive), *recordings.SESSION]
    found = scored(tmp_path, lines)
    first = [(step.planned_s, step.to["app"], step.do["cmd"]) for step in found.steps[:3]]
    assert first == [(0.0, 4, "start"), (0.0, 3, "start"), (0.0, 3, "set")]
    begun = found.steps[1].do["definition"]
    assert (begun["warmup_s"], begun["duration_s"]) == (0.0, 50.0), "what was left of 62 s"
    assert found.steps[2].do["qos"] == {"lifespan_ns": 7}
    assert found.steps[3].planned_s == 1.0 and found.needed.keys() == {3, 4}


BEGAN_NS = 1_767_225_600_000_000_000
"""The recording's, since 1970."""


def repeated(at_s: float, number: int, heard_s: float, task: dict[str, Any]) -> Any:
    """Return an answer that repeats its order, heard at another time of the recording."""
    asked = {"to": {"app": 3}, "do": task, "heard_realtime_ns": BEGAN_NS + round(heard_s * 1e9)}
    text = answer(at_s, 3, number, started("receiver", 8), order=asked)
    text["message"]["at_realtime_ns"] = BEGAN_NS + round(at_s * 1e9)
    return text


def test_an_order_that_was_not_heard_is_known_by_its_answer(tmp_path: Path) -> None:
    lines = [*recordings.SESSION, repeated(4.0, 9, 3.5, start("receiver", 8, **{"from": [4]}))]
    found = scored(tmp_path, lines)
    assert [round(step.planned_s, 6) for step in found.steps] == [0.0, 1.0, 2.5, 4.0, 7.0]
    assert found.steps[2].do["definition"]["kind"] == "receiver"


def test_what_was_done_before_the_recording_is_not_done_again(tmp_path: Path) -> None:
    """Participants keep their last answers and results for whoever joins late."""
    old = repeated(0.1, 9, -60.0, start("receiver", 8, **{"from": [4]}))
    heard = order(0.0, 9, {"app": 3}, start("receiver", 8, **{"from": [4]}))
    ended = member(0.1, "result", 3, news="ended", test=7, kind="transceiver", result={})
    found = scored(tmp_path, [heard, old, ended, *recordings.SESSION])
    assert len(found.steps) == 4


def test_a_definition_that_is_not_in_the_recording_is_reported(tmp_path: Path) -> None:
    lines = [snapshot(0.1, 3, {"test": 5, "kind": "receiver"}), *recordings.SESSION]
    (reason,) = scored(tmp_path, lines).left_out
    assert "application 3 had receiver 5 before" in reason


def test_who_joins_leaves_and_reports_is_part_of_a_session(tmp_path: Path) -> None:
    lines = [
        member(0.1, "joined", 6, group=None, news="joined", member={}),
        order(0.5, 1, {"app": 6}, start("receiver", 1, **{"from": [6]})),
        answer(0.6, 6, 1, started("receiver", 1), group=None),
        member(2.0, "left", 6, group=None, news="left"),
    ]
    assert scored(tmp_path, lines).needed == {6: None}
