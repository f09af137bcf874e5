"""Rows column by column give back what was put in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.store.packed import Block

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just(-0.0)
)
COLUMNS = ("case", "round", "median_ns")


@given(st.lists(st.tuples(*[VALUES] * len(COLUMNS))), st.lists(st.floats()))
def test_every_value_comes_back_as_it_was(
    rows: list[tuple[Any, ...]], numbers: list[float]
) -> None:
    rows += [("x", 1, number) for number in numbers]
    given_rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    block = Block()
    kept = [block.append(row) for row in given_rows]
    # As text: NaN is not equal to itself, and 1 is equal to 1.0 and True.
    assert [repr(dict(row)) for row in kept] == [repr(row) for row in given_rows]


def test_a_row_is_read_as_any_mapping() -> None:
    row = Block().append({"case": "x", "round": 3, "reason": None})
    assert row["round"] == 3 and row.get("reason", "none") is None
    assert row.get("no column") is None and "no column" not in row and len(row) == 3
    with pytest.raises(KeyError):
        row["no column"]
