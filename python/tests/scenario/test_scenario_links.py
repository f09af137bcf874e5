"""What a user may write for a link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.errors import UserError
from busmark.links import Links, links


def test_units_are_understood() -> None:
    assert links("100mbit", "1%", "2ms", "200us") == Links(
        rate_bit_s=1e8, loss=0.01, delay_s=2e-3, jitter_s=2e-4
    )


def test_what_is_lost_in_a_row_needs_a_loss() -> None:
    bursts = links("", "5%", "", "", 8.0, "tuned")
    assert bursts.forwarded and str(bursts).startswith("no rate limit, 0.05 lost in bursts of 8")
    assert not links("", "", "", "", 8.0).forwarded


def test_nothing_said_is_nothing_done() -> None:
    assert links("", "", "", "") == Links()
    assert str(Links()) == "no rate limit, no loss, no delay"


@given(st.floats(0.01, 1000, allow_nan=False))
def test_a_delay_is_the_same_in_every_unit(milliseconds: float) -> None:
    one = links("", "", f"{milliseconds:.9f}ms", "")
    other = links("", "", f"{milliseconds * 1000:.6f}us", "")
    assert one.delay_s == pytest.approx(other.delay_s, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("100", "", "", ""), "--rate: '100' has no unit"),
        (("fast", "", "", ""), "--rate: 'fast' is not a bandwidth"),
        (("1bit", "", "", ""), "--rate: 1bit cannot be"),
        (("900gbit", "", "", ""), "--rate: 900gbit cannot be"),
        (("", "120%", "", ""), "--loss: 120% cannot be"),
        (("", "-1%", "", ""), "--loss: '-1%' is not a share"),
        (("", "", "2", ""), "--delay: '2' has no unit"),
        (("", "", "11s", ""), "--delay: 11s cannot be"),
        (("", "", "1ms", "2ms"), "--jitter: 2ms is more than the delay"),
        (("", "", "", "2ms"), "--jitter: 2ms is more than the delay"),
    ],
)
def test_what_cannot_be_is_refused_with_an_example(
    asked: tuple[str, str, str, str], says: str
) -> None:
    with pytest.raises(UserError) as refused:
        links(*asked)
    assert says in str(refused.value)
    assert refused.value.remedy


@given(st.text(max_size=8))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    try:
        found = links(text, "", "", "")
    except UserError:
        return
    assert found.rate_bit_s >= 0
