"""The document of predictions: models, what was asked for, and what has no figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from predict_results import rates, result, sizes, two_adapters
from present_documents import column, printed
from synthetic_campaign import Builder

from busmark.plugins.predict.blocks import document
from busmark.plugins.predict.fit import predict

sys.path.insert(0, str(Path(__file__).parents[1] / "predict"))


@pytest.mark.parametrize(
    ("extrapolate", "state"), [(True, "extrapolated"), (False, "not measured")]
)
def test_beyond_what_was_measured_a_state_stands_beside_each_figure(
    tmp_path: Path, extrapolate: bool, state: str, golden: Callable[[str, str], None]
) -> None:
    asked = [3000, 10**6], [12000, 10**6]
    found = document(predict(two_adapters(tmp_path), *asked, extrapolate=extrapolate))
    for section in found.sections[-2:]:
        (table,) = section.tables
        *_, latency = column(table, "Latency")
        *_, shown = column(table, "State")
        assert (latency.value is not None, shown.value) == (extrapolate, state)
    golden(f"prediction-{state.replace(' ', '-')}-80.txt", printed(found, 80))


def test_a_curve_without_a_knee_and_a_sweep_without_a_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="tcp")
    sizes(build, 5000.0, 0.2, points=(64, 1024), adapter="udp")
    text = printed(document(predict(result(build))), 80)
    assert text.replace("\N{NARROW NO-BREAK SPACE}", " ").count("none up to 64 000") == 2
    assert "Predicted" not in text
    assert "UDP socket, on one CPU  latency at 2 sizes; a line needs 3 at least" in text
