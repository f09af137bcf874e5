"""Numbers and units of other tools."""

from __future__ import annotations

import locale
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.plugins.imports.text import NANOSECONDS, nanoseconds, number, whole

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)


@given(FINITE, st.sampled_from(sorted(NANOSECONDS)))
def test_a_time_in_any_unit_is_converted(value: float, unit: str) -> None:
    found = nanoseconds(value, unit)
    assert found == pytest.approx(value * float(NANOSECONDS[unit]), rel=1e-15, abs=1e-300)


@given(st.integers(0, 10**9), st.integers(0, 999))
def test_microseconds_with_three_decimals_are_whole_nanoseconds(whole_part: int, rest: int) -> None:
    assert nanoseconds(f"{whole_part}.{rest:03d}", "us") == whole_part * 1000 + rest
    assert nanoseconds(f"{whole_part}.{rest:03d}", "ms") == whole_part * 10**6 + rest * 1000


@given(FINITE)
def test_what_was_printed_is_read(value: float) -> None:
    assert number(repr(value)) == Decimal(repr(value))
    assert float(number(f" {value:.9e} ") or 0) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("text", ["nan", "-nan", "inf", "-inf", "NaN", "", "  "])
def test_what_is_no_number_is_absent_and_not_0(text: str) -> None:
    assert number(text) is None
    assert nanoseconds(text, "us") is None


@pytest.mark.parametrize("text", ["1,5", "1.2.3", "0x10", "12us", "1_000", "--1", "1e", "."])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        number(text)


def test_a_comma_is_no_decimal_point() -> None:
    with pytest.raises(ValueError, match="decimals must be after a point"):
        number("31,402")


def test_the_locale_of_the_process_changes_nothing() -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"):
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
            except locale.Error:
                continue
            assert nanoseconds("31.402", "us") == 31402.0
            with pytest.raises(ValueError, match="not a number"):
                number("31,402")
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


@given(st.integers(-(10**30), 10**30))
def test_a_count_fits_its_column_or_is_refused(value: int) -> None:
    if 0 <= value < 10**18:
        assert whole(str(value)) == value
    else:
        with pytest.raises(ValueError, match=r"not a count|too large"):
            whole(str(value))


@given(st.text(max_size=20))
def test_any_text_is_a_number_absent_or_refused(text: str) -> None:
    for parse in (number, whole, lambda t: nanoseconds(t, "us")):
        try:
            parse(text)
        except ValueError as error:
            assert str(error)
