"""The time of a plan, against what rounds took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from busmark.plan import Pace, expected_s
from busmark.store import Case

RECORDED = json.loads((Path(__file__).parent / "recorded_rounds.json").read_text())
"""What rounds of the quick packs took, storing included, on two busy CPUs; a lab's creation is not
among them."""

PARAMS: dict[str, Any] = {
    "test": "latency", "adapter": "tcp", "peer": None, "size": 64, "publishers": 1,
    "subscribers": 1, "deployment": "separate", "qos": {}, "load": None, "rate_hz": None,
    "duration_s": 5.0, "warmup_s": 0.0, "samples": 0,
}  # fmt: skip


def case(name: str = "x", **params: Any) -> Case:
    return Case(id=name, params={**PARAMS, **params}, status="planned")


@pytest.mark.parametrize("pack", RECORDED)
def test_the_time_of_a_pack_is_within_a_quarter_of_what_it_took(pack: str) -> None:
    rounds = RECORDED[pack]
    expected = sum(expected_s(case(**of["params"])) for of in rounds)
    took = sum(of["took_s"] for of in rounds)
    assert expected == pytest.approx(took, rel=0.25)


def test_samples_that_end_a_round_count() -> None:
    """Not the 5 s that they may take at most: 6 such cases took 54 s for 20 rounds each."""
    cases = [case(subscribers=n, adapter=a, samples=2000)
             for n in (1, 3) for a in ("tcp", "udp", "omniorb")]  # fmt: skip
    assert 20 * sum(map(expected_s, cases)) == pytest.approx(54, rel=0.3)


def test_a_rate_says_how_long_samples_take() -> None:
    fast, slow = (expected_s(case(samples=100, rate_hz=rate)) for rate in (100.0, 50.0))
    assert slow - fast == pytest.approx(1.0)
    assert expected_s(case(samples=100, rate_hz=1.0)) == expected_s(case()), "no longer than asked"


def row(of: str, seconds: float, status: str = "ok") -> dict[str, Any]:
    return {"case": of, "status": status, "warmup_s": 0.0, "measured_s": seconds,
            "overhead_s": 0.0, "failed_s": None}  # fmt: skip


def test_what_rounds_took_replaces_the_model() -> None:
    cases = [case("a"), case("b"), case("c", adapter="udp"), case("d", adapter="udp")]
    model = expected_s(cases[0])
    assert Pace(cases, []).expected_s(cases[0]) == model
    pace = Pace(
        cases, [row("a", 2 * model), row("c", 1.0), row("c", 3.0), row("b", 99.0, "failed")]
    )
    assert pace.expected_s(cases[0]) == 2 * model
    assert pace.expected_s(cases[1]) == pytest.approx(2 * model), "as others of its adapter"
    assert pace.expected_s(cases[2]) == 2.0
    alike = Pace(cases, [row("a", 2 * model)])
    assert alike.expected_s(cases[3]) == pytest.approx(2 * model), "as all"
