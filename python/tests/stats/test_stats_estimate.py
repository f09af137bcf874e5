"""The value type of an estimate."""

import dataclasses

import pytest

from busmark.stats import Estimate


def test_widths_of_an_asymmetric_interval() -> None:
    estimate = Estimate(10.0, 9.0, 13.0, 0.95, count=100, rounds=5)
    assert estimate.half_width == 2.0
    assert estimate.relative_half_width == 0.2


def test_widths_are_absent_without_an_interval() -> None:
    estimate = Estimate(10.0, None, None, None, count=100, rounds=1)
    assert estimate.half_width is None
    assert estimate.relative_half_width is None


def test_relative_width_uses_the_magnitude_of_the_value() -> None:
    assert Estimate(-10.0, -12.0, -8.0, 0.9, 5, 5).relative_half_width == 0.2
    assert Estimate(0.0, -1.0, 1.0, 0.9, 5, 5).relative_half_width is None


def test_it_cannot_be_changed() -> None:
    estimate = Estimate(1.0, None, None, None, 1, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.value = 2.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("low", "high", "confidence"),
    [(None, 2.0, 0.95), (1.0, None, 0.95), (1.0, 2.0, None), (None, None, 0.95), (2.0, 1.0, 0.95)],
)
def test_half_given_or_inverted_intervals_are_refused(
    low: float | None, high: float | None, confidence: float | None
) -> None:
    with pytest.raises(ValueError, match=r"together|order"):
        Estimate(1.5, low, high, confidence, 10, 2)
