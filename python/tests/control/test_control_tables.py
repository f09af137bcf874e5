"""Rows of a round that are made of its raw samples: inputs made up, answers known."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import polars as pl
import pytest
from control_fakes import PARAMS, round_data

from busmark.control import tables
from busmark.control.roles import sizes_of
from busmark.control.worker import Frame
from busmark.store import Case


def case(**params: Any) -> Case:
    return Case(id="000-x", params=PARAMS.changed(**{**params}), status="planned")


def recorded(role: str, seq: list[int]) -> Frame:
    """Rows of a role with these numbers."""
    (frame,) = round_data(1000, rows=len(seq)).frames
    numbered = pl.read_ipc_stream(io.BytesIO(frame.data)).with_columns(seq=pl.Series(seq))
    stream = io.BytesIO()
    numbered.write_ipc_stream(stream)
    return Frame(role, 1, stream.getvalue())


def test_each_sample_has_its_own_size() -> None:
    one = case(size=300, size_distribution="choice(8, 24, 1000)")
    data = round_data(1000, rows=4, of=one.params)
    sizes = sizes_of(data.flows.flows[0], 5)
    assert set(sizes) == {8, 24, 1000}
    seq = [0, 3, len(sizes) + 1, 7 * len(sizes) + 2]
    data.frames = [recorded("pinger", seq)]
    found = tables.samples(one, 0, data, 5)["size"].to_list()
    assert found == [sizes[0], sizes[3], sizes[1], sizes[2]]
    data.frames = [recorded("batcher", seq)]
    assert tables.samples(one, 0, data, 5)["size"].to_list() == [None] * 4


def test_without_a_distribution_all_have_the_size_of_the_case() -> None:
    one = case(size=24)
    data = round_data(1000, of=one.params)
    assert tables.samples(one, 0, data, 5)["size"].unique().to_list() == [24]


def test_a_round_has_extremes_average_and_variance() -> None:
    data = round_data(1000, rows=5)
    frame = tables.samples(case(), 0, data)
    took = [1000, 2000, 4000, 8000, None]
    read = pl.Series([None if t is None else s + t
                      for s, t in zip(frame["intended_ns"], took, strict=True)])  # fmt: skip
    found = tables.summary(case(), data, frame.with_columns(read_ns=read))
    known = [t for t in took if t]
    assert (found["min_ns"], found["max_ns"], found["mean_ns"]) == (1000, 8000, 3750)
    assert found["variance_ns2"] == pytest.approx(np.var(known, ddof=1))
    lost = tables.summary(case(), data, frame.with_columns(read_ns=pl.lit(None, dtype=pl.Int64)))
    assert {lost[name] for name in ("min_ns", "max_ns", "mean_ns", "variance_ns2")} == {None}


def test_an_arrival_that_cannot_be_told_from_a_repeat_is_not_lost() -> None:
    data = round_data(1000, rows=20)
    data.roles[0]["accounts"] = [
        {"received": 17, "duplicated": 0, "out_of_order": 0, "ancient": 2}
    ]  # fmt: skip
    found = tables.summary(case(), data, tables.samples(case(), 0, data))
    assert (found["received"], found["ancient"], found["lost"]) == (17, 2, 1)
