"""Definitions on a bus that contradict each other, or what is there: errors say so in words, and
other tests are not touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from e2e_harness import Lab, need_adapters
from test_e2e_bus import CYCLONE, Bus, two

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
    told = [m["message"] for m in bus.watched() if m.get("trouble") == "contradiction"]
    assert len(told) == 1 and told[0].startswith(words), told
    ended = stopped(bus, "receiver")
    assert ended["error"]["message"].startswith(words)
    assert ended["result"]["roles"][0]["received"] == 0

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


def test_a_group_that_nobody_is_in_is_named(bus: Bus) -> None:
    ended = bus.call("set", "--group", 9, "--test", 1, "--rate", 5)
    assert ended.code == 2
    words = "nobody in group 9 answers; on this bus are applications 3 (group 1), 4 (group 1)"
    assert words in ended.err, ended.text
