"""Several publishers and subscribers, what they do, and where."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from test_plan_sides import cases

from busmark.control.roles import Roles, roles


def sides_of(**matrix: Any) -> Roles:
    (case,) = cases(matrix)
    assert case.status == "planned", case.reason
    return roles(case.params, 1)


def test_every_subscriber_answers_every_publisher() -> None:
    sides = sides_of(publishers=2, subscribers=3, placement="free")
    pongers = [role["writer"] for (role,) in sides.passive]
    assert len(pongers) == 3
    assert [role["from"] for (role,) in sides.active] == [pongers, pongers]
    writers = [role["writer"] for own in (*sides.passive, *sides.active) for role in own]
    assert len(set(writers)) == 5


def test_answers_that_come_at_once_find_room() -> None:
    (case,) = cases({"subscribers": 3, "placement": "free"}, qos=["reliable", "keep_last"])
    assert case.params["qos"]["depth"] == 3


@pytest.mark.parametrize("test", ["latency", "throughput"])
def test_in_a_bidirectional_topology_each_does_both(test: str) -> None:
    sides = sides_of(test=test, topology="bidirectional")
    for own in (*sides.passive, *sides.active):
        assert len(own) == 2 and len({role["role"] for role in own}) == 2
    topics = [role.get("topic", role.get("ping")) for role in chain(*sides.active)]
    assert len(set(topics)) == 2, "each direction has a topic of its own"


def test_a_batch_is_acknowledged_by_every_reader() -> None:
    sides = sides_of(test="throughput", batch=10, subscribers=2, readers=2, placement="free")
    ((batcher,),) = sides.active
    readers = [role for own in sides.passive for role in own]
    assert batcher["role"] == "batcher" and batcher["batch"] == 10
    assert batcher["from"] == [role["writer"] for role in readers]
    assert all(role["batches"] and not role["probe_every"] for role in readers)


def test_a_stream_beside_pings_has_its_own_rate_and_topic() -> None:
    sides = sides_of(stream_hz=500.0)
    ((pinger, transmitter),) = sides.active
    assert pinger["schedule"]["rate_hz"] == 0 and transmitter["schedule"]["rate_hz"] == 500
    assert sides.readers_of == {transmitter["writer"]: 1}, "pings are not counted as a stream"


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ({"batch": 10}, "one ping at a time"),
        ({"test": "throughput", "stream_hz": 10.0}, "a stream already"),
        ({"test": "throughput", "batch": 10, "rate_hz": 10.0}, "neither a filter nor a rate"),
        ({"subscribers": 60, "placement": "different"}, "61 participants"),
    ],
)
def test_what_cannot_be_says_so(matrix: dict[str, Any], reason: str) -> None:
    (case,) = cases(matrix)
    assert case.status == "unsupported" and reason in str(case.reason)
