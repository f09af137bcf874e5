"""The step of the clock."""

from __future__ import annotations

from busmark.host.clock import clock_step_ns, step


def test_a_step_is_what_divides_nearly_all_differences() -> None:
    assert step([40, 50, 70, 40, 50, 30] * 20) == 10
    # A correction of the clock now and then is no step.
    assert step([40, 50, 70, 40, 50, 30] * 20 + [43]) == 10
    assert step([41, 42, 83, 125] * 10) == 1
    assert step([0, 0]) is None


def test_this_machines_clock_has_one() -> None:
    assert (clock_step_ns() or 0) >= 1
