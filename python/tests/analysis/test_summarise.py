"""The analysis against results with known answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate.case import CaseSummary
from scipy.stats import iqr
from synthetic_campaign import Builder, comparison

from busmark import stats
from busmark.store import Result


def analysed(build: Builder, **changes: object) -> Campaign:
    return summarise(Result(build.finish(**changes)))


def only(build: Builder) -> CaseSummary:
    (case,) = analysed(build).cases
    return case


def test_median_and_interval_are_those_of_a_typical_round(tmp_path: Path) -> None:
    build = Builder(tmp_path, seed=11)
    case = build.case("udp-64")
    rng = np.random.default_rng(3)
    rounds = [np.rint(rng.lognormal(9, 0.2, 2000)) for _ in range(4)]
    for number, latency in enumerate(rounds):
        build.pings(case, number, latency)
    summary = only(build).latency
    assert summary is not None and summary.round_trip is not None
    expected = stats.two_level(rounds, "median")
    median = summary.round_trip.median
    assert (median.value, median.low, median.high) == (expected.value, expected.low, expected.high)
    assert (median.count, median.rounds, median.unit) == (8000, 4, "ns")
    pooled = np.concatenate(rounds)
    assert summary.round_trip.min_ns == pooled.min()
    assert summary.round_trip.max_ns == pooled.max()
    assert summary.round_trip.mad_ns == np.median(np.abs(pooled - np.median(pooled)))
    # By name: the field is a row of the table of statistics.
    expected = iqr(pooled, interpolation="inverted_cdf")
    assert summary.round_trip.time_ns("iqr_ns") == pytest.approx(expected)
    ladder = {p.percent: p.value_ns for p in summary.round_trip.percentiles}
    assert ladder[99.0] == np.sort(pooled)[7920 - 1]
    assert ladder[99.99] is None
    assert summary.round_trip.p99 is not None
    assert summary.round_trip.p999 is None, "2000 samples in a round do not support 99.9 %"


def test_half_a_round_trip_is_exactly_half_and_called_so(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number in range(3):
        build.pings(case, number, np.full(2000, 10_001.0 + number))
    summary = only(build).latency
    assert summary is not None
    whole, half = summary.round_trip, summary.half_round_trip
    assert whole is not None and half is not None
    assert (whole.quantity, half.quantity) == ("round_trip", "half_round_trip")
    assert half.median.value == whole.median.value / 2 == 5001.0
    assert whole.median.low is not None and half.median.low == whole.median.low / 2
    assert half.max_ns == whole.max_ns / 2
    assert half.skewness == whole.skewness


def test_warm_up_is_excluded(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number in range(2):
        build.pings(case, number, np.full(500, 8000.0), warmup_ns=np.full(300, 90_000.0))
    summary = only(build).latency
    assert summary is not None and summary.round_trip is not None
    assert summary.round_trip.max_ns == 8000
    assert summary.sent == summary.round_trip.count == 1000


def test_lost_pings_are_counted_and_not_averaged(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(500, 8000.0), lost=3)
    build.pings(case, 1, np.full(500, 8000.0))
    summary = only(build)
    assert summary.latency is not None and summary.latency.round_trip is not None
    assert (summary.latency.sent, summary.latency.lost) == (1000, 3)
    assert summary.latency.round_trip.count == 997
    assert summary.attempts[0].lost == 3


def test_open_loop_latency_counts_from_the_intended_time(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64", arrivals="constant", rate_hz=1000.0)
    build.pings(case, 0, np.full(100, 8000.0), late_ns=2000)
    summary = only(build).latency
    assert summary is not None and summary.round_trip is not None
    assert summary.arrivals == "open"
    assert summary.round_trip.median.value == 10_000


def test_marked_rounds_are_listed_and_not_averaged(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(100, 8000.0))
    build.pings(case, 1, np.full(100, 99_000.0), status="marked", reason="lost too many")
    build.row(case, 2, "failed", reason="the ponger died")
    summary = only(build)
    assert summary.status == "partial"
    assert summary.reason == "1 round marked: lost too many; 1 round failed: the ponger died"
    assert (summary.rounds.ok, summary.rounds.marked, summary.rounds.failed) == (1, 1, 1)
    assert summary.latency is not None and summary.latency.round_trip is not None
    assert summary.latency.round_trip.median.value == 8000
    assert [a.reason for a in summary.attempts] == [None, "lost too many", "the ponger died"]


def test_a_later_attempt_replaces_a_failed_one(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.row(case, 0, "failed", reason="no match")
    build.pings(case, 0, np.full(100, 8000.0))
    build.rows[-1]["attempt"] = 1
    summary = only(build)
    assert summary.status == "ok"
    assert len(summary.attempts) == 2
    assert summary.rounds.ok == 1 and summary.rounds.failed == 0


def test_one_round_gives_a_value_without_an_interval(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.pings(build.case("udp-64"), 0, np.full(100, 8000.0))
    build.pings(build.case("tcp-64", adapter="tcp"), 0, np.full(100, 9000.0))
    campaign = analysed(build)
    case = campaign.cases[0]
    assert case.latency is not None and case.latency.round_trip is not None
    assert case.latency.round_trip.median.low is None
    (standing,) = campaign.standings
    assert standing.leader is None
    assert {place.reason for place in standing.places} == {"one round gives no interval"}


def test_the_answer_claims_an_order_where_rounds_tell_it(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(5)
    medians = {"cyclonedds": 20_000, "fastdds": 20_010, "udp": 8000, "zenoh": 99_000}
    for adapter, median in medians.items():
        case = build.case(adapter, adapter=adapter, transport=adapter)
        for number in range(1 if adapter == "zenoh" else 5):
            build.pings(case, number, np.rint(rng.normal(median, 200, 500)))
    campaign = analysed(build)
    (standing,) = campaign.standings
    assert standing.outcome == "tie" and standing.best == ["cyclonedds", "fastdds"]
    roles = {place.case: (place.role, place.reason) for place in standing.places}
    assert roles["udp"][0] == "baseline", "a reference, and no winner"
    assert roles["zenoh"] == ("not compared", "one round gives no interval")
    assert campaign.differing_choices == ["transport"]


def test_a_limit_is_never_below_what_was_seen(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number, latency in enumerate((8000.0, 90_000.0)):
        build.pings(case, number, np.full(100, latency))
    summary = only(build).latency
    assert summary is not None and summary.round_trip is not None
    assert summary.round_trip.median.low == 8000.0
    assert summary.round_trip.median.high == 90_000.0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_samples_are_enough(tmp_path: Path, count: int) -> None:
    build = Builder(tmp_path)
    build.pings(build.case("udp-64"), 0, np.full(count, 8000.0))
    summary = only(build)
    assert summary.latency is not None and summary.latency.round_trip is not None
    assert summary.latency.round_trip.count == count
    assert summary.latency.round_trip.p99 is None


def test_a_round_in_which_every_ping_was_lost_has_no_latency(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.pings(build.case("udp-64"), 0, np.full(1, 8000.0), lost=1)
    summary = only(build)
    assert summary.latency is not None
    assert summary.latency.round_trip is None
    assert (summary.latency.sent, summary.latency.lost) == (1, 1)


def test_a_case_without_rounds_is_not_run_and_an_unsupported_one_says_why(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.case("udp-64")
    build.case("zenoh-64", "unsupported", "no listener", adapter="zenoh")
    campaign = analysed(build)
    assert [c.status for c in campaign.cases] == ["not_run", "unsupported"]
    assert campaign.cases[1].reason == "no listener"
    assert campaign.cases[0].latency is None
    assert campaign.answers == [] and campaign.standings == []


def test_missing_and_damaged_samples_are_problems_and_the_rest_is_used(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number in range(4):
        build.pings(case, number, np.full(100, 8000.0))
    (tmp_path / "samples" / "udp-64.r001.parquet").unlink()
    (tmp_path / "samples" / "udp-64.r002.parquet").write_bytes(b"PAR1 not really")
    campaign = analysed(build)
    (summary,) = campaign.cases
    assert summary.status == "partial"
    assert summary.latency is not None and summary.latency.round_trip is not None
    assert summary.latency.round_trip.median.rounds == 2
    assert len(campaign.problems) == 2
    assert "missing" in campaign.problems[0] and "r001" in campaign.problems[0]


def test_one_way_legs_come_from_echo_stamps_of_one_host_only(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(100, 10_000.0))
    build.pings(case, 1, np.full(100, 10_000.0))
    (summary,) = analysed(build).cases
    assert summary.latency is not None and summary.latency.one_way_there is not None
    assert summary.latency.one_way_there.median.value == (10_000 - 300) // 2
    assert summary.latency.one_way_there.median.count == 200
    assert [leg.name for leg in summary.latency.legs] == [
        "write", "transport", "read", "turn-round",
    ]  # fmt: skip
    for row in build.rows:
        row["one_clock"] = row["round"] == 0
    (apart,) = analysed(build).cases
    assert apart.latency is not None
    assert apart.latency.one_way_there is not None and apart.latency.one_way_there.bounded
    assert [leg.name for leg in apart.latency.legs if not leg.bound_ns] == [
        "write", "read", "turn-round",
    ]  # fmt: skip


def test_throughput_is_that_of_a_typical_round_and_loss_the_mean(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-1024", test="throughput", size=1024)
    rates = [100_000.0, 110_000.0, 90_000.0]
    for number, per_s in enumerate(rates):
        build.stream(case, number, per_s, 1024, lost=200)
    throughput = only(build).throughput
    assert throughput is not None and throughput.samples_per_s is not None
    expected = stats.typical(rates)
    assert throughput.samples_per_s.value == 100_000
    assert throughput.samples_per_s.low == expected.low
    assert throughput.samples_per_s.rounds == 3
    assert throughput.samples_per_s.count == throughput.received == 600_000
    assert throughput.lost == 600
    assert throughput.loss_share is not None
    shares = [200 / (2 * r + 200) for r in rates]
    assert throughput.loss_share.value == pytest.approx(np.mean(shares))
    assert throughput.duplicated == 0
    assert throughput.corrupted is None, "bodies were not verified"
    assert throughput.probe_one_way is not None
    assert throughput.probe_one_way.quantity == "one_way"
    assert throughput.probe_round_trip is None


def test_every_plot_point_is_an_observation_and_extremes_survive(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    latency = np.random.default_rng(0).integers(8000, 9000, 20_000).astype(float)
    latency[[5, 7000]] = 1000, 900_000
    build.pings(case, 0, latency, lost=2)
    series = only(build).series
    assert series is not None and series.timeline is not None and series.curve is not None
    assert {500.0, 450_000.0} <= set(series.timeline.value_ns)
    assert len(series.timeline.detail_value_ns) == 5000
    assert len(series.timeline.lost_t_s) == 2
    assert series.curve.value_ns[-1] == 450_000.0
    assert series.medians is not None and len(series.medians.values) == 1


def test_goodput_over_time_adds_up_the_writers(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-1024", test="throughput", size=1024)
    build.stream(case, 0, 100_000, 1024)
    series = only(build).series
    assert series is not None and series.rate is not None
    assert len(series.rate.t_s) == 20
    assert series.rate.t_s[0] == pytest.approx(0.05)
    assert np.mean(series.rate.samples_per_s) == pytest.approx(100_000, rel=0.03)
    ratio = np.array(series.rate.mbit_per_s) / np.array(series.rate.samples_per_s)
    assert ratio == pytest.approx(np.full(20, 1024 * 8 / 1e6), rel=1e-4)


def test_the_floor_is_the_nearest_null_case(tmp_path: Path) -> None:
    campaign = summarise(Result(comparison(tmp_path, samples=200, rounds=2)))
    exact = campaign.case("udp-1024-same").floor
    assert exact is not None and exact.case == "null-1024" and exact.differs == []
    other = campaign.case("udp-1024-different").floor
    assert other is not None and other.case == "null-1024" and other.differs == ["placement"]
    largest = campaign.case("fastdds-1048576-same").floor
    assert largest is not None and largest.case == "null-65536" and largest.differs == ["size"]
    assert campaign.case("null-64").is_floor


def test_placements_and_tests_are_never_in_one_group(tmp_path: Path) -> None:
    campaign = summarise(Result(comparison(tmp_path, samples=200, rounds=2)))
    assert [(g.test, g.placement) for g in campaign.groups] == [
        ("latency", "same"), ("latency", "different"), ("throughput", "different"),
    ]  # fmt: skip
    for group in campaign.groups:
        cases = [campaign.case(c) for c in group.cases]
        assert {(c.test, c.placement) for c in cases} == {(group.test, group.placement)}
        assert not any(c.is_floor or c.status == "unsupported" for c in cases)


def test_the_document_survives_json_and_has_a_schema(tmp_path: Path) -> None:
    campaign = summarise(Result(comparison(tmp_path, samples=200, rounds=2)))
    assert Campaign.model_validate_json(campaign.model_dump_json()) == campaign
    schema = Campaign.model_json_schema()
    assert schema["properties"]["version"]["default"] == 1
    again = summarise(Result(tmp_path))
    assert again.model_dump_json() == campaign.model_dump_json()


def test_without_series_the_figures_are_the_same(tmp_path: Path) -> None:
    result = Result(comparison(tmp_path, samples=200, rounds=2))
    lean, full = summarise(result, with_series=False), summarise(result)
    assert all(c.series is None for c in lean.cases)
    assert lean.standings == full.standings
