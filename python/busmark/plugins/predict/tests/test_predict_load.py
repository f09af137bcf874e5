"""Latency, goodput and loss against a background load, with the truth known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from predict_results import result
from seams import done, reviewed
from synthetic_campaign import Builder
from test_predict_size import holds

from busmark.errors import UserError
from busmark.plugins.predict.fit import predict

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
SHORT = 0.9
"""Share of the requested level that is achieved."""


def latency(level: float) -> float:
    """Return a latency, flat up to two fifths of each CPU, then growing with the level."""
    return 6000.0 * (1.0 + 4.0 * max(0.0, level - 0.4))


def loaded(
    build: Builder,
    *,
    levels: Sequence[float] = LEVELS,
    latency_ns: Callable[[float], float] = latency,
    loss: Callable[[float], float] = lambda _: 0.0,
    mbit: Callable[[float], float] | None = None,
    noise: float = 0.01,
    spread: float = 0.005,
    beside: str = "",
    **params: Any,
) -> None:
    """Add cases that differ in the load of the CPUs only; 0: without."""
    rng = np.random.default_rng(len(build.cases))
    for level in levels:
        words = " + ".join(filter(None, (f"cpu {100 * level:g}%" if level else "", beside)))
        case = build.case(f"{len(build.cases):03d}", load=words or None, **params)
        for number in range(7):
            there = level * SHORT * rng.normal(1.0, spread)
            lost = round(10_000 * loss(there))
            figures: dict[str, Any] = {"median_ns": 2 * latency_ns(there) * rng.normal(1.0, noise)}
            if mbit is not None:
                figures["mbit_per_s"] = mbit(there) * rng.normal(1.0, noise)
            asked = {"load_cpu_asked": level, "load_cpu_achieved": there} if level else {}
            build.row(
                case,
                number,
                samples=1000,
                sent=10_000,
                expected=10_000,
                received=10_000 - lost,
                lost=lost,
                **asked,
                **figures,
            )


def test_knees_are_shown_as_reviewed(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build)
    shown = done("predict", build.finish(), columns=80)
    reviewed(Path(__file__).parent / "golden" / "knees.txt", shown)


def test_floor_and_knee_are_at_the_levels_that_were_achieved(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, loss=lambda level: max(0.0, level - 0.4) / 2)
    (model,) = predict(result(build)).loads
    assert (model.kind, model.unit) == ("cpu", "1")
    assert [point.level for point in model.points] == pytest.approx(
        [SHORT * level for level in LEVELS], rel=0.02
    )
    assert [point.load for point in model.points][:2] == [None, "cpu 10%"]
    assert holds(model.latency_floor, 6000.0)
    # 20 % above the floor at 0.45, 1 % lost at 0.42: both between 0.36 and 0.45 achieved, or 0.54.
    for knee in (model.latency_knee, model.loss_knee):
        assert knee is not None and knee.value is not None and knee.high is not None
        assert 0.35 < knee.low < knee.value < knee.high < 0.55
    assert model.latency_knee and model.latency_knee.value == pytest.approx(0.45, abs=0.02)
    assert model.loss_knee and model.loss_knee.value == pytest.approx(0.42, abs=0.03)
    assert model.goodput_best is None
    inner = [point.latency_held_out for point in model.points]
    assert inner[0] is inner[-1] is None and max(abs(e) for e in inner[1:-1] if e is not None) < 0.2


@pytest.mark.parametrize("level", [0.05, 0.3, 0.5, 0.6])
def test_between_the_levels_latency_and_loss_are_the_true_ones(
    tmp_path: Path, level: float
) -> None:
    build = Builder(tmp_path)
    loaded(build, loss=lambda level: level / 10)
    (model,) = predict(result(build), loads=[("cpu", level)]).loads
    (prediction,) = model.predictions
    assert holds(prediction.latency, latency(level))
    assert prediction.loss is not None and prediction.loss.value == pytest.approx(
        level / 10, abs=0.003
    )
    assert prediction.state == ("past the knee" if level > 0.45 else "within")


def test_goodput_at_full_speed_has_its_best_and_its_knee(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, mbit=lambda level: 800.0 * min(1.0, 1.4 - 2 * level), test="throughput")
    (model,) = predict(result(build), loads=[("cpu", 0.4)]).loads
    assert model.goodput_best is not None and model.goodput_best.unit == "Mbit/s"
    # The greatest of several, so rather too high.
    assert model.goodput_best.value == pytest.approx(800.0, rel=0.02)
    # A fifth less at 0.3.
    assert model.goodput_knee is not None and model.goodput_knee.value is not None
    assert model.goodput_knee.value == pytest.approx(0.3, abs=0.02)
    (prediction,) = model.predictions
    assert holds(prediction.goodput, 480.0)


def test_beyond_the_levels_there_is_no_figure_unless_asked_for(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build)
    measured = result(build)
    (prediction,) = predict(measured, loads=[("cpu", 0.9)]).loads[0].predictions
    assert (prediction.latency, prediction.state) == (None, "not measured")
    assert "levels are 0 % of each CPU to 6" in str(prediction.remark)
    found = predict(measured, loads=[("cpu", 0.9)])
    assert found.exit_code(sizes=False, rates=False, loads=["cpu"]) == 2
    (given,) = predict(measured, loads=[("cpu", 0.9)], extrapolate=True).loads[0].predictions
    assert given.latency is not None and given.latency.low is None
    assert given.state == "extrapolated"


def test_of_several_loads_one_varies(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build)
    loaded(build, beside="net 5mbit", levels=[0.0, 0.1, 0.2, 0.3])
    loaded(build, adapter="tcp", levels=[0.0, 0.2, 0.4, 0.6])
    models = predict(result(build)).loads
    assert [len(model.points) for model in models] == [8, 4, 4]
    assert models[1].points[0].load is None
    assert {model.kind for model in models} == {"cpu"}


def test_a_load_without_a_limit_is_a_point_at_what_it_got(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, levels=LEVELS[:4])
    case = build.case("most", load="cpu max")
    for number in range(7):
        build.row(
            case,
            number,
            samples=1000,
            sent=1000,
            expected=1000,
            lost=0,
            load_cpu_achieved=0.8,
            median_ns=2 * latency(0.8),
        )
    (model,) = predict(result(build)).loads
    assert (model.points[-1].load, model.points[-1].level) == ("cpu max", pytest.approx(0.8))


def test_too_few_levels_are_refused_with_what_to_run(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, levels=LEVELS[:3])
    with pytest.raises(UserError, match="3 cpu levels; a model needs 4") as text:
        predict(result(build), loads=[("cpu", 0.1)])
    assert 'load = ["", "cpu 25%"' in text.value.remedy
    with pytest.raises(UserError, match="only in the background load net"):
        predict(result(build), loads=[("net", 1e6)])


def test_levels_that_rounds_do_not_keep_apart_give_no_usable_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, levels=[0.1, 0.11, 0.12, 0.13], spread=0.5)
    found = predict(result(build))
    (left,) = found.left_out
    assert left.unusable and "no usable model against the load cpu" in left.reason
    assert found.exit_code(sizes=False, rates=False) == 1


def test_rounds_that_disagree_give_no_usable_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    loaded(build, latency_ns=lambda level: 6000.0 * 10.0 ** (3 * np.sin(1e7 * level)))
    found = predict(result(build))
    reasons = [left.reason for left in found.left_out if left.unusable]
    assert any("no usable model of latency against the load cpu" in each for each in reasons)
