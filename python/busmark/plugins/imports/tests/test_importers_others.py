"""performance_test, OpenDDS Bench, Fast DDS and OpenMessaging Benchmark against what was drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from import_harness import campaign_of, read, reported, result_of, text_of
from make_files import ECHO, FASTDDS, READERS, ROWS
from seams import shown

from busmark.errors import UserError


@pytest.mark.parametrize("name", ["performance_test.csv", "performance_test.json"])
def test_moments_of_seconds_are_those_of_all_samples(tmp_path: Path, name: str) -> None:
    drawn = np.concatenate(ROWS) * 1e9
    result = result_of(tmp_path, name)
    (case,) = result.manifest.cases
    close = {"rel": 1e-3 if name.endswith("csv") else 1e-12}
    kept = {k: reported(result, case.id, "one_way", k) for k in ("mean", "min", "max", "std")}
    assert kept["mean"] == pytest.approx(drawn.mean(), **close)
    assert kept["min"] == pytest.approx(drawn.min(), **close)
    assert kept["max"] == pytest.approx(drawn.max(), **close)
    # The CSV has the variance of a sample: n - 1 for n.
    assert kept["std"] == pytest.approx(drawn.std(), rel=1e-2 if name.endswith("csv") else 1e-9)
    row = result.cases.row(0, named=True)
    assert (row["received"], row["sent"], row["lost"]) == (400, 400, 3)
    assert row["samples_per_s"] == pytest.approx(100.0)
    assert (row["adapter"], row["size"], row["rate_hz"]) == ("cyclonedds", 1024, 100.0)
    assert case.params.qos == {"reliability": "reliable", "durability": "volatile",
                                  "history": "keep_last", "depth": 16}  # fmt: skip


def test_the_variance_of_performance_test_is_in_square_seconds() -> None:
    row = next(s for s in read("performance_test.csv").runs[0].reported
               if s.statistic == "std" and s.start_s is not None)  # fmt: skip
    assert row.value_ns == pytest.approx(ROWS[0].std(ddof=1) * 1e9, rel=1e-3)


def test_there_is_no_median_where_none_can_be(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "performance_test.csv")
    (case,) = campaign.cases
    assert case.throughput
    assert case.throughput.probe_one_way is None
    assert "mean" in {figure.statistic for figure in case.reported[0].figures}
    assert "performance-test-no-percentiles" in {f.id for f in campaign.findings}


def test_a_relay_gives_round_trips() -> None:
    text = text_of("performance_test.csv").replace("Roundtrip Mode: None", "Roundtrip Mode: Main")
    (run,) = read("performance_test.csv", text).runs
    assert run.params.test == "latency"
    assert run.params.arrivals == "paced"
    assert {s.quantity for s in run.reported} == {"round_trip"}


def test_rows_of_2019_that_end_with_a_comma() -> None:
    head, mark, table = text_of("performance_test.csv").partition("---EXPERIMENT-START---\n")
    names, *rows = table.splitlines()
    older = "\n".join([names, *(f"{row},\t" for row in rows)]) + "\n"
    mine, theirs = read("performance_test.csv", head + mark + older), read("performance_test.csv")
    assert [s.value_ns for s in mine.runs[0].reported] == [
        s.value_ns for s in theirs.runs[0].reported
    ]


def test_a_second_without_samples_has_no_latency() -> None:
    document = json.loads(text_of("performance_test.json"))
    empty = document["analysis_results"][1]
    empty |= {k: 0 if isinstance(v, int) else 0.0 for k, v in empty.items() if "start" not in k}
    (run,) = read("performance_test.json", json.dumps(document)).runs
    figures = {s.statistic: s.value_ns for s in run.reported if s.start_s is None}
    kept = np.concatenate([ROWS[0], *ROWS[2:]]) * 1e9
    assert figures["min"] == pytest.approx(kept.min())


@pytest.mark.parametrize("name", ["opendds_report.json", "opendds_summary.json",
                                  "opendds_summary.txt"])  # fmt: skip
def test_readers_of_opendds_together(tmp_path: Path, name: str) -> None:
    drawn = np.concatenate(READERS) * 1e9
    last = np.concatenate([reader[-1000:] for reader in READERS]) * 1e9
    result = result_of(tmp_path, name)
    case = next(c for c in result.manifest.cases if c.params.test == "throughput")
    close: dict[str, Any] = {"abs": 1e-3 if name.endswith("report.json") else 501}
    for statistic, value in (("mean", drawn.mean()), ("std", drawn.std()), ("min", drawn.min()),
                             ("max", drawn.max())):  # fmt: skip
        assert reported(result, case.id, "one_way", statistic) == pytest.approx(value, **close)
    median = reported(result, case.id, "one_way", "percentile", 50.0)
    assert median == pytest.approx(np.median(last), **close)
    counts = result.summaries.filter(result.summaries["case"] == case.id)
    kept = dict(zip(counts["statistic"], counts["count"], strict=True))
    assert (kept["mean"], kept["percentile"], kept["mad"]) == (3000, 2000, 2000)
    assert "opendds-median" in {f.id for f in result.manifest.findings}


def test_round_trips_of_opendds_are_per_hop_and_no_rtt_2(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "opendds_report.json")
    case = next(c for c in campaign.cases if c.test == "latency")
    assert case.rtt_2 is None
    (mean,) = (f.figure for s in case.reported if s.quantity == "per_hop" for f in s.figures
               if f.statistic == "mean")  # fmt: skip
    assert mean.value == pytest.approx(ECHO.mean() * 1e9)


@pytest.mark.parametrize(
    ("name", "latency", "jitter"),
    [
        ("opendds_report.json", "round_trip_latency_", "round_trip_jitter_"),
        ("opendds_summary.json", '"latency":', '"round_trip_jitter":'),
        ("opendds_summary.txt", "Latency Statistics:", "Round Trip Jitter Statistics:"),
    ],
)
def test_jitter_of_round_trips_without_their_latency(
    tmp_path: Path, name: str, latency: str, jitter: str
) -> None:
    text = text_of(name)
    assert latency in text
    (tmp_path / name).write_text(text.replace(latency, jitter), encoding="utf-8")
    result = result_of(tmp_path, str(tmp_path / name))
    case = next(c for c in shown(result.directory).cases if c.test == "latency")
    assert {s.quantity for s in case.reported} == {"per_hop_jitter"}
    row = result.cases.filter(result.cases["case"] == case.id).row(0, named=True)
    assert row["samples"] is None, "nobody tells how many round trips there were"


def test_losses_and_rate_of_opendds(tmp_path: Path) -> None:
    result = result_of(tmp_path, "opendds_report.json")
    row = result.cases.filter(result.cases["test"] == "throughput").row(0, named=True)
    assert (row["lost"], row["out_of_order"], row["duplicated"], row["received"]) == (4, 2, 0, 3000)
    assert row["mbit_per_s"] == pytest.approx(2 * 125_000 * 8 / 1e6)


@pytest.mark.parametrize("names", [("fastdds_table.txt",), ("fastdds_raw.csv",),
                                   ("fastdds_table.txt", "fastdds_raw.csv")])  # fmt: skip
def test_latencies_of_fast_dds(tmp_path: Path, names: tuple[str, ...]) -> None:
    campaign = campaign_of(tmp_path, *names)
    assert [case.size for case in campaign.cases] == list(FASTDDS)
    for case, drawn in zip(campaign.cases, FASTDDS.values(), strict=True):
        assert case.rtt_2 and case.rtt_2.count == 1000
        median = float(np.quantile(drawn, 0.5, method="inverted_cdf")) * 1000
        assert case.rtt_2.median.value == pytest.approx(median, rel=1e-4)
        assert case.rtt_2.min_ns == pytest.approx(drawn.min() * 1000, rel=1e-4)


def test_throughput_of_fast_dds_is_the_subscribers(tmp_path: Path) -> None:
    result = result_of(tmp_path, "fastdds_throughput.csv")
    first, second = result.cases.sort("lost", descending=True).iter_rows(named=True)
    assert (first["sent"], first["received"], first["lost"]) == (61_000, 60_900, 100)
    assert first["mbit_per_s"] == pytest.approx(498.643)
    assert first["written_per_s"] == pytest.approx(60951.239)
    assert first["measured_s"] == pytest.approx(1.0005)
    assert second["lost"] == 0
    settings = [case.params.settings for case in result.manifest.cases]
    assert settings == [{"demand": 1000, "recovery_ms": 0.0}, {"demand": 1000, "recovery_ms": 10.0}]


def test_units_of_openmessaging(tmp_path: Path) -> None:
    document = json.loads(text_of("omb.json"))
    result = result_of(tmp_path, "omb.json")
    (case,) = result.manifest.cases
    for quantity, name, factor in (("one_way", "EndToEndLatency", 1e6),
                                   ("publish", "PublishLatency", 1e6),
                                   ("publish_delay", "PublishDelayLatency", 1e3)):  # fmt: skip
        assert (
            reported(result, case.id, quantity, "mean") == document[f"aggregated{name}Avg"] * factor
        )
        p99 = document[f"aggregated{name}99pct"] * factor
        assert reported(result, case.id, quantity, "percentile", 99.0) == p99
    row = result.cases.row(0, named=True)
    assert row["samples_per_s"] == pytest.approx(50_000.0)
    assert row["mbit_per_s"] == pytest.approx(50_000 * 1024 * 8 / 1e6)
    assert row["lost"] is None, "it does not count them"
    assert case.params.adapter == "kafka"


def test_latencies_of_openmessaging_that_were_never_recorded_are_absent() -> None:
    document = json.loads(text_of("omb.json"))
    document |= {k: 0.0 for k in document if k.startswith("aggregatedEndToEnd")
                 and not k.endswith("Quantiles")}  # fmt: skip
    document["aggregatedEndToEndLatencyQuantiles"] = {}
    found = read("omb.json", json.dumps(document))
    assert "one_way" not in {s.quantity for s in found.runs[0].reported}
    assert any("aggregatedEndToEndLatency has no sample" in text for text in found.left_out)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("omb.json", '"messageSize": 1024', '"messageSize": "1 kB"'),
        ("opendds_report.json", '"scenario_name": "fan"', '"scenario_name": 7'),
        ("fastdds_throughput.csv", "1024,1000,0,", "1024,1000,"),
        ("fastdds_table.txt", " 1000,", " many,"),
        ("performance_test.csv", "1.000000,\t\t100", "1.000000,\t\tx"),
        ("opendds_summary.txt", "mean = ", "mean = x"),
    ],
)
def test_malformed_input_is_reported_with_its_line(name: str, old: str, new: str) -> None:
    text = text_of(name)
    line = text.count("\n", 0, text.index(old)) + 1
    with pytest.raises(UserError) as caught:
        read(name, text.replace(old, new, 1))
    assert caught.value.where == f"{name}, line {line}"
    assert "expected" in str(caught.value) or "should be" in str(caught.value)
