"""The document of predictions: models, what was asked for, and what has no figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "predict"))

from predict_results import rates, result, sizes, two_adapters
from present_documents import printed
from synthetic_campaign import Builder

from busmark.predict import predict
from busmark.present.blocks.prediction import document
from busmark.present.document import Cell, Document
from busmark.store import Result

Golden = Callable[[str, str], None]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return two_adapters(tmp_path_factory.mktemp("two"))


def column(of: Document, section: str, title: str) -> list[Cell]:
    """The cells of this column in the only table of a section."""
    (table,) = next(each for each in of.sections if each.title == section).tables
    return list(next(each.cells for each in table.columns if each.title == title))


def test_models_and_predictions_are_as_reviewed(measured: Result, golden: Golden) -> None:
    found = document(predict(measured, [3000], [12000, 10**6]))
    golden("prediction-80.txt", printed(found, 80))
    golden("prediction-pipe.txt", printed(found, None))


@pytest.mark.parametrize("width", [40, 80, 180])
def test_no_line_is_wider_than_the_terminal(measured: Result, width: int) -> None:
    text = printed(document(predict(measured, [3000, 10**6], [12000, 10**6])), width)
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("extrapolate", "state"), [(True, "extrapolated"), (False, "not measured")]
)
def test_beyond_what_was_measured_a_state_stands_beside_each_figure(
    measured: Result, extrapolate: bool, state: str
) -> None:
    found = document(predict(measured, [10**6], [10**6], extrapolate=extrapolate))
    for section in ("Predicted by size", "Predicted by offered load"):
        for figure, shown in zip(column(found, section, "Latency"), column(found, section, "State"),
                                 strict=True):  # fmt: skip
            assert (figure.value is not None, shown.value) == (extrapolate, state)
    assert f"{state}: " in printed(found, 80)


def test_a_curve_without_a_knee_and_a_sweep_without_a_model(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rates(build, lambda _: 6000.0, lambda _: 0.0, adapter="tcp")
    sizes(build, 5000.0, 0.2, points=(64, 1024), adapter="udp")
    found = document(predict(result(build)))
    for section in ("Latency against offered load", "Loss against offered load"):
        (knee,) = column(found, section, "Knee, 1/s")
        assert (knee.value, knee.text.replace("\N{NARROW NO-BREAK SPACE}", " ")) == (
            None, "none up to 64 000",
        )  # fmt: skip
    assert not any(section.title.startswith("Predicted") for section in found.sections)
    (sweep,) = column(found, "Without a model", "Sweep")
    (reason,) = column(found, "Without a model", "Reason")
    assert (sweep.value, reason.value) == (
        "UDP socket, on one CPU", "latency at 2 sizes; a line needs 3 at least",
    )  # fmt: skip
