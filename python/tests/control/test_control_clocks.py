"""The offset of two clocks as a round's row has it, where the truth is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from busmark.control import clocks

EXCHANGE = ("sent_ns", "echo_read_ns", "echo_sent_ns", "read_ns")
START = 3 * 10**12
WAY, TURN = 200_000, 5_000
"""Times of the shortest way and of the answer, ns."""


def exchanges(
    offset: float, drift: float, step: int = 0, role: str = "pinger", seconds: float = 20.0
) -> pl.DataFrame:
    """Draw the exchanges of a round. The second clock is ahead by `offset` in the middle of the
    round and gains `drift`; after three quarters of the round it steps."""
    rng = np.random.default_rng(7)
    sent = START + np.sort(rng.integers(0, round(seconds * 1e9), 1000))
    arrived = sent + WAY + rng.integers(0, 50_000, sent.size)
    answered = arrived + TURN
    received = answered + WAY + rng.integers(0, 50_000, sent.size)
    middle = (sent[0] + received[-1]) / 2

    def by_second(stamps: np.ndarray) -> np.ndarray:
        steps = np.where(stamps > START + 0.75e9 * seconds, step, 0)
        return stamps + steps + np.round(offset + drift * (stamps - middle)).astype(np.int64)

    stamps = (sent, by_second(arrived), by_second(answered), received)
    return pl.DataFrame({"role": role, **dict(zip(EXCHANGE, stamps, strict=True))})


@pytest.mark.parametrize("role", ["pinger", "transmitter"])
@pytest.mark.parametrize(("offset", "drift"), [(0, 0.0), (5e12, 2e-5), (-7e11, -8e-5)])
def test_offset_and_drift_are_the_true_ones(offset: float, drift: float, role: str) -> None:
    found = clocks(exchanges(offset, drift, role=role))
    assert found.trouble is None
    figures = found.figures
    assert 0 < figures["offset_bound_ns"] <= WAY + 50_000
    assert abs(figures["offset_ns"] - offset) <= figures["offset_bound_ns"]
    # What the bounds at both ends of the round leave open.
    assert abs(figures["drift_ppm"] - drift * 1e6) <= 2 * figures["offset_bound_ns"] / 20e9 * 1e6


@pytest.mark.parametrize("seconds", [1e-6, 0.1, 2.0])
def test_a_drift_that_the_round_does_not_determine_is_not_reported(seconds: float) -> None:
    found = clocks(exchanges(1e9, 2e-5, seconds=seconds))
    assert found.figures["drift_ppm"] is None
    assert abs(found.figures["offset_ns"] - 1e9) <= found.figures["offset_bound_ns"] <= 300_000


def test_a_clock_that_steps_is_reported() -> None:
    found = clocks(exchanges(10**9, 1e-6, step=50_000_000))
    assert found.trouble is not None and found.trouble.startswith("a clock has stepped: ")
    assert "1000 round trips" in found.trouble
    assert set(found.figures.values()) == {None}


def test_without_exchanges_nothing_is_reported() -> None:
    lost = exchanges(0, 0.0).with_columns(read_ns=pl.lit(None, pl.Int64))
    for samples in (lost, exchanges(0, 0.0, role="receiver")):
        found = clocks(samples)
        assert found.trouble is None and set(found.figures.values()) == {None}
