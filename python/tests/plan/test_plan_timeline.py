"""What changes in the middle of a round: what a scenario may say, and what a case becomes of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from plan_adapters import adapter
from pydantic import ValidationError

from busmark.plan import expand
from busmark.scenario import Scenario
from busmark.store import Case

FLOW = {"name": "video", "rate_hz": 10.0, "topics": 2}
ABLE = ["lifespan", "deadline"]


def scenario(timeline: list[dict[str, Any]], **more: Any) -> Scenario:
    matrix = {"adapter": "paper", "rate_hz": 100.0, **more.pop("matrix", {})}
    return Scenario.model_validate({
        "name": "x", "matrix": matrix, "timeline": timeline, "flow": [FLOW], **more,
    })  # fmt: skip


def case(timeline: list[dict[str, Any]], **more: Any) -> Case:
    able = adapter(qos_mutable=ABLE, reach=["process", "host", "network"])
    fixed = adapter("stone", reach=["process", "host", "network"])
    (found,) = expand(scenario(timeline, **more), {"paper": able, "stone": fixed})
    return found


@pytest.mark.parametrize(
    ("timeline", "more", "words"),
    [
        ([{"at_s": 1.0}], {}, "nothing changes"),
        ([{"at_s": 1.0, "link": "down"}], {}, "needs a lab"),
        ([], {"answer": "recovery", "matrix": {"test": "throughput"}}, "there is none"),
        ([], {"answer": "latency"}, "there are none"),
        ([{"at_s": 1.0, "link": "up"}], {"lab": {"nodes": 2}}, "the links are up already"),
        ([{"at_s": 1.0, "link": "down", "rate_hz": 5.0}], {}, "a step of its own"),
        ([{"at_s": 0.0, "rate_hz": 5.0}], {}, "greater than 0"),
        ([{"at_s": 1.0, "rate_hz": 0.0}], {}, "greater than 0"),
        ([{"at_s": 1.0, "rate_hz": 1e-9}], {}, "less than one sample in an hour"),
        ([{"at_s": 2.0, "rate_hz": 5.0}], {}, "not within the measured time"),
        ([{"at_s": 1.0, "rate_hz": 5.0, "flow": "vide"}], {}, "no flow 'vide'.*video"),
        ([{"at_s": 1.0, "qos": {"reliability": "reliable"}}], {}, "reliability"),
        ([{"at_s": 1.0, "qos": {"lifespan_s": 0.0}}], {}, "greater than 0"),
        ([{"at_s": 1.0, "rate_hz": 5.0}], {"measure": {"samples": 5}}, "known length"),
        (
            [{"at_s": 1.0, "rate_hz": 5.0}],
            {"measure": {"duration_s": "auto"}, "rounds": {"target": 0.1}},
            "known length",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    timeline: list[dict[str, Any]], more: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        scenario(timeline, **more)


def test_changes_are_reported_in_the_order_of_time() -> None:
    found = case([
        {"at_s": 1.5, "flow": "video", "rate_hz": 40.0},
        {"at_s": 0.5, "rate_hz": 200.0, "qos": {"lifespan_s": 0.25}},
    ])  # fmt: skip
    assert found.status == "planned", found.reason
    assert found.params.timeline == (
        "at 0.5 s rate_hz = 200, lifespan_s = 0.25; at 1.5 s rate_hz = 40 of video"
    )


@pytest.mark.parametrize(
    ("change", "matrix", "reason"),
    [
        ({"rate_hz": 5.0}, {"rate_hz": 0.0}, "pings has no rate to change.*closed loop"),
        (
            {"rate_hz": 5.0},
            {"rate_hz": 0.0, "test": "throughput"},
            "stream has no rate to change.*full speed",
        ),
        ({"rate_hz": 5.0, "flow": "stream"}, {}, "the case has no flow stream"),
        (
            {"qos": {"partition": "a"}},
            {},
            "paper cannot change partition while it runs; it can change lifespan_s, deadline_s",
        ),
        ({"qos": {"lifespan_s": 1.0}}, {"adapter": "stone"}, "stone cannot change.*no QoS"),
        ({"rate_hz": 5.0}, {"test": "capacity", "rate_hz": 0.0}, "capacity"),
    ],
)
def test_what_a_case_cannot_change_is_reported_before_it_runs(
    change: dict[str, Any], matrix: dict[str, Any], reason: str
) -> None:
    found = case([{"at_s": 1.0, **change}], matrix=matrix)
    assert found.status == "unsupported" and found.reason is not None
    assert re.search(reason, found.reason), found.reason


def test_a_stream_beside_pings_changes_by_its_name() -> None:
    found = case([{"at_s": 1.0, "flow": "stream", "rate_hz": 5.0}], matrix={"stream_hz": 7.0})
    assert found.status == "planned", found.reason
