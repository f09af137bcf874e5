"""Effects of time and of order on rounds, planted and not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from planted import Planted

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
            name, rows=rounds, params={"test": "latency", "adapter": name}, test="latency",
            adapter=name, order=[order for order, _ in of],
            statistic_value=[value for _, value in of], statistic_variance=0.0,
        )  # fmt: skip


def test_a_machine_that_gets_slower_is_told(campaign: Planted) -> None:
    plant(campaign, "drift")
    (finding,) = campaign.found("order-effects")
    assert finding.title == "The machine changed while the campaign ran"
    assert "+" in finding.evidence and "36 rounds" in finding.evidence


def test_an_adapter_that_leaves_something_behind_is_told(campaign: Planted) -> None:
    plant(campaign, "after")
    (finding,) = campaign.found("order-effects")
    assert "after udp values are" in finding.evidence


@pytest.mark.parametrize("seed", range(10))
def test_rounds_that_vary_by_chance_are_silent(campaign: Planted, seed: int) -> None:
    plant(campaign, "none", seed)
    assert campaign.found("order-effects") == []
