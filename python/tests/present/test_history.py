"""The document of a history: its counts, its steps, its charts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "track"))

from present_documents import column, page_text, printed
from track_histories import GOODPUT, MEDIAN, entry, history, noise

from busmark.present.blocks.history import KINDS, document, kind_of
from busmark.present.charts.shapes import Picture
from busmark.present.document import Chart
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.page import page
from busmark.track import read, track
from busmark.track.model import Tracked

STEPS: tuple[tuple[str, int, str, float, dict[int, float]], ...] = (
    ("udp", 64, MEDIAN, 5000.0, {20: 1.06}),
    ("tcp", 64, MEDIAN, 9000.0, {8: 1.04, 22: 1 / 1.04}),
    ("null", 64, MEDIAN, 300.0, {20: 1.05}),
    ("fastdds", 64, MEDIAN, 25000.0, {36: 1.1}),
    ("udp", 1024, GOODPUT, 900.0, {34: 0.93}),
)
"""Adapter, size, figure and first level of each case, and by what factor it steps where."""


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Tracked:
    """Forty results with steps of nearly every kind."""
    entries = []
    for number in range(40):
        own = []
        for seed, (adapter, size, name, level, steps) in enumerate(STEPS):
            for place, factor in steps.items():
                level *= factor if number >= place else 1.0
            kernel = "6.1" if number < 20 else "6.5"
            figures = {name: level * noise(40, seed)[number]}
            own.append(entry(number, figures, kernel=kernel, adapter=adapter, size=size))
        commit = own[0].commit.model_copy(update={"id": f"{number * 0x1010101 + 0xA0B0:010x}" * 4})
        cases = [case for one in own for case in one.cases]
        entries.append(own[0].model_copy(update={"cases": cases, "commit": commit}))
    path = history(tmp_path_factory.mktemp("tracked") / "h.jsonl", entries)
    return track(Path("perf.jsonl"), read(path), new_for=3)


def test_a_history_is_as_reviewed(tracked: Tracked, golden: Callable[[str, str], None]) -> None:
    shown = document(tracked)
    golden("history-80.txt", printed(shown, 80))
    golden("history-check-140.txt", printed(document(tracked, brief=True), 140))
    golden("history.md", markdown(shown))
    golden("history-page.txt", page_text(page(shown)))


def test_every_step_is_counted_and_is_a_row_with_its_figures(tracked: Tracked) -> None:
    tables = {t.key: t for section in document(tracked).sections for t in section.tables}
    counts = {name.value: number.value for name, number in zip(
        column(tables["outcome"], "Steps"), column(tables["outcome"], "Number"), strict=True
    )}  # fmt: skip
    for kind, (sign, _) in KINDS.items():
        steps = [s for one in tracked.series for s in one.steps if kind_of(one, s) == kind]
        assert counts.get(f"{sign} {kind}", 0) == len(steps)
        if steps:
            table = tables[kind.replace(" ", "-")]
            rows = zip(column(table, "Change"), column(table, "Level"), strict=True)
            assert sorted((change.value, level.value) for change, level in rows) == sorted(
                (step.change, step.after) for step in steps
            )


def test_each_series_has_a_chart_of_its_results_levels_and_steps(tracked: Tracked) -> None:
    blocks = [block for section in document(tracked).sections for block in section.blocks]
    charts = {block.key: block for block in blocks if isinstance(block, Chart)}
    for number, series in enumerate(sorted(tracked.series, key=lambda one: not one.steps)):
        (picture,) = charts.pop(f"series-{number}").shapes
        assert isinstance(picture, Picture)
        notes = [point.note[:10] for point in picture.curves[-1].points]
        assert notes == [point.commit[:10] for point in series.points]
        assert len(picture.references) == 2 * len(series.steps) + 1
    assert not charts
