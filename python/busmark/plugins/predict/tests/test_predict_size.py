"""Latency against size, with the truth known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from predict_results import SIZES, result, sizes
from synthetic_campaign import Builder

from busmark.errors import UserError
from busmark.plugins.predict.fit import predict
from busmark.store import Result


def holds(figure: Any, truth: float) -> bool:
    assert figure is not None and figure.low is not None and figure.high is not None
    return figure.low <= truth <= figure.high


def test_overhead_slope_and_bandwidth_of_each_adapter(measured: Result) -> None:
    udp, tcp = predict(measured).sizes
    for model, overhead, slope in ((udp, 5000.0, 0.2), (tcp, 9000.0, 0.1)):
        assert holds(model.overhead, overhead) and model.overhead.unit == "ns"
        assert holds(model.slope, slope) and model.slope.unit == "ns/B"
        assert holds(model.bandwidth, 8000.0 / slope)
        assert model.overhead.count == 5 * 5 * 1000
        assert [point.size for point in model.points] == list(SIZES)
        assert all(abs(point.held_out) < 0.2 for point in model.points)
    assert (udp.sweep.label, tcp.sweep.label) == ("UDP socket", "TCP socket")


def test_a_size_between_is_predicted_with_an_interval(measured: Result) -> None:
    for model, truth in zip(predict(measured, sizes=[3000]).sizes, (5600.0, 9300.0), strict=True):
        (prediction,) = model.predictions
        assert holds(prediction.latency, truth)
        assert (prediction.state, prediction.remark, prediction.loss) == ("within", None, None)


@pytest.mark.parametrize("size", [16, 1_000_000])
def test_a_size_beyond_has_no_figure_unless_asked_for(measured: Result, size: int) -> None:
    refused = predict(measured, sizes=[size])
    assert {model.predictions[0].latency for model in refused.sizes} == {None}
    assert "sizes are 64 B to 64 KiB" in str(refused.sizes[0].predictions[0].remark)
    assert refused.exit_code(sizes=True, rates=False) == 2
    given = predict(measured, sizes=[size], extrapolate=True)
    prediction = given.sizes[0].predictions[0]
    assert holds(prediction.latency, 5000.0 + 0.2 * size)
    assert prediction.state == "extrapolated"
    assert "is continued" in str(prediction.remark)
    assert given.exit_code(sizes=True, rates=False) == 0


def test_a_slope_that_may_be_none_has_no_bandwidth(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.0, noise=0.05, adapter="udp")
    (model,) = predict(result(build)).sizes
    assert holds(model.slope, 0.0)
    assert model.bandwidth is None


def test_a_latency_below_nothing_is_never_reported(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.2, adapter="udp")
    found = predict(result(build), sizes=[0], extrapolate=True)
    assert found.sizes[0].predictions[0].latency is not None
    # The line continues below 0 where the smallest size is far from 0 and the overhead is none.
    build = Builder(tmp_path / "steep")
    for size, median in ((8192, 1e3), (16384, 9.5e3), (32768, 2.6e4), (65536, 6e4)):
        sizes(build, median, 0.0, points=[size], noise=0.001, adapter="udp")
    found = predict(result(build), sizes=[64], extrapolate=True)
    for model in found.sizes:
        assert (model.predictions[0].latency, model.predictions[0].state) == (None, "no figure")
    assert found.exit_code(sizes=True, rates=False) == 1


def test_a_line_that_is_far_off_at_sizes_held_out_is_no_usable_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for size, median in ((64, 1e3), (1024, 2e3), (8192, 4e4), (32768, 4e5), (65536, 9e5)):
        sizes(build, median, 0.0, points=[size], adapter="udp")
    found = predict(result(build), sizes=[3000])
    (left_out,) = found.left_out
    assert found.sizes == [] and left_out.unusable
    assert left_out.reason.startswith("no usable model: at a size that it was not fitted to")
    assert found.exit_code(sizes=True, rates=False) == 1


def test_a_line_through_rounds_that_disagree_is_no_usable_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(3)
    for size in (64, 8192, 65536):
        case = build.case(f"udp-{size}", size=size, adapter="udp")
        for number in range(3):
            build.row(
                case,
                number,
                samples=1000,
                sent=1000,
                expected=1000,
                lost=0,
                median_ns=2e4 * rng.lognormal(0.0, 1.0),
            )
    found = predict(result(build), sizes=[3000])
    assert found.sizes == []
    assert "no usable model: " in found.left_out[0].reason
    assert (
        found.exit_code(sizes=True, rates=False) == found.exit_code(sizes=False, rates=False) == 1
    )


def test_only_cases_that_differ_in_nothing_else_make_a_line(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    variants = [
        sizes(build, 5000.0, 0.2, adapter="udp", **varied)
        for varied in (
            {},
            {"transport": "multicast"},
            {"profile": "tuned"},
            {"placement": "different"},
            {"qos": {"reliability": "best_effort"}},
            {"arrivals": "constant", "rate_hz": 1000.0},
        )
    ]
    models = predict(result(build)).sizes
    assert [model.sweep.cases for model in models] == variants
    titles = {(model.sweep.label, model.sweep.where) for model in models}
    assert len(titles) == len(variants)
    assert all("size" not in model.sweep.params for model in models)


def test_rounds_that_do_not_count_are_not_used(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    ids = sizes(build, 5000.0, 0.2, adapter="udp")
    for number, status in ((5, "marked"), (6, "failed")):
        build.row(ids[0], number, status, samples=1000, sent=1000, expected=1000, median_ns=9e9)
    build.row(ids[0], 7, samples=19, sent=19, expected=19, lost=0, median_ns=9e9)
    (model,) = predict(result(build)).sizes
    assert model.points[0].rounds == 5
    assert holds(model.overhead, 5000.0)


def test_too_few_sizes_are_left_out_with_the_reason(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.2, adapter="udp")
    sizes(build, 5000.0, 0.2, points=SIZES[:2], adapter="tcp")
    predictions = predict(result(build))
    assert len(predictions.sizes) == 1
    (left_out,) = predictions.left_out
    assert left_out.sweep.adapter == "tcp"
    assert left_out.reason == "results at 2 sizes; a model needs 3 at least"


@pytest.mark.parametrize("points", [SIZES[:1], SIZES[:2]])
def test_no_model_at_all_says_what_to_run(tmp_path: Path, points: tuple[int, ...]) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.2, points=points, adapter="udp")
    with pytest.raises(UserError, match=r"no model can be fitted") as text:
        predict(result(build))
    assert "size = [64, 1024, 8192, 32768]" in text.value.remedy
    assert ("2 sizes" in text.value.message) == (len(points) == 2)


def test_a_size_without_a_sweep_of_sizes_is_refused(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.2, adapter="udp")
    with pytest.raises(UserError, match="differ only in rate") as text:
        predict(result(build), rates=[100.0])
    assert "rate_hz = [" in text.value.remedy


def test_one_round_gives_a_line_without_intervals(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    sizes(build, 5000.0, 0.2, rounds=1, adapter="udp")
    (model,) = predict(result(build), sizes=[3000]).sizes
    assert model.overhead.low is None and model.bandwidth is None
    assert model.predictions[0].latency is not None
    assert model.predictions[0].latency.low is None


def test_an_empty_or_unfinished_result_is_refused(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for size in SIZES:
        build.case(f"udp-{size}", size=size)
    directory = build.finish(finished_utc=None).joinpath("cases.parquet")
    directory.unlink()
    with pytest.raises(UserError, match="results at 0 sizes"):
        predict(result(build))
