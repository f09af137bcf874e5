"""Goodput of a round, from what its roles report."""

from __future__ import annotations

from typing import Any

from busmark.control.round import RoundData
from busmark.control.tables import _rates


def received(first_ns: int, last_ns: int, samples: int) -> dict[str, Any]:
    """A receiver's report."""
    counted = {"span_ns": [first_ns, last_ns], "samples": [samples], "bytes": [samples * 1000]}
    return {"role": "receiver", "intervals": [counted]}


def test_a_steady_stream_has_the_rate_of_its_arrivals() -> None:
    data = RoundData(roles=[received(10**9, 3 * 10**9, 2001)])
    rates = _rates(data, 2001, 2.0)
    assert rates["samples_per_s"] == 1000
    assert rates["mbit_per_s"] == 8


def test_samples_that_come_all_at_once_were_not_carried_at_that_rate() -> None:
    data = RoundData(roles=[received(10**9, 10**9 + 1000, 501)])
    assert _rates(data, 501, 0.5)["samples_per_s"] == 1000


def test_what_comes_late_takes_longer() -> None:
    data = RoundData(roles=[received(0, 4 * 10**9, 4001)])
    assert _rates(data, 4001, 1.0)["samples_per_s"] == 1000


def test_every_reader_counts() -> None:
    data = RoundData(roles=[received(0, 10**9, 101), received(0, 10**9, 201)])
    assert _rates(data, 201, 1.0)["samples_per_s"] == 300
