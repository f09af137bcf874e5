"""sockperf: its text, and its log with every sample."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from import_harness import campaign_of, read, reported, result_of, text_of

from busmark.errors import UserError


def printed(name: str) -> dict[str, float]:
    """Percentiles and extremes by another route."""
    text = text_of(name)
    found = {p: float(v) for p, v in re.findall(r"percentile\s+([\d.]+) =\s*([\d.]+)", text)}
    found |= {w: float(v) for w, v in re.findall(r"<(M..)> observation =\s*([\d.]+)", text)}
    return found


def test_half_round_trips_of_the_text(tmp_path: Path) -> None:
    text = printed("sockperf_ping_pong.txt")
    result = result_of(tmp_path, "sockperf_ping_pong.txt")
    (case,) = result.manifest.cases
    assert reported(result, case.id, "half_round_trip", "min") == pytest.approx(text["MIN"] * 1e3)
    for percent in (25.0, 50.0, 99.9, 99.999):
        value = reported(result, case.id, "half_round_trip", "percentile", percent)
        assert value == pytest.approx(text[f"{percent:.3f}"] * 1e3)
    row = result.cases.row(0, named=True)
    assert row["median_ns"] == pytest.approx(2 * text["50.000"] * 1e3)
    assert (row["adapter"], row["transport"], row["size"]) == ("udp", "udp", None)
    assert (row["lost"], row["out_of_order"], row["duplicated"]) == (0, 0, 0)


def test_full_round_trips_are_not_taken_for_halves(tmp_path: Path) -> None:
    text = printed("sockperf_under_load.txt")
    (case,) = campaign_of(tmp_path, "sockperf_under_load.txt").cases
    assert case.latency and case.latency.round_trip and case.latency.half_round_trip
    assert case.latency.round_trip.median.value == pytest.approx(text["50.000"] * 1e3)
    assert case.latency.half_round_trip.median.value == pytest.approx(text["50.000"] * 500)


def test_the_log_gives_stamps_size_and_rate(tmp_path: Path) -> None:
    result = result_of(tmp_path, "sockperf_log.csv")
    (case,) = result.manifest.cases
    assert case.params.size == 350
    assert case.params.rate_hz == 2000.0
    assert case.params.arrivals == "paced"
    lines = [line for line in text_of("sockperf_log.csv").splitlines() if line[:1].isdigit()]
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    samples = result.samples(case.id, 0)
    took = (samples["read_ns"] - samples["sent_ns"]).to_numpy()
    assert took == pytest.approx(table[:, 3] * 1e3, abs=1)
    assert samples["sent_ns"].to_list() == [round(t * 1e9) for t in table[:, 1]]


def test_text_and_log_of_one_run_count_once(tmp_path: Path) -> None:
    result = result_of(tmp_path, "sockperf_under_load.txt", "sockperf_log.csv")
    assert result.cases.height == 1
    (case,) = result.manifest.cases
    assert (case.params.adapter, case.params.size) == ("udp", 350)
    assert result.samples(case.id, 0).height == 29
    assert result.manifest.source
    assert "counted once" in result.manifest.source.repeated[0]


def test_throughput_mode_has_no_goodput(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "sockperf_throughput.txt")
    (case,) = campaign.cases
    assert case.throughput
    assert case.throughput.mbit_per_s is None
    assert case.throughput.received is None
    assert case.throughput.written_per_s
    assert case.throughput.written_per_s.value == pytest.approx(10003 / 2.0)
    assert "sockperf-sender-side" in {f.id for f in campaign.findings}


def test_lost_replies_are_reported() -> None:
    text = text_of("sockperf_ping_pong.txt").replace("dropped messages = 0", "dropped messages = 7")
    found = read("sockperf_ping_pong.txt", text)
    assert found.runs[0].values["lost"] == 7
    assert "sockperf-lost-and-late" in {o.flaw.id for o in found.observed}


def test_an_interval_of_one_run_is_not_imported() -> None:
    text = text_of("sockperf_ping_pong.txt")
    newer = re.sub(r"\(std-dev=([\d.]+)\)",
                   r"(std-dev=\1, mean-ad=1.2, median-ad=0.3, siqr=0.2, cv=0.1, "
                   r"std-error=0.01, 99.0% ci=[6.5, 6.7])", text)  # fmt: skip
    found = read("sockperf_ping_pong.txt", newer)
    assert "sockperf-interval" in {o.flaw.id for o in found.observed}
    assert {s.statistic for s in found.runs[0].reported} == {
        "mean",
        "std",
        "min",
        "max",
        "percentile",
    }


@pytest.mark.parametrize(
    "broken", ["0, 2.5", "0, 2.5, 2.6, 1, 1", "7, 2.5, 2.6, 50", "0, a, 2.6, 5"]
)
def test_a_malformed_sample_is_reported_with_its_line(broken: str) -> None:
    lines = text_of("sockperf_log.csv").splitlines()
    first = next(i for i, line in enumerate(lines) if line[:1].isdigit())
    lines[first] = broken
    with pytest.raises(UserError) as caught:
        read("sockperf_log.csv", "\n".join(lines) + "\n")
    assert caught.value.where.endswith(f"line {first + 1}")
