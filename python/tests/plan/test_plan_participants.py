"""Several publishers and subscribers, what they do, and where."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter
from pydantic import ValidationError
from test_plan_sides import cases

from busmark.plan import expand, flows
from busmark.scenario import Scenario


def test_what_is_acknowledged_of_no_batch_makes_no_case() -> None:
    one = cases({"batch": 0, "batch_ack": ["ends", "each"], "test": "throughput"})
    assert len(one) == 1
    two = cases({"batch": 10, "batch_ack": ["ends", "each"], "test": "throughput"})
    assert len(two) == 2 and two[1].id.endswith("each")


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
    (planned,) = cases({"publishers": 2, "placement": "free", **matrix})
    assert planned.status == "planned", planned.reason
    case = flows(planned.params)
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
