"""Checks along sizes and rounds, on campaigns whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from busmark.estimate.case import CaseSummary
from busmark.estimate.repeated import halves
from documents_campaigns import MOOD, campaign, case
from hypothesis import given
from hypothesis import strategies as st

from busmark.documents.along import OnLine, Second, Steps
from busmark.documents.claim import ABOVE, BELOW, alike
from busmark.documents.evidence import Check, Evidence, evidence
from busmark.documents.select import cases

positive = st.floats(0.1, 10)
SIZES = (50, 100, 1000, 8000, 32000)


def latencies(values: Sequence[float], moods: Sequence[float] = MOOD) -> list[CaseSummary]:
    """A case of each size with this median (µs) in every round, times the round's mood."""
    found = []
    for size, value in zip(SIZES, values, strict=False):
        params: dict[str, Any] = {
            "test": "latency", "adapter": "a", "payload": "octet", "size": size, "qos": {},
            "load": None, "rate_hz": None, "link_rate": None,
        }  # fmt: skip
        found.append(case(f"a-{size}", params, [1e3 * value * mood for mood in moods]))
    return found


def asked(check: Check, found: Sequence[CaseSummary]) -> Evidence:
    return evidence(check, campaign(found))


@given(st.lists(positive, min_size=2, max_size=5))
def test_steps_multiply_to_the_last_over_the_first(values: list[float]) -> None:
    found = asked(Steps("", cases(adapter="a"), ABOVE), latencies(values))
    assert found.ratio is not None
    whole = values[-1] / values[0]
    assert found.ratio.value ** len(found.pairs) == pytest.approx(whole)
    ends = asked(Steps("", cases(adapter="a"), ABOVE, ends=True), latencies(values))
    assert ends.ratio is not None and ends.ratio.value == pytest.approx(whole)


@given(st.floats(1, 100), st.floats(0, 0.01))
def test_values_on_a_line_lie_on_it_in_every_round(overhead: float, slope: float) -> None:
    values = [overhead + slope * size for size in SIZES]
    found = asked(OnLine("", cases(adapter="a"), alike(1.0001)), latencies(values))
    assert found.verdict == "agrees"
    assert [pair.ratio().value for pair in found.pairs] == pytest.approx([1.0] * len(SIZES))


def test_values_on_a_curve_do_not() -> None:
    values = [1 + (size / 1000) ** 2 for size in SIZES]
    assert asked(OnLine("", cases(adapter="a"), alike(1.25)), latencies(values)).verdict == (
        "disagrees"
    )


@given(positive.filter(lambda x: abs(x - 1) > 1e-3), st.integers(2, 9))
def test_the_second_half_of_the_rounds_stands_over_the_first(factor: float, rounds: int) -> None:
    first, second = halves(range(rounds))
    moods = [1.0] * len(first) + [factor] * len(second)
    found = asked(Second("", cases(adapter="a"), BELOW), latencies([5.0], moods))
    assert found.ratio is not None and found.ratio.value == pytest.approx(factor)
    if len(second) > 1:
        assert found.verdict == ("agrees" if factor < 1 else "disagrees")


def test_what_there_is_too_little_of_is_said() -> None:
    one, a = latencies([5.0], [1.0]), cases(adapter="a")
    assert asked(Steps("", a, ABOVE), one).reason == "one size only"
    assert asked(Steps("", a, ABOVE, ends=True), one).reason == "one size only"
    assert asked(OnLine("", a, ABOVE), one).reason == "a line needs 3 sizes"
    assert asked(Second("", a, ABOVE), one).reason == "two campaigns need two rounds"
    assert asked(Second("", cases(adapter="b"), ABOVE), one).reason.endswith("adapter b")


@given(st.sets(st.integers(0, 50)))
def test_halves_keep_every_round_in_its_order(rounds: set[int]) -> None:
    first, second = halves([*rounds])
    assert first + second == sorted(rounds)
    assert len(first) - len(second) in (0, 1)
