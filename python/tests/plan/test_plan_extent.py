"""What a campaign is announced to take, and to write in a second."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.control.roles import roles
from busmark.plan import expand, flows
from busmark.plan.counts import load_of
from busmark.plan.extent import CountRange, range_text, time_of
from busmark.scenario import Scenario
from busmark.store import Case


def planned(**scenario: Any) -> tuple[Scenario, list[Case]]:
    matrix = {"adapter": "paper", "placement": "free", **scenario.pop("matrix", {})}
    found = Scenario.model_validate({"name": "x", "matrix": matrix, **scenario})
    return found, expand(found, {"paper": adapter(features=["keys", "content_filter"])})


TIMES: dict[str, tuple[dict[str, Any], CountRange]] = {
    "rounds that are counted": ({"rounds": {"min": 5}}, CountRange(10, 10)),
    "a target": ({"rounds": {"min": 5, "max": 40, "target": 0.1}}, CountRange(10, 80)),
    "a target within a budget":
        ({"rounds": {"min": 5, "max": 40, "target": 0.1, "budget_s": 30}}, CountRange(10, 30)),
    "a target within a budget of the case":
        ({"rounds": {"min": 5, "max": 40, "target": 0.1, "case_budget_s": 25}}, CountRange(10, 25)),
    "a requirement": ({"require": [{"that": "loss <= 50%"}]}, CountRange(10, 50)),
    "a requirement for one of two cases": (
        {"matrix": {"size": [64, 128]},
         "require": [{"that": "loss <= 50%", "where": {"size": 64}}]},
        CountRange(20, 60)),
    "a search": ({"matrix": {"test": "capacity"}, "capacity": {"confirm": 3, "max_trials": 40}},
                 CountRange(8, 80)),
}  # fmt: skip


@pytest.mark.parametrize("what", TIMES)
def test_the_time_is_announced_with_all_rounds_that_may_be_added(what: str) -> None:
    scenario, bounds = TIMES[what]
    assert time_of(*planned(**scenario), lambda case: 2.0) == bounds


def test_rounds_that_there_are_take_no_time() -> None:
    scenario, cases = planned(rounds={"min": 5, "max": 8, "target": 0.1})
    assert time_of(scenario, cases, lambda case: 2.0, {cases[0].id: 6}) == CountRange(0, 4)


def test_two_ends_of_a_time_are_one_where_they_read_alike() -> None:
    assert range_text(57.0, 57.3) == "about 57 s"
    assert range_text(57.0, 197.0) == "57 s to 3 min"


STREAM = {"test": "throughput", "rate_hz": 300.0, "size": 1000}


@pytest.mark.parametrize(("matrix", "load"), [
    ({}, (300.0, 300.0, 2.4)),
    ({"publishers": 2, "subscribers": 3}, (600.0, 1800.0, 4.8)),
    ({"topics": 4, "readers": 2}, (1200.0, 2400.0, 9.6)),
    ({"instances": 10, "filter_below": 5}, (300.0, 150.0, 2.4)),
    ({"test": "latency", "stream_hz": 100.0}, (400.0, 400.0, 3.2)),
    ({"size": "choice(100, 300)"}, (300.0, 300.0, 0.48)),
    ({"rate_hz": 0.0}, None),
])  # fmt: skip
def test_what_a_case_writes_in_a_second_is_planned(matrix: dict[str, Any], load: Any) -> None:
    _, (case,) = planned(matrix={**STREAM, **matrix})
    assert case.status == "planned", case.reason
    assert load_of(case.params) == (None if load is None else pytest.approx(load))


VIDEO = {
    "participant": [{"name": "a"}, {"name": "b"}],
    "flow": [{"name": "video", "writers": ["a"], "readers": ["b"], "rate_hz": 50, "size": 1000}],
}
"""A flow in the background: 0.4 Mbit/s."""


@pytest.mark.parametrize(("steps", "load"), [
    ([], (350.0, 350.0, 2.8)),
    ([{"at_s": 0.5, "flow": "video", "rate_hz": 250}], (450.0, 450.0, 3.6)),
    ([{"at_s": 0.5, "rate_hz": 100}], (250.0, 250.0, 2.0)),
    ([{"at_s": 0.25, "rate_hz": 100}, {"at_s": 0.5, "flow": "video", "rate_hz": 150}],
     (250.0, 250.0, 2.0)),
])  # fmt: skip
def test_steps_of_each_flow_are_in_what_is_planned(steps: Any, load: Any) -> None:
    """A round takes 1 s; a step without a flow is of what is measured."""
    scenario = {"measure": {"duration_s": 1.0}, "timeline": steps, **VIDEO}
    _, (case,) = planned(matrix=STREAM, **scenario)
    assert case.status == "planned", case.reason
    assert load_of(case.params) == pytest.approx(load)


def test_a_stream_that_nobody_reads_is_written_all_the_same() -> None:
    alone = {"name": "alone", "writers": ["a"], "readers": [], "rate_hz": 20, "size": 16}
    _, (case,) = planned(matrix=STREAM, participant=[{"name": "a"}], flow=[alone])
    assert case.status == "planned", case.reason
    timed = case.params.changed(record_every=1)
    does = {end.name: own for end, own in roles(flows(timed), timed, 1).items()}
    (role,) = does["a"]
    assert role["role"] == "transmitter" and role["schedule"]["rate_hz"] == 20
