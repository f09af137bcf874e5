"""Rules about goals of an action, and their feedback."""

from __future__ import annotations

from typing import Any

import pytest
from planted import THROUGHPUT, Planted, Planting, finds, params


def action(**matrix: Any) -> dict[str, Any]:
    return params("cyclonedds", test="action", placement="different", **matrix)


TEN = action(goals=10)
RELIABLE = action(goals=10, qos={"history": "keep_all"})
BEST_EFFORT = action(goals=10, qos={"reliability": "best_effort"})
GONE, REFUSED = "goals-without-result", "goals-refused"
LOST, OVERWRITTEN = "feedback-lost", "feedback-overwritten"
FED = {"feedback_expected": 1000, "feedback_received": [1000, 940, 1000]}

PLANTED: dict[str, Planting] = {
    "goals without a result": (
        GONE, TEN, {"goals_sent": 100, "goals_without_result": [0, 30, 0], "late": [0, 10, 0]},
        "warning", "30 of 300 goals without a result (10 %)|of 10 goals it came too late"),
    "few goals without a result": (
        GONE, TEN, {"goals_sent": 1000, "goals_without_result": [0, 1, 0]}, "note", "1 of 3 000"),
    "all goals with a result": (GONE, TEN, {"goals_sent": 100}, None, ""),
    "a stream has no goals": (GONE, THROUGHPUT, {"lost": 100}, None, ""),
    "goals that the server refuses": (
        REFUSED, TEN, {"goals_sent": 100, "goals_refused": 3}, "warning", "9 of 300 goals refused"),
    "feedback that is lost": (
        LOST, RELIABLE, FED, "warning", "60 of 3 000 feedback messages lost (2.0 %)"),
    "feedback that is all there": (
        LOST, RELIABLE, {"feedback_expected": 10, "feedback_received": 10}, None, ""),
    "feedback that a history replaces": (
        OVERWRITTEN, TEN, FED, "warning", "10 goals under way on one topic, of which history "
        "keeps the last 10"),
    "feedback that is not sent again": (OVERWRITTEN, BEST_EFFORT, FED, None, ""),
    "feedback that every history keeps": (OVERWRITTEN, RELIABLE, FED, None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_rule_finds_what_is_planted_and_nothing_else(campaign: Planted, name: str) -> None:
    finds(campaign, PLANTED[name])
