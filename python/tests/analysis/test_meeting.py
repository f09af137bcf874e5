"""How endpoints found each other over time, from tables whose answer is known."""

from __future__ import annotations

import polars as pl
from busmark.estimate.discovery import POINTS, meeting
from hypothesis import given
from hypothesis import strategies as st

from busmark.store.columns import polars_schema

MS = 1_000_000


def table(times_ms: list[int | None], *, limits: bool = False) -> pl.DataFrame:
    rows = [
        {
            "case": "c", "round": 0, "participant": "a", "topic": "t", "endpoint": "reader",
            "counterparts": 1, "matched_ns": None if at is None else at * MS,
            "matched_least_ns": None if limits or at is None else at * MS,
        }
        for at in times_ms
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=polars_schema("matches"))


def test_a_typical_round_is_the_median_over_rounds() -> None:
    found = meeting([table([1, 3, 10]), table([2, 5, 11]), table([-4, 7, 30])])
    assert found is not None
    assert found.t_ns == [1 * MS, 5 * MS, 11 * MS]
    assert found.found == [1, 2, 3]
    assert found.first is not None and found.first.value == 1 * MS
    assert found.half is not None and found.half.value == 5 * MS
    assert found.last is not None and found.last.value == 11 * MS
    assert (found.endpoints, found.unknown, found.limits) == (3, 0, 0)
    assert found.last.rounds == 3


def test_what_is_not_known_is_counted_and_not_drawn() -> None:
    found = meeting([table([4, 6, None]), table([4, 8, None], limits=True)])
    assert found is not None
    assert (found.endpoints, found.unknown, found.limits) == (2, 2, 2)
    assert found.found == [1, 2]


def test_a_round_that_does_not_know_all_says_nothing_of_the_last() -> None:
    found = meeting([table([1, 2, 90]), table([1, 2, None]), table([1, 2, 92])])
    assert found is not None and found.last is not None
    assert (found.last.value, found.last.rounds, found.endpoints) == (91 * MS, 2, 3)
    assert found.unknown == 1


def test_without_any_time_there_is_nothing() -> None:
    assert meeting([]) is None
    assert meeting([table([None, None, None])]) is None


@given(st.lists(st.lists(st.integers(-(10**4), 10**4), min_size=1, max_size=900), min_size=1,
                max_size=4))  # fmt: skip
def test_a_series_rises_and_keeps_its_ends(rounds: list[list[int]]) -> None:
    found = meeting([table([*own]) for own in rounds])
    assert found is not None
    assert len(found.t_ns) == len(found.found) <= POINTS
    assert found.t_ns == sorted(found.t_ns)
    assert found.found == sorted(set(found.found))
    assert (found.found[0], found.found[-1]) == (1, max(map(len, rounds)))
    if len(rounds) == 1:
        assert (found.t_ns[0], found.t_ns[-1]) == (min(rounds[0]) * MS, max(rounds[0]) * MS)
