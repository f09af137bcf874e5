"""Figures of each phase, by rows made to order."""

from __future__ import annotations

import polars as pl
import pytest
from busmark.estimate.phases import RoundTables, phases


def tables(
    trips: dict[int, list[int | None]], rates: dict[int | None, list[int]] | None = None
) -> RoundTables:
    """A round: round trips of its pings by phase, and what a reader counted in intervals of 1 s."""
    rows = [(phase, trip) for phase, own in trips.items() for trip in own]
    sent = [1000 + index for index in range(len(rows))]
    samples = pl.DataFrame({
        "role": ["pinger"] * len(rows), "flow": ["pings"] * len(rows), "flags": [0] * len(rows),
        "writer": [1] * len(rows), "reader": [None] * len(rows),
        "intended_ns": sent, "phase": [phase for phase, _ in rows],
        "read_ns": [None if t is None else s + t for s, (_, t) in zip(sent, rows, strict=True)],
    }, schema_overrides=dict.fromkeys(("read_ns", "phase", "reader"), pl.Int64()))  # fmt: skip
    counted = [(phase, each) for phase, own in (rates or {}).items() for each in own]
    intervals = pl.DataFrame(
        [("video", "receiver", 3, 4, 10**9 * index, 10**9, each, phase)
         for index, (phase, each) in enumerate(counted)],
        schema={"flow": pl.String, "role": pl.String, "writer": pl.Int64, "reader": pl.Int64,
                "start_ns": pl.Int64, "duration_ns": pl.Int64, "samples": pl.Int64,
                "phase": pl.Int64},
        orient="row",
    )  # fmt: skip
    changes = pl.DataFrame({
        "phase": [1], "flow": ["video"], "change": ["rate_hz = 9"], "asked_ns": [2 * 10**9],
        "taken_ns": [1000 + len(trips.get(0, []))],
    })  # fmt: skip
    return RoundTables(samples, intervals, changes)


def test_without_a_change_there_is_no_phase() -> None:
    whole = tables({0: [5]})
    assert phases([RoundTables(whole.samples, whole.intervals, None)]) == []
    assert phases([]) == []


def test_each_phase_has_figures_of_its_own() -> None:
    first, second = phases([tables({0: [10, 20, 30], 1: [200, 400, 600]})] * 2)
    assert (first.phase, second.phase) == (0, 1)
    assert first.half_round_trip is not None and first.half_round_trip.value == 10.0
    assert second.half_round_trip is not None and second.half_round_trip.value == 200.0
    assert second.half_round_trip.count == 6 and second.half_round_trip.rounds == 2
    assert (first.change, second.change) == (None, "rate_hz = 9 of video")
    assert second.begin_s == pytest.approx(2.0)
    assert first.read_per_s is None and first.written_per_s is None


def test_the_first_sample_after_a_change_may_have_been_sent_before_it() -> None:
    """Changed at 1003: what was sent at 1000 came at 1010, nothing earlier."""
    first, second = phases([tables({0: [10, 20, 30], 1: [200]})] * 2)
    assert first.first_after is None
    assert second.first_after is not None and second.first_after.value == 7.0
    (_, none) = phases([tables({0: [0, 0], 1: [None]})])
    assert none.first_after is None


def test_what_was_lost_is_told_and_later_than_any() -> None:
    _, second = phases([tables({0: [10], 1: [200, None, 600]})])
    assert (second.asked, second.lost) == (3, 1)
    assert second.half_round_trip is not None and second.half_round_trip.value == 300.0
    _, hidden = phases([tables({0: [10], 1: [200, None, None]})])
    assert hidden.half_round_trip is None


def test_rates_are_of_whole_intervals_within_the_phase() -> None:
    """The last is not whole, and the one in the middle is of neither."""
    found = phases([tables({0: [10], 1: [10]}, {0: [100, 120], None: [500], 1: [900, 5]})])
    by = {(each.flow, each.phase): each.read_per_s for each in found}
    before, after = by["video", 0], by["video", 1]
    assert before is not None and before.value == pytest.approx(110.0)
    assert after is not None and after.value == pytest.approx(900.0)
    assert before.count == 220
