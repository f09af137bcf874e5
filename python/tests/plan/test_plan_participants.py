"""Several publishers and subscribers, what they do, and where."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from plan_adapters import adapter
from pydantic import ValidationError
from test_plan_sides import Sides, cases
from test_plan_sides import sides_of as sides_of_params

from busmark.plan import expand
from busmark.plan.flows import flows
from busmark.scenario import Scenario


def sides_of(**matrix: Any) -> Sides:
    (case,) = cases(matrix)
    assert case.status == "planned", case.reason
    return sides_of_params(case.params)


def test_every_subscriber_answers_every_publisher() -> None:
    sides = sides_of(publishers=2, subscribers=3, placement="free")
    pongers = [role["writer"] for (role,) in sides.passive]
    assert len(pongers) == 3
    assert [role["from"] for (role,) in sides.active] == [pongers, pongers]
    writers = [role["writer"] for own in (*sides.passive, *sides.active) for role in own]
    assert len(set(writers)) == 5


def test_answers_that_come_at_once_find_room() -> None:
    (case,) = cases({"subscribers": 3, "placement": "free"}, qos=["reliable", "keep_last"])
    assert case.params.qos["depth"] == 3


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
    assert not batcher["each"]
    assert all(role["batch"] == 10 and not role["probe_every"] for role in readers)
    ((batcher,),) = sides_of(test="throughput", batch=10, batch_ack="each").active
    assert batcher["each"]


def test_each_reader_has_room_for_the_batches_of_all_writers() -> None:
    sides = sides_of(test="throughput", batch=10, publishers=3, placement="free")
    (reader,) = (role for own in sides.passive for role in own)
    batchers = [role for own in sides.active for role in own]
    assert sum(role["schedule"]["capacity"] for role in batchers) <= reader["capacity"]


def test_what_is_acknowledged_of_no_batch_makes_no_case() -> None:
    one = cases({"batch": 0, "batch_ack": ["ends", "each"], "test": "throughput"})
    assert len(one) == 1
    two = cases({"batch": 10, "batch_ack": ["ends", "each"], "test": "throughput"})
    assert len(two) == 2 and two[1].id.endswith("each")


def test_a_stream_beside_pings_has_its_own_rate_and_topic() -> None:
    sides = sides_of(stream_hz=500.0)
    ((pinger, transmitter),) = sides.active
    assert pinger["schedule"]["rate_hz"] == 0 and transmitter["schedule"]["rate_hz"] == 500
    assert sides.case.to_be_read(transmitter["writer"], sent=7) == 7
    assert sides.case.to_be_read(pinger["writer"], sent=7) == 7, "a ping once, by all who answer"
    assert sides.case.beside(transmitter["writer"]) and not sides.case.beside(pinger["writer"])


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


@pytest.mark.parametrize(
    ("matrix", "names"),
    [
        ({}, ["pings"]),
        ({"topics": 2, "placement": "free"}, ["pings_0", "pings_1"]),
        ({"topology": "bidirectional"}, ["pings", "pings_back"]),
        ({"stream_hz": 10.0}, ["pings", "stream"]),
        ({"test": "throughput", "batch": 5}, ["batches"]),
        ({"test": "throughput", "topics": 2, "topology": "bidirectional"},
         ["stream_0", "stream_0_back", "stream_1", "stream_1_back"]),
    ],
)  # fmt: skip
def test_a_case_is_flows_between_participants(matrix: dict[str, Any], names: list[str]) -> None:
    case = sides_of(publishers=2, **{"placement": "free", **matrix}).case
    assert [flow.name for flow in case.flows] == names
    assert [own.name for own in case.publishers] == ["active1", "active2"]
    assert [own.name for own in case.subscribers] == ["passive"]
    numbers = [end.number for flow in case.flows for end in flow.ends]
    assert len(set(numbers)) == len(numbers) and set(case.ends) == set(numbers)
    for flow in case.flows:
        back = flow.name.endswith("_back")
        assert {end.participant for end in flow.writers} == {
            *(case.subscribers if back else case.publishers)
        }


def test_participants_of_a_discovery_test_stand_by_with_what_is_there_already() -> None:
    scenario: dict[str, Any] = {
        "name": "x", "participant": [{"name": "there", "count": 3}],
        "matrix": {"adapter": "paper", "test": "discovery", "existing": [0, 12]},
    }  # fmt: skip
    able = adapter(features=["matched"], reach=["process", "host", "network"])
    alone, among = expand(Scenario.model_validate(scenario), {"paper": able})
    assert [own.name for own in flows(alone.params).participants] == ["passive", "active"]
    case = flows(among.params)
    there = ["there1", "there2", "there3"]
    assert [own.name for own in case.participants] == ["passive", "active", *there]
    (existing,) = (flow for flow in case.flows if flow.kind == "existing")
    assert [end.participant.name for end in existing.writers] == there and existing.endpoints == 4
    scenario["matrix"]["existing"] = 10
    with pytest.raises(ValidationError, match="a multiple of 6 can"):
        Scenario.model_validate(scenario)
