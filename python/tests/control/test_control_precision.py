"""Which cases get further rounds."""

from __future__ import annotations

from typing import Any

from control_fakes import PARAMS, scenario

from busmark.control import wanting
from busmark.store import Case

CASES = [
    Case(id=name, params=PARAMS.changed(warmup_s=0.5, duration_s=1.0), status="planned")
    for name in ("steady", "restless", "wild")
]
"""Two seconds a round, with what it takes beyond."""

VALUES = {"steady": [100, 101, 100], "restless": [100, 120, 80], "wild": [100, 300, 20]}


def rows(rounds: int = 3) -> list[dict[str, Any]]:
    return [
        {
            "case": case, "status": "ok", "statistic_value": float(value),
            "statistic_variance": 0.0, "warmup_s": 0.5, "measured_s": 1.0, "overhead_s": 0.5,
            "failed_s": None,
        }
        for case, values in VALUES.items() for value in values[:rounds]
    ]  # fmt: skip


def chosen(**rounds: Any) -> list[str]:
    asked = scenario(max=1000, **rounds).rounds
    return [case.id for case in wanting(CASES, rows(), asked)]


def test_without_a_target_nobody_wants_more() -> None:
    assert chosen() == []


def test_whose_interval_is_narrow_has_enough() -> None:
    assert chosen(target=0.05) == ["restless", "wild"]


def test_a_case_without_an_interval_wants_more() -> None:
    asked = scenario(min=1, max=9, target=0.9).rounds
    assert len(wanting(CASES, rows(1), asked)) == 3


def test_the_campaigns_budget_goes_to_the_widest_interval() -> None:
    # 18 s are spent.
    assert chosen(target=0.05, budget_s=1e6) == ["restless", "wild"], "it lasts for all"
    assert chosen(target=0.05, budget_s=100.0) == ["wild"]
    assert chosen(target=0.05, budget_s=19.0) == [], "not even for one round"


def test_a_case_stops_at_its_own_budget() -> None:
    assert chosen(target=0.05, case_budget_s=7.0) == []
    assert chosen(target=0.05, case_budget_s=9.0) == ["restless", "wild"]


def test_attempts_that_failed_have_cost_their_time() -> None:
    asked = scenario(max=1000, target=0.05, case_budget_s=9.0).rounds
    failed = [{**row, "failed_s": 0.5} for row in rows()]
    assert wanting(CASES, failed, asked) == [], "three rounds came to 7.5 s"


def test_failed_and_marked_rounds_cost_time_and_tell_nothing() -> None:
    failed = [{**row, "status": "marked"} for row in rows() if row["case"] == "steady"]
    asked = scenario(max=9, target=0.05).rounds
    (case, *_) = wanting(CASES, [*failed, *rows()[3:]], asked)
    assert case.id == "steady"
