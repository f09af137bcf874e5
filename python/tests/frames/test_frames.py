"""`busmark.open`: frames agree with the analysed campaign, the files, and their columns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import BaseModel
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.errors import UserError
from busmark.estimate.columns import FRAMES
from busmark.estimate.frames import schema
from busmark.model.quantities import GOODPUT, LOST
from busmark.results import Results


def test_importing_busmark_and_its_help_loads_no_frame_library() -> None:
    program = (
        "import sys, busmark, busmark.cli; "
        "print([m for m in ('polars', 'numpy', 'scipy', 'pydantic') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert shown.stdout.strip() == "[]", shown.stderr


@pytest.mark.parametrize("frame", [f for f in FRAMES if "(" not in f.call], ids=lambda f: f.call)
def test_frames_have_the_documented_columns(results: Results, frame: object) -> None:
    found: pl.DataFrame = getattr(results, frame.call)  # type: ignore[attr-defined]
    wanted = schema(frame.columns)  # type: ignore[attr-defined]
    assert {name: found.schema[name] for name in wanted} == wanted
    further = [name for name in found.columns if name not in wanted]
    assert frame.call == "cases" or not further  # type: ignore[attr-defined]


def test_cases_tell_what_the_campaign_tells(results: Results) -> None:
    rows = {row["case"]: row for row in results.cases.iter_rows(named=True)}
    assert list(rows) == [case.id for case in results.campaign.cases]
    half = results.campaign.case("udp-1024-same").rtt_2
    row = rows["udp-1024-same"]
    p99 = half and half.figure("p99")
    assert half is not None and p99 is not None
    assert row["half_round_trip_median_ns"] == half.median.value
    assert row["half_round_trip_median_low_ns"] == half.median.low
    assert row["half_round_trip_p99_high_ns"] == p99.high
    assert (row["half_round_trip_count"], row["half_round_trip_rounds"]) == (half.count, 3)
    flood = results.campaign.case("udp-1024-flood")
    goodput = GOODPUT.figure(flood)
    assert goodput and rows["udp-1024-flood"]["goodput_mbit_per_s"] == goodput.value
    assert rows["udp-1024-flood"]["lost"] == LOST.value(flood) == 4500


INTERVAL = {"value", "low", "high"}


def figures(part: object) -> Iterator[tuple[float | None, ...]]:
    """Yield every figure with its interval in a part of an analysis."""
    if isinstance(part, BaseModel) and set(type(part).model_fields) >= INTERVAL:
        yield tuple(getattr(part, name) for name in ("value", "low", "high"))
    elif isinstance(part, BaseModel):
        for _, value in part:
            yield from figures(value)
    elif is_dataclass(part) and {each.name for each in fields(part)} >= INTERVAL:
        yield tuple(getattr(part, name) for name in ("value", "low", "high"))
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for each in part:
            yield from figures(each)
    elif isinstance(part, dict):
        yield from figures(list(part.values()))


def test_every_figure_of_a_case_is_a_row_of_the_table(results: Results) -> None:
    """What documents are made of, and the table of estimates, are the same."""
    found = results.estimates.group_by("case").agg(pl.struct("value", "low", "high"))
    rows = {case: {tuple(row.values()) for row in each} for case, each in found.rows()}
    for case in results.campaign.cases:
        assert {*figures(case)} == rows.get(case.id, set()), case.id


def test_what_was_not_measured_is_null(results: Results) -> None:
    failed = results.cases.row(by_predicate=pl.col("case") == "fastdds-1048576-same", named=True)
    assert failed["status"] == "failed" and failed["rounds_failed"] == 3
    assert failed["half_round_trip_median_ns"] is None and failed["sent"] in (None, 0)
    assert failed["goodput_mbit_per_s"] is None
    omitted = results.estimates.filter(pl.col("value").is_null() & pl.col("reason").is_null())
    pooled = ("skewness", "kurtosis", "stdev", "mad", "min", "max")
    assert set(omitted["statistic"]) <= set(pooled), "what has no value has a reason"


def test_parameters_become_columns(results: Results) -> None:
    assert results.cases["qos_reliability"].unique().to_list() == ["reliable"]
    assert results.cases.schema["size"] == pl.Int64
    assert set(results.cases["adapter"]) >= {"udp", "cyclonedds", "null"}


def test_every_estimate_has_its_unit_and_its_interval(results: Results) -> None:
    chosen = results.estimates.filter(
        case="udp-64-same", scope="case", over="rounds", quantity="half_round_trip",
        statistic="median",
    )  # fmt: skip
    (row,) = chosen.to_dicts()
    assert row["low"] <= row["value"] <= row["high"]
    assert (row["unit"], row["confidence"], row["rounds"]) == ("ns", 0.95, 3)


def test_series_are_of_the_latencies_that_were_measured(results: Results) -> None:
    """Against the single latencies, which no chart has thinned."""
    single = results.latencies("udp-64-same")
    values = single["latency_ns"]
    own = results.series.filter(case="udp-64-same", quantity="half_round_trip")
    curves = {kind: of for (kind,), of in own.filter(scope="case").partition_by(
        "kind", as_dict=True).items()}  # fmt: skip
    assert curves["quantiles"]["y"].max() == round(float(values.max()), 1)  # type: ignore[arg-type]
    for kind in ("histogram", "log_histogram"):
        assert curves[kind]["y"].sum() == len(values)
        for row in curves[kind].iter_rows(named=True):
            low, high = row["low"], row["high"]
            below = values if low is None else values.filter(values > low)
            inside = below if high is None else below.filter(below < high)
            assert row["y"] >= len(inside), "what is on an edge belongs to one of two bins"
    area = curves["density"].select(pl.col("y").rolling_mean(2) * pl.col("x").diff()).sum().item()
    assert 0.9 < area < 1.01
    boxes = own.filter(kind="box")
    for number in (0, 1, 2):
        of_round = values.filter(single["round"] == number)
        box = boxes.filter(round=number)
        assert box.filter(x=100)["y"].item() == of_round.max()
        assert box.filter(x=0)["y"].item() == of_round.min()
    shown = own.filter(kind="detail")
    last = values.filter(single["round"] == shown["round"][0]).tail(shown.height)
    assert shown["y"].to_list() == last.round(1).to_list()


def test_latencies_are_those_that_the_estimates_rest_on(results: Results) -> None:
    counts = dict(results.estimates.filter(quantity="sent", scope="case")["case", "value"].rows())
    for case in ("udp-64-same", "cyclonedds-16384-different", "tcp-64-same"):
        found = results.latencies(case)
        half = results.campaign.case(case).rtt_2
        assert half is not None
        assert found.height == half.count
        assert found["latency_ns"].max() == half.max_ns
        # A lost one is later than any, so it counts in the median.
        sent = results.latencies(case, lost=True)
        assert sent.height == counts[case]
        latest = sent.with_columns(pl.col("latency_ns").fill_null(float("inf")))
        by_round = latest.group_by("round").agg(pl.col("latency_ns").median())
        assert by_round["latency_ns"].median() == pytest.approx(half.median.value)
        for _, own in found.group_by("round"):
            assert own["t_s"].is_sorted() and own["t_s"][0] == 0
    whole = results.latencies("udp-64-same", "round_trip")["latency_ns"].to_numpy()
    assert np.array_equal(whole, 2 * results.latencies("udp-64-same")["latency_ns"].to_numpy())


def test_lost_ones_are_absent_and_counted(results: Results) -> None:
    lost = results.cases.row(by_predicate=pl.col("case") == "udp-64-same", named=True)["lost"]
    assert lost == 2
    assert results.latencies("udp-64-same")["latency_ns"].null_count() == 0
    with_lost = results.latencies("udp-64-same", lost=True)
    assert with_lost["latency_ns"].null_count() == lost
    assert with_lost.height == results.latencies("udp-64-same").height + lost


def test_probes_of_a_stream_are_one_way(results: Results) -> None:
    found = results.latencies("udp-1024-flood")
    one_way = results.campaign.case("udp-1024-flood").one_way
    assert one_way is not None
    assert found.height == one_way.count
    assert found["latency_ns"].min() == one_way.min_ns
    with pytest.raises(UserError, match="has no one_way"):
        results.latencies("udp-64-same", "one_way")


def test_scans_read_all_rounds_that_count(results: Results, directory: Path) -> None:
    one = results.samples("tcp-64-same").collect()
    assert one["round"].unique().sort().to_list() == [0, 1], "round 2 is marked"
    marked = results.samples("tcp-64-same", status=None).collect()
    assert marked["round"].unique().sort().to_list() == [0, 1, 2]
    single = results.samples("tcp-64-same", 1).collect()
    assert single.equals(pl.read_parquet(directory / "samples" / "tcp-64-same.r001.parquet"))
    everything = results.samples(status=None).select(pl.len()).collect().item()
    assert everything == pl.scan_parquet(directory / "samples").select(pl.len()).collect().item()
    assert results.samples("fastdds-1048576-same").collect().is_empty()
    assert results.system("udp-64-same").collect()["round"].n_unique() == 3
    assert results.intervals().collect()["case"].n_unique() == 12


def test_parameters_are_joined_on_wish(results: Results) -> None:
    joined = results.samples("udp-1024-same", parameters=["adapter", "size", "placement"])
    frame = joined.collect()
    assert frame["adapter"].unique().to_list() == ["udp"]
    assert frame["placement"].unique().to_list() == ["same"]
    assert frame.height == results.samples("udp-1024-same").collect().height
    assert frame["size"].null_count() == frame.height, "size of the sample is the table's own"
    assert "qos_reliability" in results.samples(parameters=True).collect_schema().names()


def test_frames_become_pandas(results: Results) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = results.cases.to_pandas()
    assert frame.loc[frame["case"] == "udp-64-same", "size"].tolist() == [64]


def test_an_unknown_case_is_reported_with_the_nearest(results: Results) -> None:
    with pytest.raises(UserError, match="Did you mean udp-64-same"):
        results.latencies("udp-64-sam")
    with pytest.raises(UserError, match="no case"):
        results.samples("nothing")


def test_findings_and_the_campaign_are_at_hand(results: Results) -> None:
    assert results.findings["id"].to_list() == ["socket-buffers", "virtual-machine"]
    assert results.findings["cases"].to_list() == ["udp-65536-flood", None]
    assert results.campaign.name == results.name
    assert "66 cases, 195 rounds" in repr(results)
    assert busmark.open(str(results.directory)).name == results.name


def test_percentiles_have_intervals_and_jitter_is_reported(results: Results) -> None:
    (median,) = results.estimates.filter(
        case="udp-64-same", scope="case", over="samples", quantity="half_round_trip",
        statistic="p50",
    ).to_dicts()  # fmt: skip
    assert median["low"] <= median["value"] <= median["high"]
    case = results.campaign.case("udp-64-same")
    jitter = case.distribution("jitter")
    assert jitter is not None
    row = results.cases.row(by_predicate=pl.col("case") == "udp-64-same", named=True)
    assert row["jitter_median_ns"] == jitter.median.value
    assert 0 < row["jitter_share"] < 1
    assert "jitter" in set(results.estimates["quantity"])


def test_two_results_are_compared(tmp_path: Path) -> None:
    found = {}
    for name, factor in (("before", 1.0), ("after", 1.3)):
        rng = np.random.default_rng(len(name))
        build = Builder(tmp_path / name, seed=len(name))
        case = build.case("a")
        for number in range(4):
            median = 10_000 * factor * rng.normal(1, 0.005)
            build.pings(case, number, samples_around(median, 1000, rng))
        changes = {"cookie": f"{len(name):016x}", "created_utc": f"2025-01-0{len(name)}T12:00:00Z"}
        found[name] = busmark.open(build.finish(**changes))
    frame = found["before"].compare(found["after"])
    assert frame.schema == schema(next(f for f in FRAMES if f.call == "compare(other)").columns)
    median = frame.row(by_predicate=pl.col("figure") == "median.latency", named=True)
    assert median["verdict"] == "slower" and median["headline"]
    assert median["low"] < 1.3 < median["high"]
    assert found["before"].compare(found["after"].directory).equals(frame)
