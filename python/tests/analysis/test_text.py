"""How numbers are written."""

from __future__ import annotations

import pytest
from busmark.model.figure import Figure

from busmark.model import text

THIN = text.THIN


def figure(value: float, low: float | None = None, high: float | None = None) -> Figure:
    return Figure(value=value, low=low, high=high, count=10, rounds=5, unit="ns")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        (0.0, "0"),
        (5.1, "5.10"),
        (0.13, "0.130"),
        (123.4, "123"),
        (1234.4, f"1{THIN}234"),
        (123_456.0, f"123{THIN}500"),
        (-5.1, "\N{MINUS SIGN}5.10"),
        (float("nan"), "—"),
    ],
)
def test_numbers_have_three_or_four_digits(value: float | None, shown: str) -> None:
    assert text.number(value) == shown


def test_a_figure_has_its_interval_and_unit() -> None:
    assert text.figure_text(figure(5100, 5020, 5190)) == "5.10 [5.02, 5.19] µs"
    assert text.figure_text(figure(5100)) == "5.10 µs"
    assert text.figure_text(None) == "—"


def test_a_narrow_interval_is_not_hidden_by_rounding() -> None:
    assert text.figure_text(figure(5123, 5121, 5125)) == "5.123 [5.121, 5.125] µs"


def test_a_column_has_the_unit_in_which_its_smallest_value_is_at_least_one() -> None:
    assert text.scale_for([5_000.0, 3_000_000.0]).unit == "µs"
    assert text.scale_for([5_000_000.0, None]).unit == "ms"
    assert text.scale_for([]).unit == "ns"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (64, "64 B"),
        (1000, f"1{THIN}000 B"),
        (1024, "1 KiB"),
        (1 << 20, "1 MiB"),
        (None, "—"),
    ],
)
def test_sizes(size: int | None, shown: str) -> None:
    assert text.size_text(size) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "—"),
        (0.0, "0 %"),
        (1e-7, "<0.001 %"),
        (2e-5, "0.002 %"),
        (0.036, "3.6 %"),
        (1.0, "100 %"),
    ],
)
def test_a_share_is_zero_only_when_it_is(share: float | None, shown: str) -> None:
    assert text.percent_text(share) == shown
