"""Whether values can be: the quick look at a table, and the one that names what is wrong."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from store_results import row

from busmark.errors import UserError
from busmark.store import checks
from busmark.store.columns import polars_schema
from busmark.store.limits import TEXT
from busmark.store.result import load_table

WHOLE = (None, 0, 1, -1, 2**31, 2**62, 2**63 - 1, -(2**63))
ODD: dict[Any, tuple[Any, ...]] = {
    pl.Int64: WHOLE,
    pl.Float64: (*map(float, WHOLE[1:]), None, 0.5, 1e300, math.nan, math.inf, -math.inf),
    pl.String: (None, "", "ok", "capacity", "latency", "x" * (TEXT + 1)),
    pl.Boolean: (None, True, False),
}


def _changed(rng: Random) -> pl.DataFrame:
    """Rounds of which some values are others."""
    schema = polars_schema("cases")
    capacity = {"test": "capacity", "rate_hz": 1.0, "expected": 5, "sent": 5, "lost": 0}
    rows = [row(0, test="latency"), row(1, **capacity), row(2, test="throughput")]
    for _ in range(rng.randrange(3)):
        name = rng.choice(list(schema))
        rng.choice(rows)[name] = rng.choice(ODD[schema[name]])
    return pl.DataFrame(rows, schema=schema)


def test_the_quick_look_finds_what_the_other_names() -> None:
    outcomes = set()
    for number in range(300):
        frame = _changed(Random(number))
        tests = [checks.can_be("cases", name) for name in checks.checked("cases")]
        tests += [test for _, test in checks.TOGETHER]
        named = not all(frame.select(test.fill_null(value=True).all()).item() for test in tests)
        kept, told = checks.rows(frame)
        assert bool(told) == named, number
        assert (kept.height < frame.height) == named
        outcomes.add(named)
    assert outcomes == {True, False}


@pytest.mark.parametrize("column", ["round", "writer", "received", "start_ns", "ended"])
def test_a_batch_without_what_each_has_is_told(tmp_path: Path, column: str) -> None:
    whole = {
        "case": "000-x", "round": 0, "writer": 1, "reader": 2, "number": 0, "start_ns": 0,
        "duration_ns": 1, "expected": 10, "received": 10, "bytes": 640, "ended": True,
    }  # fmt: skip
    schema = polars_schema("batches")
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pl.DataFrame([whole], schema=schema).write_parquet(good)
    pl.DataFrame([whole | {column: None}], schema=schema).write_parquet(bad)
    assert load_table(good, "batches").height == 1
    with pytest.raises(UserError, match=f"column {column}, row 0: None cannot be"):
        load_table(bad, "batches")


def test_a_sample_without_a_number_is_told(tmp_path: Path) -> None:
    path = tmp_path / "samples.parquet"
    pl.DataFrame([{"seq": 0}, {"seq": None}], schema=polars_schema("samples")).write_parquet(path)
    with pytest.raises(UserError, match="column seq, row 1: None cannot be"):
        load_table(path, "samples")


def test_a_stated_figure_without_its_name_is_told(tmp_path: Path) -> None:
    path = tmp_path / "summaries.parquet"
    whole = {"case": "000-x", "round": 0, "quantity": "round_trip", "statistic": None}
    pl.DataFrame([whole], schema=polars_schema("summaries")).write_parquet(path)
    with pytest.raises(UserError, match="column statistic, row 0: None cannot be"):
        load_table(path, "summaries")
