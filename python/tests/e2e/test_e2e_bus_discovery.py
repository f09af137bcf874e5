"""Discovery on a bus: how the ends of tests came to be found, asked for and as it happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from e2e_harness import Lab, eventually, need_adapters
from test_e2e_bus import CYCLONE, Bus, two

RELIABLE = ("--qos", "reliable")


@pytest.fixture(scope="module")
def bus(shared_lab: Lab) -> Iterator[Bus]:
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        yield two(shared_lab, CYCLONE, stack)


def found(bus: Bus) -> dict[str, Any]:
    """By kind."""
    ended = bus.call("discovery", "--group", 1, "--json")
    assert ended.code == 0, ended.text
    return {one["kind"]: one for one in json.loads(ended.out)}


def test_a_latency_test_has_its_creation_match_and_first_samples(bus: Bus) -> None:
    assert bus.call("discovery").out == "Nobody has a test; `busmark bus start` begins one.\n"
    assert bus.call("start", "transponder", "--app", 4, "--test", 7).code == 0
    waits = found(bus)["transponder"]
    assert waits["created_ns"] > 0 and waits["matched"] is None and waits["first"] == []
    start = ("--app", 3, "--test", 7, "--from", 4, "--rate", 100, "--duration", 600)
    assert bus.call("start", "transceiver", *start).code == 0

    def complete() -> dict[str, Any] | None:
        told = found(bus)
        return told if all(one["matched"] and one["first"] for one in told.values()) else None

    told = eventually(complete, lambda: str(found(bus)))
    for kind, app in (("transceiver", 4), ("transponder", 3)):
        one = told[kind]
        assert one["matched"]["counterparts"] == 2, "a writer and a reader"
        # Cyclone DDS reports the moment of a match.
        assert one["matched"]["after_ns"] == one["matched"]["ns"] >= 0
        (first,) = one["first"]
        assert (first["app"], first["before"], first["lost"]) == (app, 0, 0)
        assert first["ns"] >= one["matched"]["ns"], "no sample comes before the match"
    assert "transponder" in bus.call("discovery", "--app", 4).out
    assert bus.call("stop", "--group", 1, "--test", 7).code == 0


def test_whoever_comes_to_a_running_stream_has_lost_only_what_was_sent_since(bus: Bus) -> None:
    start = ("--app", 3, "--test", 8, "--readers", 0, "--rate", 200, "--duration", 600)
    assert bus.call("start", "transmitter", *start, *RELIABLE).code == 0
    assert found(bus)["transmitter"]["matched"] is None, "it waits for nobody"
    receiver = ("receiver", "--app", 4, "--test", 8, "--from", 3, *RELIABLE)
    assert bus.call("start", *receiver).code == 0

    def judged() -> dict[str, Any] | None:
        one = found(bus)["receiver"]
        return one if one["first"] and one["first"][0]["lost"] is not None else None

    one = eventually(judged, lambda: str(found(bus)))
    (first,) = one["first"]
    # The stream had run since before the receiver was asked for.
    assert first["before"] > first["lost"] >= 0
    assert first["lost"] <= first["ns"] / 1e9 * 200 + 1
    lines = [
        json.loads(line) for line in bus.call("discovery", "--for", 1, "--json").out.splitlines()
    ]
    assert {line["kind"] for line in lines} == {"transmitter", "receiver"}
    live = [m["event"] for m in bus.watched()
            if m.get("news") == "event" and m["event"]["event"] == "discovery"]  # fmt: skip
    assert live and all("created_ns" in event for event in live)
    assert bus.call("stop", "--all").code == 0


def test_an_application_that_is_not_there_is_named(bus: Bus) -> None:
    ended = bus.call("discovery", "--app", 9)
    assert ended.code == 2
    assert "application 9 does not answer" in ended.err
