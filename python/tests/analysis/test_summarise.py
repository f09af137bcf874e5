"""The analysis against results with known answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import iqr
from seams import Estimates, done, shown
from synthetic_campaign import Builder, comparison

from busmark import stats


def analysed(build: Builder, **changes: object) -> Any:
    return shown(build.finish(**changes))


def only(build: Builder) -> Any:
    (case,) = analysed(build).cases
    return case


def counted(build: Builder, quantity: str) -> Any:
    """Return a count of the only case."""
    return Estimates(build.directory).value(quantity, "count")


def test_median_and_interval_are_those_of_a_typical_round(tmp_path: Path) -> None:
    build = Builder(tmp_path, seed=11)
    case = build.case("udp-64")
    rng = np.random.default_rng(3)
    rounds = [np.rint(rng.lognormal(9, 0.2, 2000)) for _ in range(4)]
    for number, latency in enumerate(rounds):
        build.pings(case, number, latency)
    summary = only(build)
    assert summary.round_trip is not None
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
    assert next(r for r in Estimates(tmp_path).rows("round_trip", "iqr", over="samples"))[
        "value"
    ] == pytest.approx(expected)
    ladder = {p.percent: p.value_ns for p in summary.round_trip.percentiles}
    assert ladder[99.0] == np.sort(pooled)[7920 - 1]
    assert ladder[99.99] is None
    assert summary.round_trip.figure("p99") is not None
    assert summary.round_trip.figure("p999") is None, (
        "2000 samples in a round do not support 99.9 %"
    )


def test_half_a_round_trip_is_exactly_half_and_called_so(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number in range(3):
        build.pings(case, number, np.full(2000, 10_001.0 + number))
    summary = only(build)
    whole, half = summary.round_trip, summary.rtt_2
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
    summary = only(build)
    assert summary.round_trip is not None
    assert summary.round_trip.max_ns == 8000
    assert summary.round_trip.count == counted(build, "sent") == 1000


def test_lost_pings_are_counted_and_not_averaged(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(500, 8000.0), lost=3)
    build.pings(case, 1, np.full(500, 8000.0))
    summary = only(build)
    assert summary.round_trip is not None
    assert (counted(build, "sent"), counted(build, "lost")) == (1000, 3)
    assert summary.round_trip.count == 997
    assert summary.attempts[0].lost == 3


def test_open_loop_latency_counts_from_the_intended_time(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64", arrivals="constant", rate_hz=1000.0)
    build.pings(case, 0, np.full(100, 8000.0), late_ns=2000)
    summary = only(build)
    assert summary.round_trip is not None
    assert summary.arrivals == "open"
    assert summary.round_trip.median.value == 10_000


def test_marked_rounds_are_listed_and_not_averaged(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(100, 8000.0))
    build.pings(case, 1, np.full(100, 99_000.0), status="marked", reason="lost too many")
    build.row(case, 2, "failed", reason="the responder died")
    summary = only(build)
    assert summary.status == "partial"
    assert summary.reason == "1 round marked: lost too many; 1 round failed: the responder died"
    assert (summary.rounds.ok, summary.rounds.marked, summary.rounds.failed) == (1, 1, 1)
    assert summary.round_trip is not None
    assert summary.round_trip.median.value == 8000
    assert [a.reason for a in summary.attempts] == [None, "lost too many", "the responder died"]


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
    assert case.round_trip is not None
    assert case.round_trip.median.low is None
    (ranking,) = campaign.rankings
    assert ranking.leader is None
    assert {place.reason for place in ranking.places} == {"one round gives no interval"}


def test_a_limit_is_never_below_what_was_seen(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    for number, latency in enumerate((8000.0, 90_000.0)):
        build.pings(case, number, np.full(100, latency))
    summary = only(build)
    assert summary.round_trip is not None
    assert summary.round_trip.median.low == 8000.0
    assert summary.round_trip.median.high == 90_000.0


def test_a_round_in_which_every_ping_was_lost_has_no_latency(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.pings(build.case("udp-64"), 0, np.full(1, 8000.0), lost=1)
    summary = only(build)
    assert summary.round_trip is None
    assert (counted(build, "sent"), counted(build, "lost")) == (1, 1)


def test_a_case_without_rounds_is_not_run_and_an_unsupported_one_says_why(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.case("udp-64")
    build.case("zenoh-64", "unsupported", "no listener", adapter="zenoh")
    campaign = analysed(build)
    assert [c.status for c in campaign.cases] == ["not_run", "unsupported"]
    assert campaign.cases[1].reason == "no listener"
    case = campaign.cases[0]
    assert (case.rtt_2, case.round_trip, case.figures) == (None, None, [])
    assert campaign.answers == [] and campaign.rankings == []


def test_one_way_segments_come_from_echo_stamps_of_one_host_only(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-64")
    build.pings(case, 0, np.full(100, 10_000.0))
    build.pings(case, 1, np.full(100, 10_000.0))
    (summary,) = analysed(build).cases
    row = Estimates(tmp_path).row("one_way_there", "median")
    assert (row["value"], row["count"]) == ((10_000 - 300) // 2, 200)
    there, back, *parts = summary.segments
    assert (there.name, there.median.value, there.median.count) == ("there", row["value"], 200)
    assert back.name == "back"
    assert [segment.name for segment in parts] == ["write", "transport", "read", "turn-round"]
    for row in build.rows:
        row["one_clock"] = row["round"] == 0
    (apart,) = analysed(build).cases
    there = apart.segments[0]
    assert there.name == "there" and there.bound_ns and there.unknown
    assert not Estimates(tmp_path).rows("one_way_there", "median")
    assert [segment.name for segment in apart.segments if not segment.bound_ns] == [
        "write", "read", "turn-round",
    ]  # fmt: skip


def test_levels_of_background_loads_have_their_units(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("a", load="disk 2MB + net 5mbit + cpu 20%")
    build.pings(case, 0, np.full(50, 8000.0), load_disk_asked=2e6, load_disk_achieved=1.5e6,
                load_net_asked=5e6, load_net_achieved=4.5e6, load_cpu_asked=0.2,
                load_cpu_achieved=0.192)  # fmt: skip
    build.finish()
    text = done("show", f"{tmp_path}#a")
    for level in ("1.50 MB/s", "4.50 Mbit/s", "19.2 % of each CPU"):
        assert level in text, text


def test_an_echo_begins_where_its_source_ends_if_that_is_recorded(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for name, written in (("with", 150), ("without", None)):
        case = build.case(name, size=len(name))
        build.row(case, 0, samples=20, lost=0, sent=20, one_clock=True)
        stamps = {"sent_ns": 0, "written_ns": 10, "echo_delivered_ns": 90, "echo_read_ns": 100,
                  "echo_sent_ns": 120, "echo_written_ns": written, "delivered_ns": 230,
                  "read_ns": 240}  # fmt: skip
        build.table("samples", case, 0, [
            {"role": "pinger", "flags": 0, "writer": 1, "seq": n, "intended_ns": 1000 * n,
             **{key: at if at is None else 1000 * n + at for key, at in stamps.items()}}
            for n in range(20)
        ])  # fmt: skip
    both, alone = (
        {segment.name: segment.best[0].mean_ns for segment in case.segment_tables}
        for case in analysed(build).cases
    )
    assert (both["echo source"], both["echo"]) == (30, 80)
    assert "echo source" not in alone and alone["echo"] == 110


def test_throughput_is_that_of_a_typical_round_and_loss_the_mean(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-1024", test="throughput", size=1024)
    rates = [100_000.0, 110_000.0, 90_000.0]
    for number, per_s in enumerate(rates):
        build.stream(case, number, per_s, 1024, lost=200)
    case = only(build)
    expected, read = stats.typical(rates), Estimates(build.directory).row("read_rate", "median")
    assert (read["value"], read["low"], read["rounds"]) == (100_000, expected.low, 3)
    assert read["count"] == counted(build, "received") == 600_000
    assert counted(build, "lost") == 600
    shares = [200 / (2 * r + 200) for r in rates]
    assert Estimates(build.directory).value("loss", "mean") == pytest.approx(np.mean(shares))
    assert counted(build, "duplicated") == 0
    assert not Estimates(build.directory).rows("corrupted", "count"), "bodies were not verified"
    assert case.one_way is not None
    assert case.one_way.quantity == "one_way"
    assert case.round_trip is None


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return shown(comparison(tmp_path_factory.mktemp("comparison"), samples=200, rounds=2))


def test_the_floor_is_the_nearest_null_case(campaign: Any) -> None:
    exact = campaign.case("udp-1024-same").floor
    assert exact is not None and exact.case == "null-1024" and exact.differs == []
    other = campaign.case("udp-1024-different").floor
    assert other is not None and other.case == "null-1024" and other.differs == ["placement"]
    largest = campaign.case("fastdds-1048576-same").floor
    assert largest is not None and largest.case == "null-65536" and largest.differs == ["size"]
    assert campaign.case("null-64").is_floor


def test_placements_and_tests_are_never_in_one_group(campaign: Any) -> None:
    assert [(g.test, g.placement) for g in campaign.groups] == [
        ("latency", "same"), ("latency", "different"), ("throughput", "different"),
    ]  # fmt: skip
    for group in campaign.groups:
        cases = [campaign.case(c) for c in group.cases]
        assert {(c.test, c.placement) for c in cases} == {(group.test, group.placement)}
        assert not any(c.is_floor or c.status == "unsupported" for c in cases)


def test_negative_round_trips_are_left_out_and_listed(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    name = build.case("odd")
    for number in range(3):
        latencies = np.full(100, 5000.0)
        latencies[7], latencies[9] = (-3.0, 0.0) if number == 1 else (5000.0, 5000.0)
        build.pings(name, number, latencies)
    campaign = analysed(build)
    found = campaign.case(name)
    assert found.round_trip.count == 299 and counted(build, "sent") == 300
    assert found.round_trip.min_ns == 0.0, "a duration of 0 is below the clock's step"
    assert campaign.problems == [
        "case odd, round 1: 1 of 100 round trips are negative and left out"
    ]


def test_a_round_with_nan_stamps_is_refused_and_listed(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    name = build.case("foreign")
    for number in range(3):
        build.pings(name, number, np.full(50, 4000.0))
    path = tmp_path / "samples" / "foreign.r001.parquet"
    pl.read_parquet(path).with_columns(read_ns=pl.lit(float("nan"))).write_parquet(path)
    campaign = analysed(build)
    assert campaign.case(name).round_trip.count == 100
    assert campaign.case(name).status == "partial"
    assert len(campaign.problems) == 1 and "unexpected type" in campaign.problems[0]


def test_a_rate_that_no_round_reached_is_the_first_thing_said(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-fast", rate_hz=2e6, arrivals="constant")
    for number in range(3):
        build.row(case, number, "marked",
                  reason=f"reached {168_000 + number}/s of 2 M/s (criteria.min_rate)")  # fmt: skip
    found = analysed(build)
    assert "168000/s" in found.answers[0].lead + found.answers[0].rest
    assert found.cases[0].reason.startswith("3 rounds marked, such as: reached 168000/s")


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (["821"], "in 1 of 3 rounds: reached 821/s of 1 000/s; this round does not count."),
        (["899", "846"],
         "in 2 of 3 rounds: reached 846/s of 1 000/s at worst; these rounds do not count."),
    ],
)  # fmt: skip
def test_the_least_of_a_rate_that_some_rounds_reached(
    tmp_path: Path, reached: list[str], said: str
) -> None:
    build = Builder(tmp_path)
    case = build.case("udp-fast", rate_hz=1000.0, arrivals="constant")
    for number in range(3 - len(reached)):
        build.pings(case, len(reached) + number, np.full(50, 4000.0))
    for number, rate in enumerate(reached):
        reason = f"reached {rate}/s of 1 000/s (criteria.min_rate)"
        build.row(case, number, "marked", reason=reason)
    assert analysed(build).answers[0].rest.endswith(said)


@pytest.mark.parametrize("params", [{"test": "capacity"}, {"qos": "1e999"}, {"qos": "[1]"},
                                    {"a\ud800b": 1}])  # fmt: skip
def test_parameters_that_do_not_fit_hide_no_other_case(
    tmp_path: Path, params: dict[str, Any]
) -> None:
    build = Builder(tmp_path)
    for adapter in ("udp", "tcp"):
        build.pings(build.case(f"0-{adapter}", adapter=adapter), 0, np.full(30, 12_000.0))
    path = build.finish() / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["cases"][0]["params"] |= params
    path.write_text(json.dumps(manifest))
    assert [case.adapter for case in shown(tmp_path).cases][-1] == "tcp"
    done("show", tmp_path)
    done("report", tmp_path)


LAB = {"writer_on": "n1", "reader_on": "n2", "link_rate": "100mbit", "placement": "free",
       "test": "throughput"}  # fmt: skip


@pytest.mark.parametrize(
    ("streams", "most"),
    [
        ([("tcp", 64, None, 3.0), ("tcp", 65536, None, 94.0), ("udp", 65536, None, 95.0)], 94.0),
        # A transfer at a rate says nothing of the links.
        ([("tcp", 65536, 2.0, 1.0), ("udp", 65536, None, 95.0)], None),
    ],
)
def test_links_carry_in_practice_what_the_fastest_plain_transfer_did(
    tmp_path: Path, streams: list[tuple[str, int, float | None, float]], most: float | None
) -> None:
    build = Builder(tmp_path)
    for adapter, size, rate, goodput in streams:
        name = build.case(f"{adapter}-{size}", adapter=adapter, size=size, rate_hz=rate, **LAB)
        build.stream(name, 0, goodput * 1e6 / (8 * size), size)
    found = [case.practical_mbit_per_s for case in analysed(build).cases]
    assert found == [pytest.approx(most)] * len(streams) if most else found == [None] * len(streams)
