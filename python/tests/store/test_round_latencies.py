"""The latencies of a round, of which its row, its estimates and its findings are made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from busmark.model.parameters import Parameters
from busmark.store.samples import RoundLatencies, one_way, round_trips


def test_lost_are_pings_and_probes_after_the_warm_up_that_readers_do_not_filter() -> None:
    roles = ["pinger", "pinger", "pinger", "responder", "transmitter", "transmitter", "receiver"]
    frame = pl.DataFrame(
        {"role": roles, "seq": [0, 1, 2, 3, 4, 6, 7], "intended_ns": range(7),
         "read_ns": [None, 5, None, None, None, None, None], "flags": [1, 0, 0, 0, 0, 0, 0]},
        schema_overrides={"read_ns": pl.Int64},
    )  # fmt: skip
    for below, instances, expected in ((None, None, 3), (3, 4, 3), (1, 4, 1)):
        params = Parameters(filter_below=below, instances=instances)
        found = round_trips(frame, params)
        assert (found.lost, found.back.tolist()) == (expected, [4.0])


def test_a_latency_begins_at_the_intended_time_or_where_there_is_none_at_the_sending() -> None:
    rows = pl.DataFrame({"intended_ns": [30, None, 10], "sent_ns": [35, 20, 12],
                         "read_ns": [60, 50, None]})  # fmt: skip
    found = one_way(rows)
    assert found.back.tolist() == [30.0, 30.0] and found.lost == 1 and found.max_ns == 30.0


@pytest.mark.parametrize(("back", "lost", "which", "expected"), [
    (5, 0, "median", 2.0), (5, 2, "median", 3.0), (5, 4, "median", 4.0), (5, 5, "median", None),
    (5, 9, "mean", 2.0), (0, 0, "median", None), (0, 3, "mean", None), (500, 0, 99.0, None),
    (50_000, 0, 99.0, 49_499.0), (49_000, 1000, 99.0, None),
])  # fmt: skip
def test_the_lost_are_later_than_any(
    back: int, lost: int, which: float | str, expected: float | None
) -> None:
    values = np.random.default_rng(2).permutation(np.arange(back, dtype=np.float64))
    found = RoundLatencies(values, lost).statistic(which)  # type: ignore[arg-type]
    assert found is expected if expected is None else found == pytest.approx(expected, abs=1.0)


@pytest.mark.parametrize(("back", "lost", "limit", "expected"), [
    (10, 0, 4.0, 0.5), (10, 0, 9.0, 0.0), (10, 10, 9.0, 0.5), (0, 3, 1.0, 1.0), (0, 0, 1.0, None),
])  # fmt: skip
def test_the_share_beyond_a_limit_contains_the_lost(
    back: int, lost: int, limit: float, expected: float | None
) -> None:
    assert RoundLatencies(np.arange(float(back)), lost).share_beyond(limit) == expected
