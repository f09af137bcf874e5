"""Figures of campaigns that repeat a document, from samples whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate.repeated import PERCENTS
from synthetic_campaign import Builder

from busmark.store import Result
from busmark.store.columns import polars_schema
from busmark.store.result import file_stem

PINGS = 1200
ECHOED = 40


def round_trips(number: int, count: int) -> np.ndarray:
    """Even numbers of ns, so that their halves are whole."""
    rng = np.random.default_rng(number)
    return 2 * np.rint(rng.lognormal(np.log(50_000), 0.2, count))


def probes(build: Builder, case: str, number: int, rtt: np.ndarray) -> None:
    """Echoed samples of a stream, the first of them still warm-up."""
    sent = np.arange(rtt.size) * 1_000_000
    columns = {
        "case": [case] * rtt.size, "round": [number] * rtt.size, "seq": np.arange(rtt.size) * 1000,
        "role": ["transmitter"] * rtt.size, "sent_ns": sent, "read_ns": sent + rtt,
        "flags": [3] + [2] * (rtt.size - 1),
    }  # fmt: skip
    schema = polars_schema("samples")
    frame = pl.DataFrame(columns).select(
        pl.col(name).cast(kind) if name in columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in schema.items()
    )
    folder = build.directory / "samples"
    frame.write_parquet(folder / f"{file_stem(case, number)}.parquet")
    counted = {"sent": 1000, "expected": 1000, "received": 990, "lost": 10}
    rate = 500.0 + number
    build.row(case, number, samples_per_s=rate, mbit_per_s=rate * 64 * 8e-6, **counted)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = Builder(tmp_path_factory.mktemp("repeated"))
    pinged = build.case("ping", size=32)
    for number in range(3):
        build.pings(pinged, number, round_trips(number, PINGS), lost=number)
        build.rows[-1] |= {"expected": PINGS, "received": PINGS - number}
    stream = build.case("stream", test="throughput", size=64)
    for number in range(3):
        probes(build, stream, number, round_trips(10 + number, ECHOED))
    build.case("never", size=128)
    scenario = {"name": "x", "document": "perftest-2023"}
    return build.finish(scenario=scenario)


@pytest.fixture(scope="module")
def campaign(directory: Path) -> Campaign:
    return summarise(Result(directory), with_series=False)


def test_publisher_columns_are_those_of_pandas_over_the_rounds_of_a_campaign(
    campaign: Campaign,
) -> None:
    test = next(t for t in campaign.perftest if (t.mode, t.campaign) == ("throughput", 1))
    assert (test.number, test.rounds) == (1, 2)
    pooled = pd.Series(np.concatenate([round_trips(10 + n, ECHOED)[1:] / 2 for n in (0, 1)]))
    (row,) = test.publisher
    assert (row.length, row.count) == (64, pooled.size)
    assert row.ave_ns == pytest.approx(pooled.mean())
    assert row.std_ns == pytest.approx(pooled.std())
    assert (row.min_ns, row.max_ns) == (pooled.min(), pooled.max())
    known = dict(zip(PERCENTS, row.percentiles_ns, strict=True))
    assert known[50.0] == pooled.median()
    # Ten samples beyond it: 78 do not support the 90th, let alone the rest.
    assert [known[p] for p in PERCENTS[1:]] == [None] * 4


def test_subscriber_columns_are_sums_and_the_mean_rate(campaign: Campaign) -> None:
    stream = next(t for t in campaign.perftest if (t.mode, t.campaign) == ("throughput", 1))
    (row,) = stream.subscriber
    assert (row.samples, row.lost, row.lost_share) == (1980, 20, 0.01)
    assert row.samples_per_s == 500.5
    assert row.mbit_per_s == pytest.approx(500.5 * 64 * 8 / 1e6)
    pings = next(t for t in campaign.perftest if (t.mode, t.campaign) == ("latency", 2))
    (row,) = pings.subscriber
    assert (row.samples, row.lost) == (PINGS - 2, 2)
    # A ping-pong has no counter at its reader: answered pings over the 2 s of the round.
    assert row.samples_per_s == (PINGS - 2) / 2.0


def test_tests_are_numbered_as_in_the_thesis(campaign: Campaign) -> None:
    numbers = {(t.mode, t.campaign): t.number for t in campaign.perftest}
    assert numbers == {
        ("throughput", 1): 1, ("latency", 1): 2, ("throughput", 2): 3, ("latency", 2): 4,
    }  # fmt: skip


def test_rounds_have_the_figures_that_numpy_has(campaign: Campaign) -> None:
    for attempt in campaign.case("ping").attempts:
        half = round_trips(attempt.round, PINGS) / 2
        of = attempt.latency
        assert of is not None
        if attempt.round:
            assert of.count == PINGS - attempt.round
            continue
        assert of.mean_ns == pytest.approx(half.mean())
        assert of.std_ns == pytest.approx(half.std(ddof=1))
        assert (of.min_ns, of.median_ns, of.max_ns) == (half.min(), np.median(half), half.max())
        steps = np.diff(half)
        assert of.jitter_ns == pytest.approx(np.abs(steps).mean())
        ends = np.quantile(steps, (0.02, 0.98), method="inverted_cdf")
        assert (of.jitter_p2_ns, of.jitter_p98_ns) == tuple(ends)
        # In each round trip 300 ns are spent at the ponger, and the rest is half there.
        there = (2 * half - 300) // 2
        assert of.there_mean_ns == pytest.approx(there.mean())
        assert of.there_max_ns == there.max()


def test_probes_of_a_stream_have_neither_neighbours_nor_one_way(campaign: Campaign) -> None:
    of = campaign.case("stream").attempts[0].latency
    assert of is not None
    assert (of.count, of.jitter_ns, of.there_mean_ns) == (ECHOED - 1, None, None)


def test_a_round_that_cannot_be_read_is_left_out(directory: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    (copy / "samples" / f"{file_stem('ping', 1)}.parquet").write_bytes(b"PAR1")
    found = summarise(Result(copy), with_series=False)
    latencies = [attempt.latency is None for attempt in found.case("ping").attempts]
    assert latencies == [False, True, False]
    assert any(file_stem("ping", 1) in problem for problem in found.problems)
