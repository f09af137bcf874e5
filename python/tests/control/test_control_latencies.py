"""The latencies of a round as a series: in order of intended sending, whoever recorded them."""

from __future__ import annotations

import polars as pl

from busmark.control.tables import latencies_ns


def test_rows_of_several_pingers_become_one_series_in_time_order() -> None:
    frame = pl.DataFrame({
        "role": ["pinger"] * 6 + ["ponger"],
        "intended_ns": [0, 200, 400, 100, 300, 500, 50],
        "read_ns": [10, 212, None, 151, 354, 556, 60],
        "flags": [0, 0, 0, 0, 0, 1, 0],
    })  # fmt: skip
    # The third is lost, the sixth belongs to the warm-up, the last is no round trip.
    assert latencies_ns(frame).tolist() == [10, 51, 12, 54]
