"""Which samples are neighbours: of one writer, at one reader, with none lost in between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busmark.estimate.latency import ping_round
from busmark.estimate.throughput import probe_round

from busmark.store.columns import polars_schema


def rows(
    role: str, seq: Sequence[int], took: Sequence[float | None], writer: int = 1,
    reader: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """Sent every microsecond; `took` in ns, None: lost."""
    sent = [number * 1000 for number in seq]
    known: dict[str, object] = {
        "role": [role] * len(sent), "flags": [0] * len(sent), "writer": [writer] * len(sent),
        "reader": [reader] * len(sent),
        "seq": list(seq), "intended_ns": sent, "sent_ns": sent,
        "read_ns": [None if t is None else s + int(t) for s, t in zip(sent, took, strict=True)],
    }  # fmt: skip
    schema = polars_schema("samples")
    absent = {name: [None] * len(sent) for name in schema if name not in known}
    return pl.DataFrame(known | absent, schema_overrides=schema).select(list(schema))


def test_with_every_second_ping_lost_there_is_no_jitter() -> None:
    took = [100 if number % 2 == 0 else None for number in range(40)]
    found = ping_round(0, rows("pinger", range(40), took), one_clock=True)
    assert found.back.latency.size == found.lost_start.size == 20
    assert found.back.jitter.size == 0


def test_with_every_second_probe_lost_there_is_no_jitter() -> None:
    seq = range(0, 640, 16)
    kept = [number for number in seq if number % 32 == 0]
    echoes = rows("transmitter", seq, [300 if number in kept else None for number in seq])
    arrived = rows("receiver", kept, [100] * len(kept))
    found = probe_round(0, pl.concat([echoes, arrived]), one_clock=True)
    assert found.round_trip.latency.size == found.one_way.latency.size == 20
    assert found.round_trip.jitter.size == found.one_way.jitter.size == 0


def test_probes_that_follow_each_other_are_neighbours() -> None:
    seq = [0, 16, 32, 64]
    arrived = rows("receiver", seq, [100, 103, 101, 110])
    echoes = rows("transmitter", [0, 16, 32, 48, 64], [300, 307, 305, None, 310])
    for frame in (pl.concat([arrived, echoes]), arrived):
        found = probe_round(0, frame, one_clock=True)
        assert found.one_way.jitter.tolist() == [3, -2]
    assert probe_round(0, echoes, one_clock=True).round_trip.jitter.tolist() == [7, -2]


def test_probes_at_random_gaps_are_neighbours_where_none_was_lost_between() -> None:
    seq = [3, 4, 90, 1200, 1210]
    took = [300, 307, None, 310, 305]
    arrived = rows("receiver", [3, 4, 1200, 1210], [100, 103, 110, 109])
    found = probe_round(0, pl.concat([rows("transmitter", seq, took), arrived]), one_clock=True)
    assert found.round_trip.jitter.tolist() == [7, -5]
    assert found.one_way.jitter.tolist() == [3, -1]
    beyond = rows("receiver", [3, 4, 1200, 1210, 1211, 1212], [100, 103, 110, 109, 5, 5])
    found = probe_round(0, pl.concat([rows("transmitter", seq, took), beyond]), one_clock=True)
    assert found.one_way.jitter.tolist() == [3, -1], "probes without a row of the transmitter"


@pytest.mark.parametrize("lost_first", [False, True])
def test_each_of_several_readers_has_a_jitter_of_its_own(lost_first: bool) -> None:
    rng = np.random.default_rng(0)
    count = 2000
    lost = rng.random(count) < 0.1
    lost[0], lost[-1] = lost_first, False
    near = [number for number in range(count) if not lost[number]]
    frame = pl.concat([
        rows("receiver", near, (100 + rng.integers(0, 3, len(near))).tolist(), reader=7),
        rows("receiver", range(count), (500 + rng.integers(0, 3, count)).tolist(), reader=8),
        rows("receiver", range(count), (900 + rng.integers(0, 3, count)).tolist(), writer=2,
             reader=7),
    ])  # fmt: skip
    found = probe_round(0, frame, one_clock=True).one_way
    assert found.latency.size == frame.height
    # None mixes two readers, which differ by 400 ns, and none is missing.
    assert np.abs(found.jitter).max() <= 2
    pairs = int((np.diff(near) == 1).sum()) + 2 * (count - 1)
    assert found.jitter.size == pairs
    assert (found.start[found.later] == found.jitter_start).all()


def test_where_readers_cannot_be_told_apart_there_is_no_jitter() -> None:
    both = rows("receiver", [0, 0, 1, 1, 2, 2], [100, 500, 101, 501, 102, 502])
    other = rows("receiver", [0, 1, 2], [100, 104, 102], writer=2)
    found = probe_round(0, pl.concat([both, other]), one_clock=True).one_way
    assert found.latency.size == 9
    assert found.jitter.tolist() == [4, -2]


def test_samples_of_one_reader_that_overtook_each_other_are_put_in_order() -> None:
    found = probe_round(0, rows("receiver", [0, 3, 1, 2], [10, 13, 20, 14]), one_clock=True)
    assert found.one_way.jitter.tolist() == [10, -6, -1]


def test_latency_of_a_probe_is_from_its_intended_time_as_the_reference_says() -> None:
    late = rows("receiver", [0, 16], [100, 100]).with_columns(pl.col("sent_ns") + 40)
    unpaced = late.with_columns(pl.lit(None, dtype=pl.Int64).alias("intended_ns"))
    assert probe_round(0, late, one_clock=True).one_way.latency.tolist() == [100, 100]
    assert probe_round(0, unpaced, one_clock=True).one_way.latency.tolist() == [60, 60]
    page = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"
    _, told = page.read_text("utf-8").split("- Fields: `probe_one_way`", 1)
    assert "`read_ns − intended_ns` at the reader" in told.split("- Fields", 1)[0]
