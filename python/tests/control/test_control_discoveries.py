"""Repetitions of a discovery test: the table, and figures of a round."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from busmark.control import discoveries
from busmark.control.round import RoundData
from busmark.store import Case

BEGIN_NS = 1_000_000


def repetition(begin_ns: int, **known: Any) -> dict[str, Any]:
    """Discovered by events, 50 ns before the creation was finished, after two samples were lost."""
    return {
        "begin_ns": begin_ns, "attached_ns": None, "created_ns": begin_ns + 150,
        "own_after_ns": begin_ns + 100, "own_at_ns": begin_ns + 100,
        "peer_after_ns": begin_ns + 120, "peer_at_ns": begin_ns + 120,
        "first_ns": begin_ns + 300, "sent": 3, "lost": 2, "closed_ns": begin_ns + 900, **known,
    }  # fmt: skip


def table(
    rows: list[dict[str, Any]], new: str = "writer", *, one_clock: bool = True
) -> pl.DataFrame:
    case = Case(id="c", params={"test": "discovery", "new": new}, status="planned")
    data = RoundData(one_clock=one_clock)
    data.roles = [{"discoveries": None}, {"discoveries": pl.DataFrame(rows)}]
    found = discoveries.table(case, 0, data)
    assert found is not None
    return found


def test_times_begin_with_the_creation() -> None:
    seen = table([repetition(BEGIN_NS), repetition(BEGIN_NS + 5000)])
    assert seen["start_ns"].to_list() == [0, 5000]
    assert seen["creation_ns"].to_list() == [150, 150]
    assert seen["first_sample_ns"].to_list() == [300, 300]
    assert seen["lost"].to_list() == [2, 2]


def test_what_was_before_the_end_of_creation_is_below_zero() -> None:
    figures = discoveries.figures(table([repetition(BEGIN_NS)]))
    assert figures["own_match_after_ns"] == -50 and figures["peer_match_after_ns"] == -30
    assert figures["first_sample_after_ns"] == 150
    assert figures["lost_before"] == 2


def test_a_match_that_the_first_question_found_has_no_time() -> None:
    figures = discoveries.figures(table([repetition(BEGIN_NS, own_after_ns=None)]))
    assert figures["own_match_ns"] is None and figures["peer_match_ns"] == 120


def test_a_repetition_without_a_sample_counts_as_undiscovered() -> None:
    rows = [repetition(BEGIN_NS), repetition(BEGIN_NS, first_ns=None, lost=None)]
    figures = discoveries.figures(table(rows))
    assert (figures["repetitions"], figures["undiscovered"]) == (2, 1)
    assert figures["first_sample_ns"] == 300


@pytest.mark.parametrize(
    ("new", "first", "lost"), [("writer", [None], [2]), ("reader", [300], [None])]
)
def test_with_two_clocks_only_differences_of_one_are_kept(
    new: str, first: list[int | None], lost: list[int | None]
) -> None:
    seen = table([repetition(BEGIN_NS)], new, one_clock=False)
    assert seen["peer_match_ns"].to_list() == [None] and seen["own_match_ns"].to_list() == [100]
    assert seen["first_sample_ns"].to_list() == first and seen["lost"].to_list() == lost
    assert seen["received"].to_list() == [True]


def test_another_test_has_none() -> None:
    case = Case(id="c", params={"test": "latency"}, status="planned")
    assert discoveries.table(case, 0, RoundData()) is None
