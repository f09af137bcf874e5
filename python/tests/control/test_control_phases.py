"""Which phase a row belongs to."""

from __future__ import annotations

import numpy as np
import polars as pl

from busmark.control.phases import Moment, Phases


def moment(phase: int, number: int, taken_ns: int) -> Moment:
    return Moment(phase, 0, "pings", number, "rate_hz = 5", taken_ns)


TWO = [moment(1, 1, 100), moment(2, 3, 200), moment(2, 4, 210)]
"""The first changes end 1, the second 3 and a little later 4."""


def of(phases: Phases, writer: int, sent: list[int | None]) -> list[int | None]:
    frame = pl.DataFrame(
        {"writer": [writer] * len(sent), "sent_ns": sent}, schema_overrides={"sent_ns": pl.Int64()}
    )
    return phases.of_samples(frame).to_list()


def test_without_a_change_there_is_no_phase() -> None:
    phases = Phases([], one_clock=True)
    assert of(phases, 1, [5, 6]) == [None, None]
    assert phases.of_intervals(1, np.array([0, 10]), 10) == [None, None]


def test_a_sample_is_of_the_phase_in_which_it_was_sent() -> None:
    phases = Phases(TWO, one_clock=True)
    assert of(phases, 1, [99, 100, 199, 200, None]) == [0, 1, 1, 2, None]


def test_what_was_changed_itself_has_its_own_moment() -> None:
    assert of(Phases(TWO, one_clock=True), 4, [205, 210]) == [1, 2]


def test_another_clock_does_not_tell_of_a_change() -> None:
    phases = Phases(TWO, one_clock=False)
    assert of(phases, 1, [99, 300]) == [None, None]
    own = Phases([moment(1, 1, 100), moment(1, 2, 7)], one_clock=False)
    assert of(own, 1, [99, 100]) == [0, 1]
    assert of(own, 2, [6, 7]) == [0, 1]


def test_several_writers_in_a_frame_have_a_phase_each() -> None:
    frame = pl.DataFrame({"writer": [1, 4, 1, 4], "sent_ns": [205, 205, 250, 250]})
    assert Phases(TWO, one_clock=True).of_samples(frame).to_list() == [2, 1, 2, 2]


def test_an_interval_in_which_something_changed_is_of_no_phase() -> None:
    starts = np.array([80, 90, 100, 190, 200])
    found = Phases(TWO, one_clock=True).of_intervals(1, starts, 10)
    assert found == [0, 0, 1, 1, 2]
    assert Phases(TWO, one_clock=True).of_intervals(1, starts - 5, 10) == [0, 0, None, 1, None]
