"""Shapes, boxes, jitter and tables of a case, against samples that are known one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate.case import CaseSummary
from busmark.estimate.curves import Thinning
from busmark.estimate.latency import ping_round
from scipy.stats import gaussian_kde
from synthetic_campaign import Builder

from busmark.store import Result

COUNT = 2000


def analysed(build: Builder) -> Campaign:
    return summarise(Result(build.finish()))


@pytest.fixture(scope="module")
def rounds() -> list[np.ndarray]:
    rng = np.random.default_rng(8)
    return [np.rint(rng.lognormal(np.log(20_000), 0.2, COUNT)) for _ in range(4)]


@pytest.fixture(scope="module")
def case(rounds: list[np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> CaseSummary:
    build = Builder(tmp_path_factory.mktemp("shapes") / "result")
    name = build.case("known")
    for number, latencies in enumerate(rounds):
        build.pings(name, number, latencies)
    return analysed(build).case(name)


def test_histogram_and_density_are_of_half_the_round_trips(
    case: CaseSummary, rounds: list[np.ndarray]
) -> None:
    assert case.series and case.series.shape and case.series.curve
    shape = case.series.shape
    halves = np.concatenate(rounds) / 2
    assert shape.quantity == case.series.curve.quantity == "half_round_trip"
    for histogram in (shape.histogram, shape.log_histogram):
        assert histogram and len(histogram.counts) == 25
        assert sum(histogram.counts) + histogram.below + histogram.above == halves.size
    assert shape.histogram.below == (halves < shape.histogram.edges_ns[0]).sum()
    assert shape.density_10us.bandwidth_ns == 10_000
    for density in (shape.density, shape.density_10us):
        kde = gaussian_kde(halves, bw_method=density.bandwidth_ns / halves.std(ddof=1))
        exact = kde(density.at_ns)
        assert density.per_ns == pytest.approx(exact, abs=0.01 * exact.max())
    middle = np.interp(0.5, shape.smoothed_cdf.share, shape.smoothed_cdf.at_ns)
    assert middle == pytest.approx(np.median(halves), rel=0.01)
    assert shape.quantiles.value_ns[0] == halves.min()
    assert shape.quantiles.value_ns[-1] == halves.max()
    assert shape.quantiles.percent[60] == 50.0


def test_boxes_are_of_each_round(case: CaseSummary, rounds: list[np.ndarray]) -> None:
    assert case.series
    assert [b.round for b in case.series.boxes] == [0, 1, 2, 3]
    for box, latencies in zip(case.series.boxes, rounds, strict=True):
        assert (box.min_ns, box.max_ns) == (latencies.min() / 2, latencies.max() / 2)
        assert box.median_ns == np.median(latencies) / 2
        assert box.p95_ns == np.percentile(latencies, 95, method="inverted_cdf") / 2


def test_boxes_of_jitter_are_of_its_magnitude_in_each_round(
    case: CaseSummary, rounds: list[np.ndarray]
) -> None:
    assert case.series
    assert [b.round for b in case.series.jitter_boxes] == [0, 1, 2, 3]
    for box, latencies in zip(case.series.jitter_boxes, rounds, strict=True):
        jitter = np.abs(np.diff(latencies)) / 2
        assert box.count == jitter.size
        assert (box.min_ns, box.max_ns) == (jitter.min(), jitter.max())
        assert box.median_ns == np.median(jitter)


def test_boxes_of_jitter_have_the_numbers_of_the_rounds_that_have_some(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    name = build.case("uneven")
    for number, count in enumerate((200, 1, 300)):
        build.pings(name, number, 4000.0 + np.arange(count) ** 2 % 97)
    series = analysed(build).case(name).series
    assert series and [(b.round, b.count) for b in series.boxes] == [(0, 200), (1, 1), (2, 300)]
    assert [(b.round, b.count) for b in series.jitter_boxes] == [(0, 199), (2, 299)]


def test_jitter_is_the_difference_of_neighbours(
    case: CaseSummary, rounds: list[np.ndarray]
) -> None:
    assert case.latency and case.latency.jitter and case.latency.jitter_share
    signed = np.concatenate([np.diff(r) for r in rounds]) / 2
    jitter = case.latency.jitter
    assert jitter.quantity == "half_round_trip_jitter"
    assert (jitter.count, jitter.max_ns) == (signed.size, np.abs(signed).max())
    medians = [np.median(np.abs(np.diff(r))) / 2 for r in rounds]
    assert jitter.median.value == pytest.approx(np.median(medians))
    shares = [np.median(np.abs(np.diff(r))) / np.median(r) for r in rounds]
    assert case.latency.jitter_share.value == pytest.approx(np.median(shares))
    assert case.latency.jitter_share.unit == "1"
    assert jitter.hop_std is None and jitter.modality is None and jitter.drift is None
    assert case.series and case.series.jitter and case.series.jitter_timeline
    assert case.series.jitter.quantiles.value_ns[0] == signed.min()
    assert case.series.jitter.log_histogram
    assert case.series.jitter.log_histogram.below == (signed == 0).sum()
    assert case.series.jitter_curve and max(case.series.jitter_curve.value_ns) == jitter.max_ns
    assert min(case.series.jitter_timeline.detail_value_ns) < 0


def test_distribution_has_tables_bounds_modes_and_drift(
    case: CaseSummary, rounds: list[np.ndarray]
) -> None:
    assert case.latency and case.latency.round_trip and case.latency.half_round_trip
    whole, half = case.latency.round_trip, case.latency.half_round_trip
    pooled = np.sort(np.concatenate(rounds))
    assert [b.count for b in whole.best] == [8000, 7992, 7920, 7200]
    assert whole.best[3].mean_ns == pytest.approx(pooled[:7200].mean())
    assert half.best[3].mean_ns == pytest.approx(pooled[:7200].mean() / 2)
    assert half.best[3].percent == 90.0
    assert whole.hop_std and half.hop_std is not None and whole.std_ns
    assert whole.hop_std.low_ns == pytest.approx(whole.std_ns / 2)
    assert whole.hop_std.high_ns == pytest.approx(0.70710678 * whole.std_ns)
    assert half.hop_std == whole.hop_std, "a hop is a hop, however its trip is reported"
    assert whole.modality and half.modality and whole.modality.count == 1
    assert half.modality.largest[0].at_ns == whole.modality.largest[0].at_ns / 2
    assert half.modality.largest[0].share == whole.modality.largest[0].share
    assert whole.drift and whole.drift.tested == 4 and whole.drift.change
    assert whole.effective_count and whole.effective_count <= whole.count
    for percentile in whole.percentiles:
        if percentile.percent <= 99.0:
            assert percentile.value_ns and percentile.low_ns and percentile.high_ns
            assert percentile.low_ns <= percentile.value_ns <= percentile.high_ns
    assert whole.percentiles[-1].value_ns is None


def test_a_series_that_follows_itself_is_seen(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    build = Builder(tmp_path / "result")
    slow = np.repeat(rng.normal(20_000, 2_000, 50), 40)
    for number in range(3):
        build.pings(build.case("slow") if number == 0 else "slow", number, np.rint(slow))
    found = analysed(build).case("slow")
    assert found.latency and found.latency.round_trip
    assert found.latency.round_trip.effective_count
    assert found.latency.round_trip.effective_count < 0.1 * found.latency.round_trip.count
    assert found.series and found.series.autocorrelation
    assert found.series.autocorrelation.values[0] == 1.0
    assert found.series.autocorrelation.values[1] > 0.9


def rows_of(writer: int, sent: list[int], took: list[int | None]) -> pl.DataFrame:
    read = [None if t is None else s + t for s, t in zip(sent, took, strict=True)]
    none = pl.Series([None] * len(sent), dtype=pl.Int64)
    return pl.DataFrame({
        "role": "pinger", "flags": 0, "writer": writer, "seq": range(len(sent)),
        "intended_ns": sent, "sent_ns": sent, "read_ns": pl.Series(read, dtype=pl.Int64),
        **dict.fromkeys(("written_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns",
                         "delivered_ns"), none),
    })  # fmt: skip


def test_rows_of_two_pingers_are_put_in_time_order_and_their_jitter_is_their_own() -> None:
    first = rows_of(1, [0, 200, 400, 600], [10, 12, None, 18])
    second = rows_of(2, [100, 300, 500, 700], [50, 53, 59, 50])
    found = ping_round(0, pl.concat([first, second]), one_clock=True)
    assert found.back.start.tolist() == [0, 100, 200, 300, 500, 600, 700]
    assert found.back.latency.tolist() == [10, 50, 12, 53, 59, 18, 50]
    assert found.lost_start.tolist() == [400]
    assert found.back.jitter.tolist() == [2, 3, 6, -9]
    assert found.back.jitter_start.tolist() == [200, 300, 500, 700]
    assert found.sent == 8


def test_negative_round_trips_are_left_out_and_listed(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    name = build.case("odd")
    for number in range(3):
        latencies = np.full(100, 5000.0)
        latencies[7], latencies[9] = (-3.0, 0.0) if number == 1 else (5000.0, 5000.0)
        build.pings(name, number, latencies)
    campaign = analysed(build)
    found = campaign.case(name)
    assert found.latency and found.latency.round_trip
    assert found.latency.round_trip.count == 299 and found.latency.sent == 300
    assert found.latency.round_trip.min_ns == 0.0, "a duration of 0 is below the clock's step"
    assert campaign.problems == [
        "case odd, round 1: 1 of 100 round trips are negative and left out"
    ]


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("count", [1, 2, 500])
def test_equal_samples_and_very_few_have_what_is_defined_of_them(
    tmp_path: Path, count: int, rounds: int
) -> None:
    build = Builder(tmp_path / "result")
    name = build.case("flat")
    for number in range(rounds):
        build.pings(name, number, np.full(count, 4000.0))
    found = analysed(build).case(name)
    assert found.latency and found.latency.half_round_trip and found.series
    half = found.latency.half_round_trip
    assert half.median.value == half.min_ns == half.max_ns == 2000.0
    assert half.skewness is None and half.kurtosis is None
    assert (half.median.low is None) == (rounds == 1)
    assert found.series.shape and found.series.shape.density.bandwidth_ns == 1.0
    assert found.series.shape.histogram.edges_ns == [1999.5, 2000.5]
    assert found.series.autocorrelation is None
    assert len(found.series.boxes) == rounds
    if count == 1:
        assert found.latency.jitter is None and found.series.jitter is None
        assert found.series.jitter_boxes == []
        assert half.std_ns == (None if rounds == 1 else 0.0)
    else:
        assert found.latency.jitter and found.latency.jitter.max_ns == 0.0
        assert found.series.jitter and found.series.jitter.log_histogram is None
    assert campaign_is_json(found)


def campaign_is_json(found: CaseSummary) -> bool:
    text = found.model_dump_json()
    return "NaN" not in text and "Infinity" not in text


def test_many_cases_have_few_points_each() -> None:
    one, many = Thinning.of(cases=1, rounds=5), Thinning.of(cases=500, rounds=2500)
    assert (one.detail, one.overview, one.shape, one.box) == (5000, 2000, 120, 40)
    assert 500 * (many.detail + many.overview + many.curve + 4 * many.shape) < 400_000
    assert 2500 * many.box <= 30_000


def test_a_round_with_nan_stamps_is_refused_and_listed(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    name = build.case("foreign")
    for number in range(3):
        build.pings(name, number, np.full(50, 4000.0))
    path = next(tmp_path.glob("result/samples/foreign.r001*"))
    broken = pl.read_parquet(path).with_columns(read_ns=pl.lit(float("nan")))
    broken.write_parquet(path)
    campaign = analysed(build)
    found = campaign.case(name)
    assert found.latency and found.latency.round_trip and found.latency.round_trip.count == 100
    assert found.status == "partial"
    assert len(campaign.problems) == 1 and "unexpected type" in campaign.problems[0]
