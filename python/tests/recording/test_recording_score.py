"""What a replay gives, from what was recorded."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import recordings
from recordings import answer, member, order, start, started

from busmark.errors import UserError
from busmark.plugins.bus.recording import Reader
from busmark.plugins.bus.recording.replay import Given, Replay, answers, ends
from busmark.plugins.bus.recording.score import Options, Score, score
from busmark.plugins.bus.recording.session import session


def scored(tmp_path: Path, lines: list[Any], **options: Any) -> Score:
    path = recordings.write(tmp_path / "r.jsonl", lines)
    return score(session(Reader(path)), Options(**options))


def test_orders_come_at_their_times_and_need_whoever_answered(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION)
    assert [step.planned_s for step in found.steps] == [0.0, 1.0, 4.0, 7.0]
    assert found.needed == {3: 1, 4: 1} and found.ends_s == pytest.approx(8.11)
    assert [sorted(step.answers) for step in found.steps] == [[4], [3], [3], [3, 4]]
    assert len(found.ended) == 2 and found.left_out == []


def test_at_twice_the_speed_times_and_durations_are_halved(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION, speed=2.0)
    assert [step.planned_s for step in found.steps] == [0.0, 0.5, 2.0, 3.5]
    assert found.steps[1].task["definition"]["duration_s"] == 5.0
    assert "duration_s" not in found.steps[0].task["definition"], "it runs until it is stopped"


def test_others_take_the_place_of_applications_and_groups(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION, apps={4: 8}, groups={1: 2})
    assert [step.to for step in found.steps] == [{"app": 8}, {"app": 3}, {"app": 3}, {"group": 2}]
    assert found.steps[1].task["definition"]["from"] == [8]
    assert found.needed == {3: 2, 8: 2} and {app for app, _, _ in found.ended} == {3, 8}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"apps": {5: 6}}, "--map: 5 is not in the recording\n  It has 3, 4"),
        ({"groups": {5: 6}}, "--map-group: 5 is not"),
        ({"apps": {3: 4}}, "--map: two of the recording become 4"),
        ({"only": (("app", "9"),)}, "no order to be replayed that --only lets through, of 4"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError) as refused:
        scored(tmp_path, recordings.SESSION, **options)
    assert words in str(refused.value)


def test_applications_can_change_places(tmp_path: Path) -> None:
    found = scored(tmp_path, recordings.SESSION, apps={3: 4, 4: 3})
    assert [step.to for step in found.steps[:2]] == [{"app": 3}, {"app": 4}]


@pytest.mark.parametrize(
    ("only", "left"),
    [
        ([("app", "3")], [2, 3]), ([("cmd", "start")], [1, 2]), ([("kind", "transponder")], [1]),
        ([("app", "3"), ("app", "4")], [1, 2, 3]), ([("app", "3"), ("cmd", "set")], [3]),
        ([("test", "7")], [1, 2, 3]), ([("group", "1")], [4]),
    ],
)  # fmt: skip
def test_only_some_orders(tmp_path: Path, only: list[tuple[str, str]], left: list[int]) -> None:
    lines = [line for line in recordings.SESSION if line["what"] == "order"]
    numbers = {2 + recordings.SESSION.index(line): n for n, line in enumerate(lines, 1)}
    found = scored(tmp_path, recordings.SESSION, only=tuple(only))
    assert [numbers[step.line or 0] for step in found.steps] == left


def test_an_order_that_was_repeated_is_given_once_and_questions_are_not(tmp_path: Path) -> None:
    again = copy.deepcopy(recordings.SESSION[0]) | {"at_s": 1.5}
    question = order(1.2, 1, "all", {"cmd": "list"}, caller=55)
    found = scored(tmp_path, [*recordings.SESSION, again, question])
    assert len(found.steps) == 4


def snapshot(at_s: float, app: int, *tests: dict[str, Any]) -> Any:
    told = {"adapter": "cyclonedds", "pid": 1, "tests": list(tests)}
    return answer(at_s, app, 1, told, caller=recordings.LISTENER)


def test_tests_that_ran_before_are_started_first_with_what_was_changed(tmp_path: Path) -> None:
    active = {"kind": "transceiver", "test": 9, "from": [4], "warmup_s": 2.0}
    running = {"test": 9, "kind": "transceiver", "definition": active, "running_s": 12.0,
               "changed": {"rate_hz": 5.0, "qos": {"lifespan_ns": 7}}}  # fmt: skip
    passive = {"test": 9, "kind": "transponder", "changed": {}, "running_s": 20.0,
               "definition": {"kind": "transponder", "test": 9}}  # fmt: skip
    lines = [snapshot(0.2, 3, running), snapshot(0.2, 4, passive), *recordings.SESSION]
    found = scored(tmp_path, lines)
    first = [(step.planned_s, step.to["app"], step.task["cmd"]) for step in found.steps[:3]]
    assert first == [(0.0, 4, "start"), (0.0, 3, "start"), (0.0, 3, "set")]
    begun = found.steps[1].task["definition"]
    assert (begun["warmup_s"], begun["duration_s"]) == (0.0, 50.0), "what was left of 62 s"
    assert found.steps[2].task["qos"] == {"lifespan_ns": 7}
    assert found.steps[3].planned_s == 1.0 and found.needed.keys() == {3, 4}


def test_a_test_whose_start_was_recorded_is_started_once(tmp_path: Path) -> None:
    one = {"test": 7, "kind": "transponder", "definition": {"kind": "transponder", "test": 7},
           "changed": {}, "running_s": 0.1}  # fmt: skip
    lines = [recordings.SESSION[0], snapshot(1.1, 4, one), *recordings.SESSION[1:]]
    assert len(scored(tmp_path, lines).steps) == 4


BEGAN_NS = 1_767_225_600_000_000_000
"""The recording's, since 1970."""


def repeated(at_s: float, number: int, heard_s: float, task: dict[str, Any]) -> Any:
    """An answer that repeats its order, which was heard at another time of the recording."""
    asked = {"to": {"app": 3}, "do": task, "heard_realtime_ns": BEGAN_NS + round(heard_s * 1e9)}
    told = answer(at_s, 3, number, started("receiver", 8), order=asked)
    told["message"]["at_realtime_ns"] = BEGAN_NS + round(at_s * 1e9)
    return told


def test_an_order_that_was_not_heard_is_known_by_its_answer(tmp_path: Path) -> None:
    lines = [*recordings.SESSION, repeated(4.0, 9, 3.5, start("receiver", 8, **{"from": [4]}))]
    found = scored(tmp_path, lines)
    assert [round(step.planned_s, 6) for step in found.steps] == [0.0, 1.0, 2.5, 4.0, 7.0]
    assert found.steps[2].task["definition"]["kind"] == "receiver"


def test_what_was_done_before_the_recording_is_not_done_again(tmp_path: Path) -> None:
    """Participants keep their last answers and results for whoever joins late."""
    old = repeated(0.1, 9, -60.0, start("receiver", 8, **{"from": [4]}))
    heard = order(0.0, 9, {"app": 3}, start("receiver", 8, **{"from": [4]}))
    ended = member(0.1, "result", 3, news="ended", test=7, kind="transceiver", result={})
    found = scored(tmp_path, [heard, old, ended, *recordings.SESSION])
    assert len(found.steps) == 4 and len(found.ended) == 2


def test_a_test_that_was_starting_when_the_recorder_asked_is_started_once(tmp_path: Path) -> None:
    task = start("receiver", 8, **{"from": [4]})
    one = {"test": 8, "kind": "receiver", "definition": task["definition"], "changed": {},
           "running_s": None}  # fmt: skip
    lines = [snapshot(0.5, 3, one), repeated(0.9, 9, 0.2, task), *recordings.SESSION]
    assert len(scored(tmp_path, lines).steps) == 5


def test_a_definition_that_is_not_in_the_recording_is_reported(tmp_path: Path) -> None:
    lines = [snapshot(0.1, 3, {"test": 5, "kind": "receiver"}), *recordings.SESSION]
    (reason,) = scored(tmp_path, lines).left_out
    assert "application 3 had receiver 5 before" in reason


def said(app: int, ok: bool = True, **rest: Any) -> dict[str, Any]:
    outcome = {"result": rest} if ok else {"error": {"kind": "invalid", "message": "no", **rest}}
    return {"app": app, "instance": 1, "ok": ok, **outcome}


def test_answers_differ_in_what_does_not_depend_on_time(tmp_path: Path) -> None:
    first, _, change, last = scored(tmp_path, recordings.SESSION).steps
    same = said(4, test=7, kind="transponder", writers=[300])
    assert list(answers(1, first, {4: same})) == []
    (gone,) = answers(1, first, {})
    assert gone.endswith("app 4 did not answer; in the recording it did so")
    (refused,) = answers(1, first, {4: said(4, ok=False, kind="x", message="not permitted")})
    assert "app 4 refused (not permitted); in the recording it did so" in refused
    (more,) = answers(1, first, {4: same, 9: same})
    assert "app 9 did so; in the recording it did not answer" in more
    assert list(answers(3, change, {3: said(3, at_ns=99, changed=1)})) == []
    (other,) = answers(3, change, {3: said(3, at_ns=5, changed=2)})
    assert "changed 2 endpoints; in the recording it changed 1" in other
    ended = said(3, ended=[])
    assert len(list(answers(4, last, {3: ended}))) == 2


def test_ends_of_tests_differ_in_number_and_failure() -> None:
    well, ill = (3, (7, "transceiver"), ""), (3, (7, "transceiver"), "why")
    assert list(ends([well], [well])) == []
    told = sorted(ends([well], [ill]))
    assert told == [
        "transceiver 7 of app 3 ended as it should: never; in the recording once",
        "transceiver 7 of app 3 failed (why): once; in the recording never",
    ]


def test_how_far_times_were_off_is_of_those_that_were_given(tmp_path: Path) -> None:
    steps = scored(tmp_path, recordings.SESSION).steps
    replay = Replay(Score(steps, {}, 8.0, [], []))
    assert replay.off is None
    offs = (0.001, -0.003, 0.002)
    replay.given = [
        Given(step, step.planned_s + off) for step, off in zip(steps, offs, strict=False)
    ]
    replay.given.append(Given(steps[3], refused="why"))
    assert replay.off is not None and replay.off.n == 3
    assert replay.off.median_s == pytest.approx(0.002)
    assert replay.off.max_s == pytest.approx(0.003)
    assert "order 4 could not be given: why" in replay.differences


def test_an_application_that_was_there_twice_is_noticed(tmp_path: Path) -> None:
    twin = copy.deepcopy(recordings.SESSION[1])
    twin["message"]["instance"] = 5
    path = recordings.write(tmp_path / "r.jsonl", [*recordings.SESSION[:2], twin])
    assert session(Reader(path)).twice == {4}


def test_who_joins_leaves_and_reports_is_part_of_a_session(tmp_path: Path) -> None:
    lines = [
        member(0.1, "joined", 6, group=None, news="joined", member={}),
        order(0.5, 1, {"app": 6}, start("receiver", 1, **{"from": [6]})),
        answer(0.6, 6, 1, started("receiver", 1), group=None),
        member(2.0, "left", 6, group=None, news="left"),
    ]
    assert scored(tmp_path, lines).needed == {6: None}
