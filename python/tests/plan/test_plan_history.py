"""What history is where the scenario does not name it: a stall must not overwrite what waits."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.plan import expand
from busmark.scenario import Scenario


def qos(matrix: dict[str, Any], timeout_s: float = 1.0, **capabilities: Any) -> dict[str, Any]:
    scenario = Scenario.model_validate(
        {"name": "x", "measure": {"timeout_s": timeout_s}, "matrix": {"adapter": "paper", **matrix}}
    )
    (case,) = expand(scenario, {"paper": adapter(**capabilities)})
    found: dict[str, Any] = case.params.qos
    return found


OPEN = {"rate_hz": 500.0}


def test_an_open_loop_keeps_all() -> None:
    assert qos(OPEN) == {"reliability": "reliable", "history": "keep_all"}


def test_a_closed_loop_keeps_the_last() -> None:
    assert qos({}) == {"reliability": "reliable", "history": "keep_last", "depth": 1}


@pytest.mark.parametrize(
    ("matrix", "capabilities"),
    [
        ({"qos": {"reliability": "best_effort"}}, {}),
        ({}, {"qos": ["reliable", "keep_last"]}),
    ],
)
def test_without_keep_all_an_open_loop_keeps_what_is_sent_until_a_ping_times_out(
    matrix: dict[str, Any], capabilities: dict[str, Any]
) -> None:
    found = qos({**OPEN, **matrix}, timeout_s=0.5, **capabilities)
    assert found["history"] == "keep_last" and found["depth"] == 250


def test_what_is_named_stays() -> None:
    named = {"history": "keep_last", "depth": 3}
    assert qos({**OPEN, "qos": named}).items() >= named.items()
    # Only keep-last has a depth.
    assert qos({**OPEN, "qos": {"depth": 3}})["depth"] == 3


def test_memory_has_a_limit() -> None:
    found = qos({"rate_hz": 1e6, "qos": {"reliability": "best_effort"}})
    assert found["depth"] == 4096


def test_an_adapter_without_history_has_none() -> None:
    assert "history" not in qos(OPEN, qos=["reliable"])
