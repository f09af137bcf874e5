"""ddsperf: its seconds unchanged, and what follows from them for the run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from import_harness import campaign_of, read, reported, result_of, text_of

from busmark.errors import UserError


def seconds(name: str, mark: str) -> list[dict[str, float]]:
    """Figures of each second by another route: words and the numbers that follow them."""
    found = []
    for line in text_of(name).splitlines():
        if mark in line and " mean " in line:
            words = line.split()
            pairs = {w: words[i + 1] for i, w in enumerate(words[:-1])}
            wanted = ("mean", "min", "50%", "90%", "99%", "max", "cnt")
            found.append({k: float(re.sub(r"[a-z]+$", "", pairs[k])) for k in wanted})
    return found


def test_mean_least_and_greatest_are_of_the_whole_run(tmp_path: Path) -> None:
    text = seconds("ddsperf_ping.txt", "size 1024")
    result = result_of(tmp_path, "ddsperf_ping.txt")
    (case,) = result.manifest.cases
    count = sum(s["cnt"] for s in text)
    mean = sum(s["mean"] * s["cnt"] for s in text) / count
    kept = {k: reported(result, case.id, "half_round_trip", k) for k in ("mean", "min", "max")}
    assert kept["mean"] == pytest.approx(mean * 1000)
    assert kept["min"] == pytest.approx(min(s["min"] for s in text) * 1000)
    assert kept["max"] == pytest.approx(max(s["max"] for s in text) * 1000)
    assert result.cases["samples"].to_list() == [count]


def test_percentiles_are_kept_by_second_and_reported_with_limits(tmp_path: Path) -> None:
    text = seconds("ddsperf_ping.txt", "size 1024")
    (case,) = campaign_of(tmp_path, "ddsperf_ping.txt").cases
    (one,) = case.reported
    assert one.parts == len(text)
    for percent, key in ((50.0, "50%"), (90.0, "90%"), (99.0, "99%")):
        figure = next(f for f in one.figures if f.percent == percent)
        values = [s[key] * 1000 for s in text]
        assert figure.within is not None
        assert figure.within.low_ns == pytest.approx(min(values))
        assert figure.within.high_ns == pytest.approx(max(values))
        assert figure.within.low_ns <= figure.figure.value <= figure.within.high_ns
    assert case.rtt_2 is not None
    assert case.rtt_2.median.low is None


def test_one_way_latencies_are_not_halved_ones(tmp_path: Path) -> None:
    text = seconds("ddsperf_sub.txt", "sublat")
    (case,) = campaign_of(tmp_path, "ddsperf_sub.txt").cases
    assert case.throughput and case.throughput.probe_one_way
    assert [s.quantity for s in case.reported] == ["one_way"]
    assert case.throughput.probe_one_way.max_ns == pytest.approx(max(s["max"] for s in text) * 1000)


def test_goodput_is_of_the_whole_seconds_in_which_a_writer_wrote(tmp_path: Path) -> None:
    lines = [line.split() for line in text_of("ddsperf_sub.txt").splitlines() if " total " in line]
    rows = [(float(w[1]), int(w[w.index("delta") + 1])) for w in lines]
    (first, _), *middle, _ = rows
    samples, length = sum(delta for _, delta in middle), middle[-1][0] - first
    result = result_of(tmp_path, "ddsperf_sub.txt")
    row = result.cases.row(0, named=True)
    assert row["samples_per_s"] == pytest.approx(samples / length)
    assert row["mbit_per_s"] == pytest.approx(samples / length * 1024 * 8 / 1e6)
    assert row["received"] == sum(delta for _, delta in rows)
    intervals = result.intervals(row["case"], 0)
    assert intervals["samples"].to_list() == [delta for _, delta in rows]


def test_a_second_with_more_samples_than_ddsperf_keeps_is_reported() -> None:
    line = ("[1] 2.000  host:2 size 12 mean 9.0us min 8.0us 50% 8.9us 90% 9.5us 99% 10.0us "
            "max 99.0us cnt {count}\n")  # fmt: skip
    few, many = (
        {o.flaw.id for o in read("ddsperf_ping.txt", line.format(count=n)).observed}
        for n in (20_000, 20_001)
    )
    assert many - few == {"ddsperf-percentiles-of-first-samples"}
    (run,) = read("ddsperf_ping.txt", line.format(count=32_000)).runs
    assert {s.count for s in run.reported if s.percent is not None} == {20_000}


def test_units_of_any_size_are_read() -> None:
    line = ("[1] 2.000  host:2 size 12 mean 1.5ms min 800ns 50% 8.9us 90% 9.5us 99% 1.0s "
            "max 2s cnt 10\n")  # fmt: skip
    (run,) = read("ddsperf_ping.txt", line).runs
    values = {s.statistic: s.value_ns for s in run.reported if s.start_s is None}
    assert values == {"mean": 1.5e6, "min": 800.0, "max": 2e9}


@pytest.mark.parametrize("lost", [2**32 - 1, 2**32 - 1000, 2**32, 2**32 + 6, 2**33 - 2, 2**31])
def test_a_count_of_losses_that_stepped_is_absent_and_reported(lost: int) -> None:
    """A sample that comes twice, late, both, or twice and twice."""
    text = text_of("ddsperf_sub.txt").replace("lost 0 delta", f"lost {lost} delta")
    found = read("ddsperf_sub.txt", text)
    assert (found.runs[0].values["lost"], found.runs[0].values["expected"]) == (None, None)
    (sentence,) = [o for o in found.observed if o.flaw.id == "ddsperf-loss-step"]
    assert sentence.evidence == "2³¹ samples or more are reported as lost"


def test_a_great_count_of_losses_is_kept() -> None:
    text = text_of("ddsperf_sub.txt").replace("lost 0 delta", f"lost {2**31 - 1} delta")
    found = read("ddsperf_sub.txt", text)
    assert found.runs[0].values["lost"] == 2**31 - 1
    assert "ddsperf-loss-step" not in {o.flaw.id for o in found.observed}


def test_a_malformed_second_is_reported_with_its_line() -> None:
    text = text_of("ddsperf_ping.txt").replace("min 9.098us", "min what")
    with pytest.raises(UserError) as caught:
        read("ddsperf_ping.txt", text)
    assert caught.value.where.endswith("line 3")
