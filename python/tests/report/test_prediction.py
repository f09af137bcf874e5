"""Predictions in the terminal: what they say, and that they fit."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "predict"))

from predict_results import rates, result, sizes, two_adapters
from synthetic_campaign import Builder

from busmark.analysis.words.text import THIN
from busmark.predict import Predictions, predict
from busmark.report.prediction import show
from busmark.store import Result


def shown(predictions: Predictions, width: int = 80) -> str:
    stream = io.StringIO()
    show(predictions, Console(file=stream, width=width))
    # Thousands are set apart by narrow spaces.
    return stream.getvalue().replace(THIN, " ")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return two_adapters(tmp_path_factory.mktemp("two"))


@pytest.mark.parametrize("width", [80, 180])
def test_no_line_is_wider_than_the_terminal_and_no_figure_is_cut(
    measured: Result, width: int
) -> None:
    text = shown(predict(measured, [3000, 10**6], [12000, 10**6]), width)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= width
    assert all("…" not in line for line in text.splitlines() if line.startswith(("UDP", "TCP")))


def test_models_come_first_and_what_was_asked_for_last(measured: Result) -> None:
    text = shown(predict(measured, [3000], [12000]))
    places = [
        text.index(part)
        for part in (
            "Latency against size on one CPU: overhead + time per byte",
            "Latency against offered load, 1 KiB on one CPU (throughput)",
            "Loss against offered load, 1 KiB on one CPU (throughput)",
            "Predicted on one CPU",
            "Predicted, 1 KiB on one CPU (throughput)",
        )
    ]
    assert places == sorted(places)


def test_an_extrapolation_says_so_beside_its_number(measured: Result) -> None:
    text = shown(predict(measured, [10**6], [10**6], extrapolate=True))
    rows = [line for line in text.splitlines() if "1 000 000" in line]
    assert len(rows) == 3
    assert all(row.rstrip().endswith("extrapolated") for row in rows)
    assert "- extrapolated: from 64 B to 64 KiB: the line is continued." in text


def test_a_refusal_has_no_number(measured: Result) -> None:
    text = shown(predict(measured, [10**6]))
    rows = [line.split() for line in text.splitlines() if "1 000 000" in line]
    assert [row[-3:] for row in rows] == [["—", "not", "measured"]] * 2
    assert "--extrapolate" in text


def test_a_curve_without_a_knee_and_a_sweep_without_a_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="tcp")
    sizes(build, 5000.0, 0.2, points=(64, 1024), adapter="udp")
    text = shown(predict(result(build)))
    assert text.count("none up to 64 000") == 2
    assert "Predicted" not in text
    assert "- UDP socket, on one CPU: latency at 2 sizes; a line needs 3 at least." in text
