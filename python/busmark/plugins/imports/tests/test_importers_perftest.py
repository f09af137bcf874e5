"""RTI Perftest: every form says the same, and what it says is what was drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from import_harness import FILES, campaign_of, read, reported, result_of, text_of
from make_files import BANNER, PERFTEST, STREAMS, at, perftest_json

from busmark.errors import UserError

FORMS = (
    "perftest_latency.csv",
    "perftest_no_titles.csv",
    "perftest_legacy.txt",
    "perftest_old_legacy.txt",
    "perftest_java.json",
    "perftest_cpp.json",
)


@pytest.mark.parametrize("name", FORMS)
def test_latencies_are_halves_of_round_trips_in_nanoseconds(name: str) -> None:
    runs = [run for run in read(name).runs if run.params.test == "latency"]
    assert [run.params.size for run in runs] == list(PERFTEST)
    for run, drawn in zip(runs, PERFTEST.values(), strict=True):
        assert {s.quantity for s in run.reported} == {"half_round_trip"}
        figures = {(s.statistic, s.percent): s.value_ns for s in run.reported}
        assert figures["min", None] == drawn.min() * 1000
        assert figures["max", None] == drawn.max() * 1000
        for percent in (50.0, 90.0, 99.0, 99.99, 99.9999):
            assert figures["percentile", percent] == at(drawn, percent) * 1000
        assert figures["mean", None] == pytest.approx(drawn.mean() * 1000, abs=500)
        assert figures["std", None] == pytest.approx(drawn.std() * 1000, abs=50)


@pytest.mark.parametrize("name", ["perftest_throughput.csv", "perftest_throughput.json",
                                  "perftest_legacy.txt"])  # fmt: skip
def test_throughput_is_what_the_subscriber_printed(name: str) -> None:
    runs = [run for run in read(name).runs if run.params.test == "throughput"]
    for run, (size, text) in zip(runs, STREAMS.items(), strict=True):
        received, per_s, mbit, lost = text
        assert run.params.size == size
        assert run.values["received"] == received
        assert run.values["lost"] == lost
        assert run.values["expected"] == received + lost
        assert run.values["samples_per_s"] == per_s
        assert run.values["mbit_per_s"] == pytest.approx(mbit)
        assert "sent" not in run.values


def test_the_json_of_cpp_is_no_json_and_is_read_all_the_same() -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(text_of("perftest_cpp.json"))
    mine, theirs = read("perftest_cpp.json"), read("perftest_java.json")
    assert [[(s.key, s.value_ns) for s in run.reported] for run in mine.runs] == [
        [(s.key, s.value_ns) for s in run.reported] for run in theirs.runs
    ]


def test_runs_that_follow_each_other_in_one_file_are_all_read() -> None:
    twice = perftest_json(wrapped=False) + perftest_json(wrapped=False)
    assert len(read("perftest_cpp.json", twice).runs) == 4


def test_samples_join_the_summary_they_belong_to(tmp_path: Path) -> None:
    result = result_of(tmp_path, "perftest_latency_file.csv", "perftest_latency.csv")
    assert result.cases["case"].to_list() == [
        "rti-latency-64-reliable",
        "rti-latency-1024-reliable",
    ]
    for case, drawn in zip(result.manifest.cases, PERFTEST.values(), strict=True):
        samples = result.samples(case.id, 0)
        assert sorted(samples["round_trip_ns"].to_list()) == sorted(2000 * int(v) for v in drawn)
        assert samples["sent_ns"].null_count() == samples.height
    found = {finding.id for finding in result.manifest.findings}
    assert not found & {"perftest-latency-file", "perftest-few-samples", "perftest-no-count"}


def test_samples_in_nanoseconds_are_reported_by_their_summary(tmp_path: Path) -> None:
    drawn = (PERFTEST[64] * 1000 + 123).astype(int)
    row = f"{64:19d},{drawn.mean() / 1000:9.3f},{drawn.std() / 1000:9.3f},"
    chosen = (drawn.min(), drawn.max(), *(int(at(drawn, p)) for p in (50, 90, 99, 99.99, 99.9999)))
    row += ",".join(f"{v / 1000:9.3f}" for v in chosen) + "\n"
    head = text_of("perftest_no_titles.csv").splitlines()[0] + "\n"
    (tmp_path / "nano.csv").write_text(head + row, encoding="utf-8")
    lines = "".join(f"{i}, {v}\n" for i, v in enumerate(drawn))
    (tmp_path / "raw.csv").write_text("Sample Number, Value\n" + lines, encoding="utf-8")
    result = result_of(tmp_path, str(tmp_path / "nano.csv"), str(tmp_path / "raw.csv"))
    (case,) = result.manifest.cases
    assert result.samples(case.id, 0)["round_trip_ns"].to_list() == (2 * drawn).tolist()


def test_samples_alone_are_shown_with_a_finding(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "perftest_latency_file.csv")
    assert "perftest-latency-file" in {f.id for f in campaign.findings}
    assert len(campaign.cases) == 2, "series of several sizes are no rounds of one case"
    for case, drawn in zip(campaign.cases, PERFTEST.values(), strict=True):
        assert case.size is None
        assert case.rtt_2
        assert case.rtt_2.median.value == pytest.approx(
            np.quantile(drawn, 0.5, method="inverted_cdf") * 1000
        )


def test_what_the_standard_error_stream_tells_becomes_parameters() -> None:
    found = read("perftest_latency.csv")
    assert found.version == "4.1.0"
    assert found.versions == {"rti": "RTI Connext DDS 7.2.0"}
    for run in found.runs:
        assert run.params.qos == {"reliability": "reliable"}
        assert run.params.wait == "listener"
        assert run.params.arrivals == "closed"
    assert not read("perftest_no_titles.csv").runs[0].params.qos


@pytest.mark.parametrize("name", ["perftest_no_titles.csv", "perftest_cpp.json"])
def test_each_run_has_the_configuration_above_it(name: str) -> None:
    changes = {"4.1.0": "4.2.0", "Reliable": "Best Effort", "Listeners": "WaitSets",
               "LATENCY TEST": "THROUGHPUT TEST"}  # fmt: skip
    other = BANNER
    for old, new in changes.items():
        other = other.replace(old, new)
    batched = BANNER + "\tPublication Rate: 1000 Samples/s\n\tBatching: 8192 Bytes\n"
    table = text_of(name)
    found = read(name, "".join([table, batched, table, other, table]))
    lines = [
        {
            k: run.params.declared().get(k)
            for k in ("qos", "wait", "arrivals", "rate_hz", "settings")
        }
        for run in found.runs
    ]
    nothing = {"qos": None, "wait": None, "arrivals": "unstated", "rate_hz": None, "settings": None}
    first = {"qos": {"reliability": "reliable"}, "wait": "listener", "arrivals": "closed",
             "rate_hz": 1000.0, "settings": {"batch_bytes": 8192}}  # fmt: skip
    second = nothing | {"qos": {"reliability": "best_effort"}, "wait": "waitset"}
    assert lines == [nothing] * 2 + [first] * 2 + [second] * 2
    assert found.version == "4.1.0, 4.2.0"
    assert found.versions == {"rti": "RTI Connext DDS 7.2.0"}


def test_what_a_summary_lacks_stays_absent(tmp_path: Path) -> None:
    result = result_of(tmp_path, "perftest_no_titles.csv")
    row = result.cases.row(0, named=True)
    for column in ("samples", "sent", "received", "lost", "duplicated", "measured_s", "rate_hz"):
        assert row[column] is None, column
    assert result.summaries["count"].null_count() == result.summaries.height


def test_the_median_of_a_round_is_a_round_trip(tmp_path: Path) -> None:
    result = result_of(tmp_path, "perftest_no_titles.csv")
    half = reported(result, "rti-latency-64", "half_round_trip", "percentile", 50.0)
    assert half is not None
    assert result.cases.row(0, named=True)["median_ns"] == 2 * half


def test_samples_of_no_summary_in_the_import_stay_cases_of_their_own(tmp_path: Path) -> None:
    other = str(FILES.parent / "published" / "perftest-3-pub-summary.csv")
    result = result_of(tmp_path, "perftest_latency_file.csv", other)
    assert [case.params.size for case in result.manifest.cases] == [None, None, 100]
    assert "perftest-latency-file" in {finding.id for finding in result.manifest.findings}


def test_a_percentile_that_is_the_maximum_is_reported() -> None:
    found = {o.flaw.id: o.evidence for o in read("perftest_latency.csv").observed}
    assert "is the maximum" in found["perftest-percentile-is-maximum"]


def test_a_summary_of_no_pong_is_a_failed_round(tmp_path: Path) -> None:
    head = text_of("perftest_no_titles.csv").splitlines()[0] + "\n"
    row = f"{1024:19d}" + "," + ",".join(["0"] * 9) + "\n"
    (tmp_path / "none.csv").write_text(BANNER + head + row, encoding="utf-8")
    result = result_of(tmp_path, str(tmp_path / "none.csv"))
    row_of = result.cases.row(0, named=True)
    assert (row_of["status"], row_of["median_ns"]) == ("failed", None)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("  64, 1, 2\n", "10 columns"), ("  64, a, 1, 1, 1, 1, 1, 1, 1, 1\n", "'a' is not a number")],
)
def test_a_malformed_row_is_reported_with_its_line(line: str, expected: str) -> None:
    head = text_of("perftest_no_titles.csv").splitlines()[0] + "\n"
    with pytest.raises(UserError, match=expected) as caught:
        read("perftest_no_titles.csv", head + "\n" + line)
    assert caught.value.where.endswith("line 3")


def test_a_damaged_header_is_reported_with_its_line() -> None:
    head, row, *_ = text_of("perftest_no_titles.csv").splitlines()
    with pytest.raises(UserError, match="a header that begins with") as caught:
        read("perftest_no_titles.csv", f"{head.replace(',', ';', 1)}\n{head}\n{row}\n")
    assert caught.value.where.endswith("line 1")
