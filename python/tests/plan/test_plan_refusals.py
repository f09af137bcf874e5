"""The plan refuses what no round can have of what a scenario asks, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.errors import UserError
from busmark.model.quantities import OF_CASES, QUANTITIES
from busmark.plan import expand
from busmark.plan.refusals import check_asked
from busmark.present.layout import headings
from busmark.scenario import Scenario

NOTHING_FEW = {"min_samples": 0}


def refusal(*require: str, matrix: dict[str, Any], **scenario: Any) -> str:
    """Return why the plan is refused; empty if it is not."""
    found = Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "paper", "placement": "free", **matrix},
        "require": [{"that": that} for that in require], **scenario,
    })  # fmt: skip
    features = ["keys", "content_filter", "matched"]
    cases = expand(found, {"paper": adapter(features=features)})
    assert all(case.status == "planned" for case in cases), [case.reason for case in cases]
    try:
        check_asked(found, cases)
    except UserError as error:
        return str(error).replace("\N{NARROW NO-BREAK SPACE}", "")
    return ""


def rounds(number: int) -> dict[str, Any]:
    return {"min": number, "max": number}


STREAM = {"test": "throughput", "rate_hz": 300.0}


def stream(seconds: float = 1.5, number: int = 4, **matrix: Any) -> dict[str, Any]:
    return {"matrix": {**STREAM, **matrix}, "measure": {"duration_s": seconds},
            "rounds": rounds(number)}  # fmt: skip


ENOUGH = {
    "all readers of all writers": ("loss <= 0.1%", stream(publishers=2, subscribers=3)),
    "all topics": ("loss <= 0.1%", stream(topics=3)),
    "both directions": ("loss <= 0.1%", stream(number=5, topology="bidirectional")),
    "writers of a participant": ("loss <= 0.1%", stream(writers=2, readers=2)),
    "every sample at each reader":
        ("p99.9(one_way) <= 1ms", stream(publishers=2, subscribers=3)),
    "pings of all pingers": ("p99.9(latency) <= 1ms", {
        "matrix": {"test": "latency", "rate_hz": 300.0, "publishers": 3},
        "measure": {"duration_s": 1.5}, "rounds": rounds(4)}),
    "how fast a closed loop is, nobody knows": ("p99.99(latency) <= 1ms", {
        "matrix": {"test": "latency"}, "measure": {"duration_s": 0.1}, "rounds": rounds(5)}),
    "none may be lost": ("loss <= 0", stream(number=1)),
    "a count has no interval": ("duplicated <= 3", stream(number=1)),
    "one late sample shows that many are": ("p99.9(latency) >= 1ms", stream(number=2)),
}  # fmt: skip

TOO_FEW = {
    "one writer and reader": ("loss <= 0.1%", stream(), "about 1800 in 4 rounds"),
    "a filter leaves half": ("loss <= 0.1%", stream(
        publishers=2, subscribers=2, instances=10, filter_below=5), "about 3600"),
    "samples end a round": ("p99.9(latency) <= 1ms", {
        "matrix": {"test": "latency"}, "measure": {"samples": 200}, "rounds": rounds(5)},
        "about 1000"),
    "a ping is one, whoever answers": ("p99.9(latency) <= 1ms", {
        "matrix": {"test": "latency", "rate_hz": 300.0, "subscribers": 3},
        "measure": {"duration_s": 1.5}, "rounds": rounds(4)}, "about 1800"),
    "probes of a stream": ("p99(round_trip) <= 1ms", stream(), "about 1 in 4"),
}  # fmt: skip


@pytest.mark.parametrize("what", ENOUGH)
def test_what_the_samples_can_show_is_not_refused(what: str) -> None:
    require, scenario = ENOUGH[what]
    assert refusal(require, **{"criteria": NOTHING_FEW, **scenario}) == ""


@pytest.mark.parametrize("what", TOO_FEW)
def test_what_too_few_samples_would_have_to_show_is_refused(what: str) -> None:
    require, scenario, text = TOO_FEW[what]
    assert text in refusal(require, **{"criteria": NOTHING_FEW, **scenario})


ABSENT = {
    "p99(one_way) <= 2ms": ("latency", "a latency test has no one_way", "busmark throughput"),
    "goodput >= 1Mbit/s": ("latency", "a latency test has no goodput", 'test = "throughput"'),
    "first_sample <= 1ms": ("throughput", "a throughput test has no first_sample", "discovery"),
    "one_way_there <= 1ms": ("throughput", "no one_way_there", "busmark latency"),
    "wire_bytes_per_sample <= 100": ("throughput", "no capture", "Set capture in the scenario"),
    "batch_time <= 1ms": ("throughput", "no batches", "Set matrix.batch"),
}


@pytest.mark.parametrize("require", ABSENT)
def test_a_figure_that_no_case_can_have_is_refused_with_the_test_that_has_it(require: str) -> None:
    test, text, remedy = ABSENT[require]
    found = refusal(require, matrix={"test": test})
    assert text in found and remedy in found


def test_a_figure_that_some_cases_have_is_required_of_those() -> None:
    both = {"test": ["latency", "throughput"]}
    assert refusal("goodput >= 1Mbit/s", matrix=both) == ""


def test_tables_have_a_quantity_for_tests_that_measure_it() -> None:
    measured = {one.key: one.tests for one in OF_CASES}
    assert {(key, test) for test, key in headings() if test not in measured[key]} == set()


def test_an_unreachable_number_of_samples_is_refused_before_anything_runs() -> None:
    slow = {"test": "latency", "rate_hz": 2.0}
    found = refusal(matrix=slow, measure={"duration_s": 10.0})
    assert "20 samples in a round of 10 s" in found and "duration_s to 50 " in found
    assert refusal(matrix=slow, measure={"duration_s": 50.0}) == ""
    assert refusal(matrix={**slow, "publishers": 5}, measure={"duration_s": 10.0}) == ""
    assert "50 samples" in refusal(
        matrix={"test": "throughput", "rate_hz": 100.0, "instances": 2, "filter_below": 1},
        measure={"duration_s": 1.0},
    )
    assert refusal(matrix=slow, measure={"duration_s": 10.0, "samples": 20}) == ""
    assert refusal(matrix={**slow, "arrivals": "poisson"}, measure={"duration_s": 45.0}) == ""
    assert refusal(matrix=slow, measure={"duration_s": 1.0}, criteria=NOTHING_FEW) == ""


def test_quantities_name_tests_that_there_are() -> None:
    assert all(quantity.tests for quantity in QUANTITIES.values())
