"""The caption of endpoints discovered over time: what its figure is of, and what is vague."""

from __future__ import annotations

import polars as pl
import pytest
from busmark.estimate.discovery import meeting

from busmark.present.charts.times import _met
from busmark.store.columns import polars_schema

MS = 1_000_000


def table(times_ms: list[int | None], *, limits: bool) -> pl.DataFrame:
    rows = [
        {"matched_ns": None if at is None else at * MS,
         "matched_least_ns": None if limits or at is None else at * MS}
        for at in times_ms
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=polars_schema("matches"))


@pytest.mark.parametrize(
    ("times_ms", "limits", "told"),
    [([1, 2, 3], False, "3.00 ms (3 endpoints, 2 rounds)"),
     ([1, 2, 3], True,
      "3.00 ms (3 endpoints, 2 rounds; in all rounds 6 known by an upper limit only)"),
     ([1, 2, None], False,
      "2.00 ms (2 endpoints, 2 rounds; in all rounds 2 not counted by the adapter)"),
     ([1, 2, None], True,
      "2.00 ms (2 endpoints, 2 rounds; in all rounds 4 known by an upper limit only, 2 not counted "
      "by the adapter)")],
)  # fmt: skip
def test_counts_are_of_what_the_caption_says(
    times_ms: list[int | None], limits: bool, told: str
) -> None:
    found = meeting([table(times_ms, limits=limits), table(times_ms, limits=limits)])
    caption = _met(found)
    interval = caption[caption.find(" [") : caption.find("]") + 1] if "[" in caption else ""
    assert caption.replace(interval, "") == told
