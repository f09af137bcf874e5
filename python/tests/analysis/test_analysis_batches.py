"""Batches of a case from the rows of its rounds: inputs made up, answers known."""

from __future__ import annotations

from typing import Any

import polars as pl
from busmark.estimate.stream import MOST, batches
from busmark.estimate.throughput import Throughput
from printed import rows

from busmark.model.parameters import Parameters
from busmark.present.blocks.details import batch_sections
from busmark.store.columns import polars_schema

PARAMS = Parameters(batch=100)


def row(known: int, missing: int, time_ns: float) -> dict[str, Any]:
    return {"batches": known, "batches_unacknowledged": missing, "batch_ns": time_ns,
            "batch_samples_acknowledged": None}  # fmt: skip


def table(*durations: int | None, number: int = 0) -> pl.DataFrame:
    count = len(durations)
    data = {
        "case": ["a"] * count, "round": [number] * count, "writer": [1] * count,
        "reader": [2] * count, "number": range(count), "duration_ns": durations,
        "expected": [100] * count, "received": [50] * count,
        "acknowledged": [took is not None for took in durations],
    }  # fmt: skip
    schema = polars_schema("batches")
    absent = {name: [None] * count for name in schema if name not in data}
    return pl.DataFrame({**data, **absent}, schema_overrides=schema)


def test_batches_are_counted_and_their_times_averaged_by_round() -> None:
    rounds = [row(2, 1, 2e6), row(2, 0, 4e6)]
    found = batches(PARAMS, rounds, [table(10**6, None, 3 * 10**6), table(4 * 10**6, number=1)])
    assert found is not None
    assert (found.count, found.unacknowledged) == (5, 1)
    assert found.time is not None and found.time.value == 3e6
    assert (found.shortest_ns, found.longest_ns) == (10**6, 4 * 10**6)
    assert [one.samples_per_s for one in found.single] == [50_000, None, 50 / 0.003, 12_500]
    assert [one.acknowledged for one in found.single] == [True, False, True, True]


def test_only_the_first_are_told_one_by_one() -> None:
    found = batches(PARAMS, [row(900, 0, 1.0)] * 2, [table(*[1] * 900), table(1, number=1)])
    assert found is not None and (len(found.single), found.count) == (MOST, 1800)


def test_a_free_stream_and_older_results_have_none() -> None:
    assert batches(Parameters(), [row(0, 0, 0.0)], []) is None
    assert batches(PARAMS, [{"batches": None}], []) is None
    older = batches(PARAMS, [{"batches": 3, "batches_unacknowledged": 1}], [])
    assert older is not None and older.time is None and older.single == []


def test_the_page_tells_what_was_not_acknowledged() -> None:
    found = batches(PARAMS, [row(2, 1, 2e6)], [table(10**6, None, 3 * 10**6)])
    assert found is not None
    stream = Throughput(**dict.fromkeys(
        name for name, field in Throughput.model_fields.items() if field.is_required()
    ))  # fmt: skip
    (together,), (single,) = (
        each.tables for each in batch_sections(stream.model_copy(update={"batches": found}))
    )
    assert ["batches not acknowledged", "1"] in rows(together)
    assert [line[-1] for line in rows(single)] == ["yes", "no", "yes"]
    assert [line[6] for line in rows(single)] == ["50.0"] * 3
