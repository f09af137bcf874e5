"""Rows of samples that readers time, of lost ones too."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from control_fakes import PARAMS

from busmark.control import timed
from busmark.plan.flows import Flows, flows
from busmark.store.columns import polars_schema

STREAM = PARAMS.changed(test="throughput", rate_hz=100.0, arrivals="constant",
          publishers=2, subscribers=2, duration_s=1.0)  # fmt: skip


def rows(case: Flows, reader: int, lost: dict[int, set[int]]) -> pl.DataFrame:
    """Ten samples of each writer, one every 10 ms, read 1 ms later, without the lost."""
    numbers = {name: schema for name, schema in polars_schema("samples").items()}
    found = [
        {"writer": end.number, "seq": seq, "flags": timed.PROBE if seq == 0 else 0,
         "intended_ns": due(seq), "sent_ns": due(seq) + 7, "read_ns": due(seq) + 1_000_000}
        for end in case.flows[0].writers for seq in range(10) if seq not in lost.get(end.number, ())
    ]  # fmt: skip
    names = ("writer", "seq", "flags", "intended_ns", "sent_ns", "read_ns")
    return pl.DataFrame(found, schema={name: numbers[name] for name in names})


def due(seq: int) -> int:
    return 5_000_000_000 + seq * 10_000_000


def reports(case: Flows) -> list[dict[str, Any]]:
    return [
        {"writer": end.number, "sent": 10, "begin_ns": due(0), "end_ns": due(9)}
        for end in case.flows[0].writers
    ]


def test_a_lost_sample_has_a_row_with_the_times_of_sending_that_another_reader_has() -> None:
    case = flows(STREAM)
    (first, second), (one, other) = (
        [end.number for end in ends] for ends in (case.flows[0].writers, case.flows[0].readers)
    )
    raws = {
        one: rows(case, one, {first: {3, 4, 9}, second: set(range(10))}),
        other: rows(case, other, {first: {4, 9}}),
    }
    found = timed.with_lost(raws, case, reports(case), 1)
    for reader, table in found.items():
        assert table.height == 20, reader
        assert sorted(table["seq"]) == sorted([*range(10)] * 2)
        assert (table["flags"] & timed.PROBE == 0).all()
        # Also where nobody received it: due times of a constant rate lie on a line.
        assert (table["intended_ns"] == due(0) + table["seq"] * 10_000_000).all()
    lost = found[one].filter(pl.col("read_ns").is_null())
    assert set(lost.filter(writer=first)["seq"]) == {3, 4, 9}
    assert lost.filter(writer=second).height == 10
    sent = dict(lost.filter(writer=first).select("seq", "sent_ns").iter_rows())
    assert sent == {3: due(3) + 7, 4: None, 9: None}


def test_what_a_filter_leaves_out_is_not_lost() -> None:
    case = flows(STREAM.changed(instances=5, filter_below=2))
    raws = {end.number: rows(case, end.number, {}).clear() for end in case.flows[0].readers}
    for table in timed.with_lost(raws, case, reports(case), 1).values():
        assert sorted(set(table["seq"])) == [0, 1, 5, 6]


def test_the_worker_records_the_same_samples() -> None:
    # The same numbers are in a test of `busmark_measure::is_recorded`.
    seq = np.arange(40)
    chosen = {w: seq[timed.is_recorded(w, seq, 5)].tolist() for w in (1, 41)}
    assert chosen == {1: [14, 15, 17, 19, 25, 31, 35], 41: [2, 4, 12, 14, 20, 35, 37, 38]}
    assert timed.is_recorded(1, seq, 1).all()


def test_a_stream_that_a_round_has_no_room_for_is_recorded_in_part() -> None:
    case = flows(STREAM.changed(publishers=20, subscribers=20))
    params = STREAM.changed(publishers=20, subscribers=20, max_samples=200_000)
    assert timed.record_every(case, params) == 1
    assert timed.record_every(case, params.changed(duration_s=100.0)) == 4
    assert timed.record_every(case, params.changed(duration_s=100.0, max_samples=10**7)) == 1
    unpaced = flows(STREAM.changed(rate_hz=0.0, arrivals="closed"))
    assert timed.record_every(unpaced, params) is None
    # Half of the samples are probes, and one in four is recorded.
    (stream,) = flows(STREAM.changed(probe_every=2)).flows
    assert 200 * (1 / 2 + 1 / 4) < timed.capacity(stream, STREAM, 4) < 500
