"""Definitions on a bus that contradict each other, or what is there: errors say so in words, and
other tests are not touched."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from e2e_harness import DOMAIN, Lab, end, eventually, need_adapters, tidy
from test_e2e_bus import CYCLONE, FAST, Bus, two
from test_e2e_record import begun

RELIABLE = ("--qos", "reliable,keep_all")


@pytest.fixture(scope="module")
def bus(shared_lab: Lab) -> Iterator[Bus]:
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        yield two(shared_lab, CYCLONE, stack)


def stream(bus: Bus, test: int, size: int) -> dict[str, Any]:
    """Application 3 sends ten samples; the last message."""
    start = ("--app", 3, "--test", test, "--rate", 20, "--duration", 0.5, "--size", size)
    return bus.json("start", "transmitter", *start, *RELIABLE, "--follow")[-1]


def stopped(bus: Bus, kind: str) -> dict[str, Any]:
    ended = [m for m in bus.json("stop", "--app", 4, "--test", 8) if m["news"] == "ended"]
    (told,) = [message for message in ended if message["kind"] == kind]
    return dict(told)


def test_ends_of_different_sizes_contradict_each_other_and_only_their_test_fails(bus: Bus) -> None:
    receiver = ("receiver", "--app", 4, "--test", 8, "--from", 3, *RELIABLE)
    assert bus.call("start", *receiver).code == 0
    assert stream(bus, 8, 1000)["result"]["run"][0]["sent"] > 0
    words = "receiver 8 is for bodies of 64 bytes, and the other end sends 1000"
    heard = bus.watched()
    told = [m["message"] for m in heard if m.get("trouble") == "contradiction"]
    assert told and all(text.startswith(words) for text in told), told
    (ended,) = [m for m in heard if m.get("news") == "ended" and m["kind"] == "receiver"]
    assert ended["error"]["message"].startswith(words)
    assert ended["result"]["roles"][0]["received"] == 0
    assert bus.tests() == set(), "a receiver that cannot read its stream does not run"

    assert bus.call("start", *receiver, "--size", 1000).code == 0
    sent = stream(bus, 8, 1000)["result"]["run"][0]["sent"]
    ended = stopped(bus, "receiver")
    assert not ended.get("error")
    assert ended["result"]["roles"][0]["received"] == sent > 0


def test_ends_whose_qos_does_not_go_together_say_so(bus: Bus) -> None:
    assert bus.call("start", "receiver", "--app", 4, "--test", 8, "--from", 3, *RELIABLE).code == 0
    start = ("--app", 3, "--test", 8, "--rate", 20, "--qos", "best_effort", "--timeout", 1)
    ended = bus.call("start", "transmitter", *start)
    assert ended.code == 2
    assert "matched 0 of 1" in ended.err and "with a QoS that goes with this one's" in ended.err
    assert bus.call("stop", "--app", 4).code == 0


def test_a_change_is_answered_for_each_application_and_fails_where_nobody_has_the_test(
    bus: Bus,
) -> None:
    start = ("transmitter", "--app", 3, "--test", 6, "--readers", 0, "--rate", 20)
    assert bus.call("start", *start).code == 0
    change = ("--group", 1, "--test", 6, "--pause")
    told = {m["app"]: m["result"] for m in bus.json("set", *change)}
    assert told[3]["kind"] == "transmitter" and "no test 6" in told[4]["none"]
    listed = {t["test"]: t["state"] for m in bus.json("list") for t in m["tests"]}
    assert listed == {6: "paused"}
    assert bus.call("stop", "--group", 1, "--test", 6).code == 0
    for command in (("set", "--pause"), ("stop",)):
        ended = bus.call(command[0], "--group", 1, "--test", 6, *command[1:])
        assert ended.code == 2 and "nobody has this test" in ended.err, ended.text


def test_a_deadline_is_not_changed_at_one_end_alone_and_is_at_both(lab: Lab) -> None:
    need_adapters("fastdds")
    with ExitStack() as stack:
        bus = two(lab, FAST, stack)
        assert bus.call("start", "transponder", "--app", 4, "--test", 7).code == 0
        start = ("--app", 3, "--test", 7, "--from", 4, "--rate", 50, "--duration", 600)
        assert bus.call("start", "transceiver", *start).code == 0
        qos = ("--test", 7, "--qos", "deadline_s:5")
        for app in (3, 4):
            refused = bus.call("set", "--app", app, *qos)
            assert refused.code == 2 and "both ends" in refused.err, refused.text
        answers = bus.json("set", "--group", 1, *qos)
        assert [answer["result"]["changed"] for answer in answers] == [2, 2]

        def answered() -> bool:
            counts = [
                m["event"]["counts"][0]["samples"] for m in bus.watched()
                if m.get("news") == "event" and m["event"]["event"] == "interval"
            ]  # fmt: skip
            return counts != [] and counts[-1] > 0

        eventually(answered, lambda: "pings are lost after the change")


def test_of_two_that_join_at_once_under_one_number_one_does(lab: Lab) -> None:
    need_adapters("cyclonedds")
    words = ("participant", *CYCLONE, "--app", "6")
    with ExitStack() as stack:
        both = [stack.enter_context(tidy(lab.start(*words))) for _ in range(2)]
        eventually(
            lambda: any(each.poll() is not None for each in both), lambda: "both have joined"
        )
        (refused,) = [each for each in both if each.poll() is not None]
        ended = end(refused)
        # Refused by whoever joins as well, or, if that began sooner, by whoever is there.
        assert ended.code == 2 and "application 6" in ended.err, ended.text
        (there,) = [each for each in both if each is not refused]
        assert there.stdout is not None and "app 6: joined" in there.stdout.readline()


def test_a_replay_names_the_adapters_that_the_tests_run_on(bus: Bus, tmp_path: Any) -> None:
    need_adapters("fastdds")
    with ExitStack() as stack:
        file = tmp_path / "session.jsonl"
        recorder = begun(bus.lab, ["record", str(file), *CYCLONE], "recording", stack)
        start = ("--app", 3, "--test", 5, "--readers", 0, "--rate", 20, "--duration", 0.5)
        assert bus.call("start", "transmitter", *start, "--follow").code == 0
        recorder.send_signal(signal.SIGINT)
        end(recorder)
        other = ("--adapter", "fastdds", "--domain", str(DOMAIN))
        replayed = bus.lab.busmark("replay", str(file), *other, "--json")
    told = json.loads(replayed.out)
    assert {"app": 3, "adapter": "cyclonedds"} in told["adapters"], replayed.text


def test_a_list_that_nobody_answers_is_an_error(bus: Bus) -> None:
    ended = bus.call("list", "--app", 9, "--wait", 1)
    assert ended.code == 2 and "application 9 does not answer" in ended.err, ended.text


def test_a_group_that_nobody_is_in_is_named(bus: Bus) -> None:
    ended = bus.call("set", "--group", 9, "--test", 1, "--rate", 5)
    assert ended.code == 2
    words = "nobody in group 9 answers; on this bus are applications 3 (group 1), 4 (group 1)"
    assert words in ended.err, ended.text
