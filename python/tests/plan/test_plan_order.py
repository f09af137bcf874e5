"""The order of rounds, the CPUs, the time it takes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.model.parameters import Parameters
from busmark.plan import cpus_of, order, shares_cpu
from busmark.store import Case

CASES = [Case(id=f"{n:03d}", params={}, status="planned") for n in range(12)]


@settings(deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**63 - 1), number=st.integers(0, 1000))
def test_an_order_is_a_permutation_that_seed_and_round_determine(seed: int, number: int) -> None:
    found = order(CASES, number, seed)
    assert sorted(case.id for case in found) == [case.id for case in CASES]
    assert found == order(CASES, number, seed)


def test_rounds_and_seeds_have_orders_of_their_own() -> None:
    orders = {
        tuple(case.id for case in order(CASES, number, seed))
        for number in range(10) for seed in range(10)
    }  # fmt: skip
    assert len(orders) == 100


@pytest.fixture
def four_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})


@pytest.mark.usefixtures("four_cpus")
@pytest.mark.parametrize(
    ("placement", "cpus", "shares"),
    [
        ("same", [[3], [3]], True),
        ("different", [[0], [1]], False),
        ("free", [[], []], True),
        ("2", [[2], [2]], True),
        ("2+0", [[2], [0]], False),
        ("1+1", [[1], [1]], True),
    ],
)
def test_placement_gives_each_participant_its_cpus(
    placement: str, cpus: list[list[int]], shares: bool
) -> None:
    params = Parameters(placement=placement, deployment="separate")
    assert cpus_of(params, 2) == cpus
    assert shares_cpu(params) is shares
