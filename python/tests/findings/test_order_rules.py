"""Effects of time and of order on rounds, planted and not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from planted import THROUGHPUT, Planted, params

ADAPTERS = ("udp", "tcp", "uds")


def plant(campaign: Planted, effect: str, seed: int = 1, rounds: int = 12) -> None:
    """Three cases, shuffled sweep by sweep, whose values vary by 1 %."""
    rng, shuffle = np.random.default_rng(seed), random.Random(seed)
    slots: dict[str, list[tuple[int, float]]] = {name: [] for name in ADAPTERS}
    before = None
    for order in range(rounds * len(ADAPTERS)):
        if order % len(ADAPTERS) == 0:
            sweep = shuffle.sample(ADAPTERS, len(ADAPTERS))
        name = sweep[order % len(ADAPTERS)]
        value = 1000.0 * (1 + ADAPTERS.index(name)) * float(np.exp(0.01 * rng.normal()))
        if effect == "drift":
            value *= 1.0 + 0.003 * order
        if effect == "after" and before == "udp":
            value *= 1.1
        slots[name].append((order, value))
        before = name
    for name, of in slots.items():
        campaign.case(
            name, rows=rounds, params=params(name), test="latency",
            adapter=name, order=[order for order, _ in of],
            statistic_value=[value for _, value in of], statistic_variance=0.0,
        )  # fmt: skip


def test_a_machine_that_gets_slower_is_reported(campaign: Planted) -> None:
    plant(campaign, "drift")
    (finding,) = campaign.found("order-effects")
    assert finding.title == "The machine changed while the campaign ran"
    assert "+" in finding.evidence and "36 rounds" in finding.evidence


def test_an_adapter_that_leaves_something_behind_is_reported(campaign: Planted) -> None:
    plant(campaign, "after")
    (finding,) = campaign.found("order-effects")
    assert "after udp values are" in finding.evidence


def test_trials_of_a_search_differ_by_design(campaign: Planted) -> None:
    plant(campaign, "none")
    low = [3e3 * 3.0**step for step in range(4)]
    campaign.case(
        "search", rows=40, params=params("tcp", test="capacity"), test="capacity", adapter="tcp",
        order=list(range(36, 76)), statistic_value=[*low, *[1.8e5] * 36], statistic_variance=0.0,
        rate_hz=[*low, *[1.8e5] * 36], expected=2000,
    )  # fmt: skip
    assert campaign.found("order-effects") == []


@pytest.mark.parametrize("seed", range(10))
def test_rounds_that_vary_by_chance_are_silent(campaign: Planted, seed: int) -> None:
    plant(campaign, "none", seed)
    assert campaign.found("order-effects") == []


def test_a_case_half_of_whose_rounds_follow_what_slows_them_down_hides_nothing(
    campaign: Planted,
) -> None:
    """In one case most rounds follow the culprit, in the others few do: each case's median is one
    of what it mostly follows."""
    orders: dict[str, list[tuple[int, float]]] = {name: [] for name in ADAPTERS}
    rng = np.random.default_rng(3)
    sequence = ["udp", "tcp", "uds"] * 9 + ["udp", "uds", "tcp"] * 6 + ["uds", "tcp"]
    for order, name in enumerate(sequence):
        slower = 1.3 if order and sequence[order - 1] == "udp" else 1.0
        orders[name].append((order, 1000.0 * slower * float(np.exp(0.01 * rng.normal()))))
    for name, of in orders.items():
        campaign.case(
            name, rows=len(of), params=params(name), test="latency", adapter=name,
            order=[order for order, _ in of], statistic_value=[value for _, value in of],
            statistic_variance=0.0,
        )  # fmt: skip
    (finding,) = campaign.found("order-effects")
    assert "after udp values are 30" in finding.evidence


class TestDependentRounds:
    def test_fires_where_each_round_is_like_the_one_before(self, campaign: Planted) -> None:
        rising = [20_000.0 + 300.0 * n for n in (0, 1, 2, 4, 5, 6, 5, 4, 2, 1)]
        (finding,) = campaign.case(
            "a", rows=10, statistic_value=rising, statistic_variance=0.0
        ).found("dependent-rounds")
        assert finding.severity == "warning"
        assert finding.cases == ["a"]
        assert finding.evidence.startswith("a: successive rounds correlate by")

    def test_is_silent_on_the_trials_of_a_search(self, campaign: Planted) -> None:
        search = {**THROUGHPUT, "test": "capacity"}
        rising = [1000.0 * n for n in range(1, 11)]
        campaign.case("a", params=search, rows=10, statistic_value=rising, statistic_variance=0.0)
        assert campaign.found("dependent-rounds") == []
