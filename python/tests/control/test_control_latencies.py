"""The latencies of a round as a series: in order of intended sending, whoever recorded them."""

from __future__ import annotations

import numpy as np
import polars as pl

from busmark.control.precision import figures
from busmark.control.tables import latencies_ns, never_back
from busmark.model.parameters import Parameters


def test_rows_of_several_pingers_become_one_series_in_time_order() -> None:
    frame = pl.DataFrame({
        "role": ["pinger"] * 6 + ["ponger"],
        "intended_ns": [0, 200, 400, 100, 300, 500, 50],
        "read_ns": [10, 212, None, 151, 354, 556, 60],
        "flags": [0, 0, 0, 0, 0, 1, 0],
    })  # fmt: skip
    # The third is lost, the sixth belongs to the warm-up, the last is no round trip.
    assert latencies_ns(frame).tolist() == [10, 51, 12, 54]


def test_percentiles_of_a_round_count_what_was_lost() -> None:
    values = np.arange(1.0, 1501.0)
    median = figures("median", values, None, lost=500)
    assert median["statistic_value"] == 1000.5
    assert figures("p99", values, None, lost=500)["statistic_value"] is None
    assert figures("median", values, None, lost=1500)["statistic_value"] is None
    assert figures("mean", values, None, lost=500)["statistic_value"] == values.mean()
    assert figures("median", np.empty(0), None, lost=10)["statistic_value"] is None


def test_lost_are_pings_and_probes_after_the_warm_up_that_readers_do_not_filter() -> None:
    frame = pl.DataFrame({
        "role": ["pinger", "pinger", "pinger", "ponger", "transmitter", "transmitter", "receiver"],
        "seq": [0, 1, 2, 3, 4, 6, 7],
        "intended_ns": [0, 1, 2, 3, 4, 5, 6],
        "read_ns": [None, 5, None, None, None, None, None],
        "flags": [1, 0, 0, 0, 0, 0, 0],
    }, schema_overrides={"read_ns": pl.Int64})  # fmt: skip
    assert never_back(frame, Parameters()) == 3
    assert never_back(frame, Parameters(filter_below=3, instances=4)) == 3
    assert never_back(frame, Parameters(filter_below=1, instances=4)) == 1
