"""What cases are called, and what the sentences claim."""

from __future__ import annotations

import pytest

from busmark.analysis import dimensions as dim
from busmark.analysis.figures import Figure
from busmark.analysis.naming import labels, name_cases
from busmark.analysis.ranking import tiers

TITLES = {"udp": {"title": "UDP socket"}, "cyclonedds": {"title": "Cyclone DDS"}}


def flat(**params: object) -> dim.Flat:
    return dim.flatten({"test": "latency", "size": 64, "placement": "same"} | params)


def figure(value: float, half: float) -> Figure:
    return Figure(value=value, low=value - half, high=value + half, confidence=0.95, count=9,
                  rounds=3, unit="ns")  # fmt: skip


def test_a_choice_within_an_adapter_is_in_the_label_and_one_between_adapters_is_not() -> None:
    named = name_cases(
        {
            "a": flat(adapter="udp", transport="udp"),
            "b": flat(adapter="cyclonedds", transport="shm", qos='{"reliability":"reliable"}'),
            "c": flat(adapter="cyclonedds", transport="shm", qos={"reliability": "best_effort"}),
        },
        TITLES,
    )
    assert [n.label for n in named.values()] == [
        "UDP socket", "Cyclone DDS · reliable", "Cyclone DDS · best effort",
    ]  # fmt: skip
    assert named["a"].choices == {"transport": "udp"}


def test_what_varies_in_the_workload_is_not_in_the_label() -> None:
    named = name_cases(
        {"a": flat(adapter="udp", rate_hz=100.0), "b": flat(adapter="udp", rate_hz=1000.0)}, TITLES
    )
    assert {n.label for n in named.values()} == {"UDP socket"}
    assert named["b"].workload == {"rate": "1\u202f000 /s"}


def test_cases_that_look_the_same_are_told_apart_by_their_identifier() -> None:
    named = name_cases({"a": flat(adapter="udp"), "b": flat(adapter="udp", samples=5)}, TITLES)
    assert [n.label for n in named.values()] == ["UDP socket · a", "UDP socket · b"]


def test_a_campaign_of_the_null_adapter_only_is_no_floor() -> None:
    named = name_cases({"a": flat(adapter="null")}, TITLES)
    assert not named["a"].is_floor


def test_an_adapter_keeps_its_colour() -> None:
    made = labels(
        [("x · 1", "x", False), ("y", "y", False), ("x · 2", "x", False), ("f", "n", True)]
    )
    assert [label.colour for label in made] == [0, 1, 0, -1]
    assert made[0].mark != made[2].mark


def test_with_one_adapter_every_label_has_its_colour() -> None:
    made = labels([("x · 1", "x", False), ("x · 2", "x", False)])
    assert [label.colour for label in made] == [0, 1]


@pytest.mark.parametrize("descending", [False, True])
def test_an_order_is_claimed_only_between_intervals_that_are_apart(descending: bool) -> None:
    entries = [("a", figure(10, 1)), ("b", figure(11.5, 1)), ("c", figure(20, 1))]
    names = [[name for name, _ in tier] for tier in tiers(entries, descending=descending)]
    assert names == ([["c"], ["b", "a"]] if descending else [["a", "b"], ["c"]])
