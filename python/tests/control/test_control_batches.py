"""Batches of a round, from what the roles report: inputs made up, answers known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from busmark.control import batches
from busmark.control.round import RoundData
from busmark.errors import RoundError
from busmark.store import Case
from busmark.store.columns import polars_schema

SECOND = 10**9
MS = 10**6


def case(batch: int | None = 100) -> Case:
    return Case(id="a", params={"batch": batch, "size": 64}, status="planned")


def seen(
    writer: int, spans: list[tuple[int, int | None]], received: list[int], *, ended: bool = True
) -> dict[str, Any]:
    """What a receiver tells of a writer's batches."""
    return {
        "writer": writer, "number": list(range(len(spans))), "start_ns": [s for s, _ in spans],
        "end_ns": [e for _, e in spans], "ended": [ended] * len(spans), "received": received,
        "bytes": [count * 1000 for count in received],
    }  # fmt: skip


def receiver(writer: int, *of: dict[str, Any]) -> dict[str, Any]:
    return {"role": "receiver", "writer": writer, "batches": list(of)}


def batcher(writer: int, waited: list[int], acknowledged: Sequence[int] = ()) -> dict[str, Any]:
    return {"role": "batcher", "writer": writer,
            "sent_batches": {"waited_ns": waited, "acknowledged": list(acknowledged)}}  # fmt: skip


def stamps(*rows: tuple[int, int, int, int, int | None]) -> pl.DataFrame:
    """Rows of batchers: writer, number, begin, written, acknowledged."""
    names = ("writer", "seq", "sent_ns", "written_ns", "read_ns")
    known = {
        name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    known["role"] = ["batcher"] * len(rows)
    schema = polars_schema("samples")
    absent = {name: [None] * len(rows) for name in schema if name not in known}
    return pl.DataFrame({**known, **absent}, schema_overrides=schema)


def test_goodput_is_within_batches_and_no_pause_or_time_out_counts() -> None:
    """100 samples in 1 ms each, a second between them: the end of the first was lost, and the
    batcher waited a second for its acknowledgement."""
    spans: list[tuple[int, int | None]] = [(SECOND, SECOND + MS), (3 * SECOND, 3 * SECOND + MS)]
    data = RoundData(roles=[
        receiver(2, seen(1, spans, [100, 50])), batcher(1, [0, 0]),
    ])  # fmt: skip
    sent = stamps((1, 0, SECOND, SECOND + MS // 2, None),
                  (1, 1, 3 * SECOND, 3 * SECOND + MS // 2, 3 * SECOND + 2 * MS))  # fmt: skip
    found = batches.table(case(), 0, data, sent, SECOND)
    assert found is not None
    assert found["start_ns"].to_list() == [0, 2 * SECOND]
    assert found["duration_ns"].to_list() == [MS, MS]
    assert found["expected"].to_list() == [100, 100]
    assert found["acknowledged"].to_list() == [False, True]
    assert batches.goodput(found) == pytest.approx((75_000, 600))
    assert batches.written(data, sent, 100) == pytest.approx(200_000)
    assert batches.figures(found) == {
        "batches": 1, "batches_unacknowledged": 1, "batch_ns": MS,
        "batch_samples_acknowledged": None,
    }  # fmt: skip


def test_batches_of_several_writers_at_a_time_count_once() -> None:
    """Each reader gets 300 samples within 2 ms, not within 3."""
    spans = [[(0, MS)], [(MS // 2, 3 * MS // 2)], [(MS, 2 * MS)]]
    both = [seen(writer, list(own), [100]) for writer, own in enumerate(spans, start=1)]
    data = RoundData(roles=[receiver(7, *both), receiver(8, *both)])
    sent = stamps(*((writer, 0, own[0][0], own[0][1], own[0][1] + 1)
                    for writer, own in enumerate(spans, start=1)))  # fmt: skip
    found = batches.table(case(), 0, data, sent, 0)
    assert found is not None and found.height == 6
    assert batches.goodput(found)[0] == pytest.approx(2 * 150_000)
    assert batches.written(data, sent, 100) == pytest.approx(150_000)
    assert batches.figures(found)["batches"] == 3


def test_time_waited_in_vain_for_a_samples_acknowledgement_is_taken_off() -> None:
    spans: list[tuple[int, int | None]] = [(0, SECOND + MS)]
    sent = stamps((1, 0, 0, SECOND + MS // 2, SECOND + 2 * MS))
    data = RoundData(roles=[receiver(2, seen(1, spans, [99])), batcher(1, [SECOND], [98])])
    found = batches.table(case(), 0, data, sent, 0)
    assert found is not None
    assert (found["duration_ns"][0], found["writing_ns"][0]) == (MS, MS // 2)
    assert batches.figures(found)["batch_samples_acknowledged"] == 98
    # How much of it was before the last sample came, nobody knows.
    data.roles[0] = receiver(2, seen(1, spans, [99], ended=False))
    found = batches.table(case(), 0, data, sent, 0)
    assert found is not None and found["duration_ns"].to_list() == [None]
    assert batches.goodput(found) == (None, None)


def test_a_batch_whose_end_was_lost_took_no_less_than_its_writing() -> None:
    """The second half was lost, and the end with it."""
    data = RoundData(roles=[receiver(2, seen(1, [(0, MS)], [50], ended=False))])
    found = batches.table(case(), 0, data, stamps((1, 0, 0, 2 * MS, None)), 0)
    assert found is not None and found["duration_ns"].to_list() == [2 * MS]


def test_a_batch_of_which_nothing_came_has_no_time_and_no_rate() -> None:
    data = RoundData(roles=[receiver(2, seen(1, [(5, None)], [0], ended=False))])
    found = batches.table(case(), 0, data, stamps((1, 0, 0, 9, None)), 0)
    assert found is not None and found["duration_ns"].to_list() == [None]
    assert batches.figures(found)["batches_unacknowledged"] == 1


def test_a_free_stream_has_no_batches() -> None:
    assert batches.table(case(None), 0, RoundData(), stamps((1, 0, 0, 9, None)), 0) is None
    assert set(batches.figures(None).values()) == {None}


def test_lists_of_different_lengths_are_garbage() -> None:
    told = seen(1, [(5, 9)], [0]) | {"ended": []}
    with pytest.raises(RoundError, match="batches"):
        batches.table(case(), 0, RoundData(roles=[receiver(2, told)]), stamps((1, 0, 0, 9, 9)), 0)


def test_the_union_of_intervals() -> None:
    def covered(*spans: tuple[int, int]) -> int:
        return batches.covered(*np.array(spans).T)

    assert covered((0, 5), (10, 12)) == 7
    assert covered((10, 12), (0, 5), (3, 11)) == 12
    assert covered((0, 10), (2, 3), (4, 5)) == 10
