"""Amounts as people type them: what each unit is, and what is said of one of another kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.model import units

READ = [
    ("64", "size", 64), ("64k", "size", 65536), ("64K", "size", 65536), ("1kB", "size", 1000),
    ("1 MiB", "size", 1 << 20), ("1.5k", "size", 1536),
    ("100Hz", "rate", 100), ("10khz", "rate", 1e4),
    ("2k", "rate", 2000), ("2M/s", "rate", 2e6), ("2ms", "time", 0.002), ("1m30s", "time", 90),
    ("1h30min", "time", 5400), ("0.5", "time", 0.5), ("5 µs", "time", 5e-6), ("2%", "share", 0.02),
    ("100mbit", "bandwidth", 1e8), ("10Mbit/s", "bandwidth", 1e7), ("10MB", "disk", 1e7),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "amount"), READ)
def test_an_amount_is_read(text: str, kind: str, amount: float) -> None:
    assert units.read(text, kind) == pytest.approx(amount)


WRONG = [
    ("64kHz", "size", "is a rate, not a size"), ("5MB", "rate", "is a size, not a rate"),
    ("5MB", "bandwidth", "is a size, not a bandwidth"), ("2ms", "rate", "is a time, not a rate"),
    ("100mbit", "rate", "is a bandwidth, not a rate"), ("64kg", "size", "is not a size"),
    ("1k30", "size", "is not a size"), ("1m30", "time", "is not a time"),
    ("", "time", "is not a time"),
    ("-1", "rate", "is not a rate"), ("nan", "rate", "is not a rate"),
    ("0.3", "size", "whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "why"), WRONG)
def test_what_is_no_amount_of_the_kind_says_what_it_is_and_what_to_write(
    text: str, kind: str, why: str
) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        units.read_size(text) if kind == "size" else units.read(text, kind)
    assert f"such as {units.KINDS[kind].example}" in str(caught.value)


@pytest.mark.parametrize("kind", units.KINDS)
def test_every_example_and_every_unit_is_read(kind: str) -> None:
    of = units.KINDS[kind]
    units.read(of.example, kind)
    for unit in {*of.units} - {"1/s"}:
        assert units.read(f"3{unit}", kind) == pytest.approx(3 * of.units[unit])


@given(st.integers(0, 1 << 40), st.sampled_from(["size", "rate"]))
def test_an_amount_in_short_reads_back(amount: int, kind: str) -> None:
    shown = units.short(amount, kind)
    assert units.read(shown, kind) == pytest.approx(amount, rel=1e-5)


@given(st.text(max_size=20), st.sampled_from(list(units.KINDS)))
def test_any_text_is_read_or_refused(text: str, kind: str) -> None:
    try:
        assert units.read(text, kind) >= 0
    except ValueError as wrong:
        assert "\nWrite " in str(wrong)
