"""The document of a history: its counts, its steps, its charts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "track"))

from present_documents import page_text, printed
from track_histories import GOODPUT, LOSS, MEDIAN, entry, history, noise

from busmark.present.blocks.history import document, kind_of, swatches
from busmark.present.document import Chart, Document
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.page import page
from busmark.report.drawing.adapters import look_of
from busmark.report.drawing.picture import Picture
from busmark.track import read, track
from busmark.track.model import Tracked

Golden = Callable[[str, str], None]

STEPS: tuple[tuple[dict[str, object], str, float, dict[int, float]], ...] = (
    ({"adapter": "udp"}, MEDIAN, 5000.0, {20: 1.06}),
    ({"adapter": "tcp"}, MEDIAN, 9000.0, {8: 1.04, 22: 1 / 1.04}),
    ({"adapter": "cyclonedds"}, MEDIAN, 11000.0, {12: 0.9}),
    ({"adapter": "null"}, MEDIAN, 300.0, {20: 1.05}),
    ({"adapter": "fastdds"}, MEDIAN, 25000.0, {36: 1.1}),
    ({"adapter": "udp", "size": 1024}, GOODPUT, 900.0, {34: 0.93}),
    ({"adapter": "udp", "size": 1024}, LOSS, 0.02, {}),
)
"""Parameters of each case, its figure, its first level, and by what factor it steps where."""


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Tracked:
    """Forty results with steps of every kind."""
    entries = []
    for number in range(40):
        cases, versions = [], {}
        for seed, (more, name, level, steps) in enumerate(STEPS):
            for place, factor in steps.items():
                level *= factor if number >= place else 1.0
            figures = {name: level * noise(40, seed)[number]}
            kernel = "6.1" if number < 20 else "6.5"
            one = entry(number, figures, kernel=kernel, **more)  # type: ignore[arg-type]
            cases += one.cases
            versions |= one.versions
        commit = one.commit.model_copy(update={"id": f"{number * 0x1010101 + 0xA0B0:010x}" * 4})
        entries.append(one.model_copy(
            update={"cases": cases, "versions": versions, "commit": commit}
        ))  # fmt: skip
    path = history(tmp_path_factory.mktemp("tracked") / "h.jsonl", entries)
    return track(Path("perf.jsonl"), read(path), new_for=3)


@pytest.fixture(scope="module")
def shown(tracked: Tracked) -> Document:
    return document(tracked)


def test_a_history_is_as_reviewed(shown: Document, tracked: Tracked, golden: Golden) -> None:
    golden("history-80.txt", printed(shown, 80))
    golden("history-140.txt", printed(shown, 140))
    golden("history-check-80.txt", printed(document(tracked, brief=True), 80))
    golden("history.md", markdown(shown))
    golden("history-page.txt", page_text(page(shown, "history")))


def test_every_step_is_a_row_with_its_figures(shown: Document, tracked: Tracked) -> None:
    steps = [(kind_of(one, step), step) for one in tracked.series for step in one.steps]
    assert len({kind for kind, _ in steps}) >= 4
    rows = []
    for section in shown.sections:
        for table in section.tables:
            by_title = {column.title: column.cells for column in table.columns}
            rows += [
                (table.key, change.value, level.value)
                for change, level in zip(
                    by_title.get("Change", ()), by_title.get("Level", ()), strict=False
                )
            ]
    assert sorted(rows) == sorted(
        (kind.replace(" ", "-"), step.change, step.after) for kind, step in steps
    )


def test_the_summary_counts_what_a_check_fails_for(shown: Document, tracked: Tracked) -> None:
    (outcome,) = (section for section in shown.sections if section.title == "Regressions")
    assert len(tracked.new) == 1 and outcome.summary.startswith("✗ 1 new")
    (table,) = outcome.tables
    assert table.columns[1].cells[0].value == len(tracked.new)
    assert table.columns[1].cells[1].value == len(tracked.unconfirmed)


def test_each_series_has_a_chart_of_its_results_levels_and_steps(
    shown: Document, tracked: Tracked
) -> None:
    charts = [block for each in shown.sections for block in each.blocks if isinstance(block, Chart)]
    assert len(charts) == len(tracked.series)
    chosen = sorted(tracked.series, key=lambda one: not one.steps)
    for chart in charts:
        series = chosen[int(chart.key.removeprefix("series-"))]
        (picture,) = chart.shapes
        assert isinstance(picture, Picture)
        *_, results = picture.curves
        assert len(results.points) == len(series.points)
        assert all(drawn.note.startswith(point.commit[:10])
                   for drawn, point in zip(results.points, series.points, strict=True))  # fmt: skip
        assert len(picture.references) == 2 * len(series.steps) + 1
    colours = swatches(tracked)
    assert colours["UDP"]["colour"] == look_of("udp").colour


def test_the_page_is_the_same_each_time_and_has_every_commit(
    shown: Document, tracked: Tracked
) -> None:
    text = page(shown, "history", swatches(tracked))
    assert text == page(document(tracked), "history", swatches(tracked))
    for series in tracked.series:
        for step in series.steps:
            assert series.points[step.first_after].commit[:10] in text
    assert look_of("udp").colour in text


@pytest.mark.parametrize("width", [20, 60, 100])
def test_no_line_is_wider_than_the_terminal(shown: Document, width: int) -> None:
    lines = printed(shown, width).splitlines()
    assert max(map(len, lines)) <= max(width, 23)
