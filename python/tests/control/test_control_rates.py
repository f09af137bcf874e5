"""A round whose writers did not reach the rate, or whose load was not there, says so."""

from __future__ import annotations

from typing import Any

import pytest
from control_fakes import PARAMS

from busmark.control.tables import shortfall
from busmark.scenario.model import Criteria
from busmark.store import Case


def judged(sent: int, seconds: float = 1.0, *, ended: str = "duration", senders: int = 1,
           criteria: dict[str, Any] | None = None, **params: Any) -> str | None:  # fmt: skip
    asked = {"rate_hz": 1000.0, "arrivals": "constant", **params}
    case = Case(id="000-x", params=PARAMS.changed(**{**asked}), status="planned")
    figures = {"samples": sent, "received": sent, "expected": sent, "lost": 0, "sent": sent,
               "measured_s": seconds, "senders": senders, "ended": ended}  # fmt: skip
    return shortfall(figures, case, Criteria(**(criteria or {})))


def test_a_rate_that_was_not_reached_is_told_beside_what_was_asked() -> None:
    assert judged(500) == "reached 500/s of 1\u202f000/s (criteria.min_rate)"
    assert judged(999) is None


def test_the_rate_is_of_all_writers_together() -> None:
    assert judged(4900, senders=5) is None
    told = judged(1000, senders=5)
    assert told == "reached 1\u202f000/s of 5\u202f000/s (criteria.min_rate)"


def test_a_round_that_was_given_up_for_being_late_is_always_told() -> None:
    told = judged(950, ended="late")
    assert told == "reached 950/s of 1\u202f000/s (criteria.min_rate)"


def test_chance_is_no_shortfall_of_a_poisson_stream() -> None:
    assert judged(800, 1.0, arrivals="poisson") is None
    assert judged(800, 1.0, arrivals="constant") is not None
    assert judged(8400, 10.0, arrivals="poisson") is not None


@pytest.mark.parametrize("rate", [None, 0])
def test_without_a_rate_there_is_nothing_to_reach(rate: float | None) -> None:
    assert judged(500, rate_hz=rate) is None


def test_an_overload_test_can_be_asked_for() -> None:
    assert judged(500, criteria={"min_rate": 0}) is None


@pytest.mark.parametrize(
    ("achieved", "told"),
    [
        (0.5, None),
        (0.46, None),
        (0.4, "80 % of the background load (cpu) was there (criteria.min_load)"),
        (None, "nobody knows how much background load (cpu) there was (criteria.min_load)"),
    ],
)
@pytest.mark.parametrize("beside", ["", " + net 5mbit", " + disk max"])
def test_a_load_that_was_not_there_is_told(
    achieved: float | None, told: str | None, beside: str
) -> None:
    case = Case(id="000-x", params=PARAMS.changed(**{"load": f"cpu 50%{beside}"}), status="planned")
    figures = {"samples": 500, "received": 500, "expected": 500, "lost": 0, "sent": 500,
               "measured_s": 1.0, "senders": 1, "ended": "duration", "load_cpu_achieved": achieved,
               "load_net_achieved": 4.9e6, "load_disk_achieved": 1.0}  # fmt: skip
    assert shortfall(figures, case, Criteria()) == told
    assert shortfall(figures, case, Criteria(min_load=0)) is None


def test_of_two_loads_each_that_was_not_there_is_told() -> None:
    case = Case(id="000-x", params=PARAMS.changed(load="cpu 50% + net 5mbit"), status="planned")
    figures = {"samples": 500, "received": 500, "expected": 500, "lost": 0, "sent": 500,
               "measured_s": 1.0, "senders": 1, "ended": "duration", "load_cpu_achieved": 0.25,
               "load_net_achieved": 1e6}  # fmt: skip
    assert shortfall(figures, case, Criteria()) == (
        "50 % of the background load (cpu) was there; 20 % of the background load (net) was there "
        "(criteria.min_load)"
    )
