"""Latency and loss against offered load, with the truth known."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from predict_results import RATES, fluid, queue, rates, result
from synthetic_campaign import Builder
from test_predict_size import holds

from busmark.errors import UserError
from busmark.plugins.predict.fit import predict
from busmark.store import Result


def test_floor_and_knee_of_latency_and_loss(measured: Result) -> None:
    (model,) = predict(measured).rates
    assert holds(model.latency_floor, 6000.0)
    latency, loss = model.latency_knee, model.loss_knee
    assert latency is not None and loss is not None
    # 20 % above the floor at 12000 · √1.2; 1 % lost at 12000 / 0.99.
    assert (latency.low, latency.high) == (loss.low, loss.high) == (8000.0, 16000.0)
    assert latency.value is not None and 8000 < latency.value < 16000
    assert loss.value is not None and 8000 < loss.value < 16000
    assert model.loss_floor is not None and model.loss_floor.value == 0.0
    assert model.loss_floor.high is not None and 0.0 < model.loss_floor.high < 0.001
    # The greatest of several, so rather too high.
    assert model.carried is not None and model.carried.value == pytest.approx(12000.0, rel=0.05)


@pytest.mark.parametrize("rate", [1500.0, 8000.0, 20000.0, 50000.0])
def test_loss_between_the_rates_is_that_of_the_capacity(measured: Result, rate: float) -> None:
    (model,) = predict(measured, rates=[rate]).rates
    (prediction,) = model.predictions
    assert prediction.loss is not None and prediction.loss.low is not None
    assert prediction.loss.value == pytest.approx(fluid(12000.0)(rate), abs=0.01)


@pytest.mark.parametrize("rate", [1500.0, 9000.0, 20000.0, 50000.0])
def test_latency_between_the_rates(measured: Result, rate: float) -> None:
    (model,) = predict(measured, rates=[rate]).rates
    (prediction,) = model.predictions
    assert holds(prediction.latency, queue(12000.0, 6000.0)(rate))
    assert prediction.state == ("past the knee" if rate > 13000 else "within")


def test_errors_on_rates_held_out(measured: Result) -> None:
    (model,) = predict(measured).rates
    latency = [point.latency_held_out for point in model.points]
    loss = [point.loss_held_out for point in model.points]
    for errors in (latency, loss):
        assert errors[0] is errors[-1] is None
        inner = [abs(error) for error in errors[1:-1] if error is not None]
        assert len(inner) == len(RATES) - 2
        # Only the neighbours of the knee are hard to tell.
        assert inner[0] < 0.02 and max(inner) > 0.02


@pytest.mark.parametrize(("rate", "loss"), [(100.0, 0.0), (128_000.0, 1 - 12 / 128)])
def test_a_rate_beyond_has_no_figure_unless_asked_for(
    measured: Result, rate: float, loss: float
) -> None:
    refused = predict(measured, rates=[rate]).rates[0].predictions[0]
    assert (refused.latency, refused.loss, refused.state) == (None, None, "not measured")
    assert "rates are 1" in str(refused.remark)
    given = predict(measured, rates=[rate], extrapolate=True).rates[0].predictions[0]
    assert given.loss is not None and given.latency is not None
    assert given.loss.value == pytest.approx(loss, abs=0.01)
    assert given.loss.low is given.latency.low is None
    assert given.state == "extrapolated" and "is continued" in str(given.remark)


def test_without_a_knee_the_floor_is_shown_to_the_last_rate(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="tcp")
    (model,) = predict(result(build)).rates
    for knee in (model.latency_knee, model.loss_knee):
        assert knee is not None
        assert (knee.value, knee.low, knee.high) == (None, RATES[-1], None)


def test_none_of_few_lost_is_not_none_at_all(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, points=[10, 20, 40, 80], adapter="tcp")
    (model,) = predict(result(build), rates=[15]).rates
    loss = model.predictions[0].loss
    # 3.7 of the 5 rounds · 20 and 40 samples around it.
    assert loss is not None and loss.high == pytest.approx(3.7 / 300, rel=0.02)


def test_rounds_with_too_few_probes_have_a_loss_but_no_latency(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    # A twentieth of the samples are probes: 20 of them from 200 samples per second on.
    rates(build, lambda _: 6000.0, lambda _: 0.0, points=[50, 100, 200, 400, 800], adapter="udp")
    (model,) = predict(result(build), rates=[60]).rates
    assert model.latency_floor is None and model.latency_knee is None
    assert model.loss_floor is not None
    assert [point.latency for point in model.points] == [None] * 5
    (prediction,) = model.predictions
    assert prediction.latency is None and prediction.loss is not None


def test_what_only_the_loss_was_measured_for(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    points = [100, 200, 400, 800, 1600]
    rates(build, lambda _: 6000.0, lambda _: 0.0, points=points, adapter="udp")
    measured = result(build)
    (prediction,) = predict(measured, rates=[150]).rates[0].predictions
    assert (prediction.latency, prediction.state) == (None, "not measured")
    assert prediction.loss is not None
    (prediction,) = predict(measured, rates=[150], extrapolate=True).rates[0].predictions
    assert prediction.latency is not None and prediction.state == "extrapolated"


def test_too_few_rates_are_refused_with_what_to_run(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, points=RATES[:3], adapter="udp")
    with pytest.raises(UserError, match="3 rates; a model needs 4 at least") as text:
        predict(result(build), rates=[1500])
    assert "rate_hz = [" in text.value.remedy


def test_rates_of_a_latency_test_and_of_each_size_are_curves_of_their_own(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="udp")
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="udp", writers=2)
    for rate in RATES:
        case = build.case(f"ping-{rate:g}", rate_hz=rate, arrivals="poisson")
        for number in range(3):
            build.row(case, number, samples=990, sent=1000, expected=1000, lost=10, median_ns=2e4)
    models = predict(result(build)).rates
    assert [model.sweep.test for model in models] == ["throughput", "throughput", "latency"]
    assert models[2].loss_floor is not None
    assert models[2].loss_floor.value == pytest.approx(0.01)


def test_one_bad_round_of_twelve_moves_nothing(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    ids = rates(build, lambda _: 6000.0, lambda _: 0.0, rounds=12, adapter="udp")
    # In the round of 2000/s whose writer met something else, 94 % are lost.
    (bad,) = (row for row in build.rows if row["case"] == ids[1] and row["round"] == 1)
    lost = round(0.94 * bad["sent"])
    bad |= {"lost": lost, "received": bad["sent"] - lost, "median_ns": 4e5}
    (model,) = predict(result(build), rates=[1500, 3000, 5000]).rates
    assert model.loss_knee is not None and model.loss_knee.value is None
    for prediction in model.predictions:
        assert prediction.state == "within"
        assert prediction.loss is not None and prediction.loss.value == 0.0
        assert prediction.loss.high is not None and prediction.loss.high < 0.01
        assert holds(prediction.latency, 6000.0)


def test_more_load_is_never_predicted_to_lose_less(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    measured = dict(zip(RATES, (0.0, 0.02, 0.0, 0.1, 0.08, 0.4, 0.5), strict=True))
    rates(build, lambda _: 6000.0, lambda rate: measured[rate], adapter="udp")
    asked = [1000.0 * 1.25**n for n in range(18)]
    (model,) = predict(result(build), rates=asked).rates
    lines = [p.loss.value for p in model.predictions if p.loss]
    assert len(lines) == len(asked)
    assert all(b >= a - 1e-9 for a, b in pairwise(lines))


def test_rounds_that_disagree_leave_no_usable_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    ids = rates(build, lambda _: 6000.0, lambda _: 0.0, rounds=3, adapter="udp")
    rng = np.random.default_rng(5)
    for row in build.rows:
        assert row["case"] in ids
        row["median_ns"] *= rng.lognormal(0.0, 1.5)
        row["lost"] = round(row["sent"] * rng.random())
    found = predict(result(build), rates=[1500])
    assert found.rates == []
    assert [each.unusable for each in found.left_out] == [True, True]
    reasons = [each.reason for each in found.left_out]
    assert reasons[0].startswith("no usable model of latency: rounds differ so much")
    assert reasons[1].startswith("no usable model of loss: rounds differ so much")
    assert found.exit_code(sizes=False, rates=True) == 1
