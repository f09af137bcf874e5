"""Labels in charts for print: whole, and beside each other without touching."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from busmark.report.figures import theme
from busmark.report.figures.kinds.curves import CELL_MM
from busmark.report.figures.sheet import Sheet, grid, name_rows, place, wrap_y

LABELS = [
    f"Eclipse Cyclone DDS · {reliability} · {history}"
    for reliability in ("best effort", "reliable")
    for history in ("keep all", "keep last · depth 1", "keep last · depth 16 · lifespan 10 s")
]


def test_rows_are_named_in_full_and_no_two_names_overlap() -> None:
    with theme.applied():
        sheet = Sheet(theme.ONE_COLUMN_MM)
        (axes,) = sheet.axes()
        sheet.plot_mm = 14 + len(LABELS) * name_rows(axes, LABELS)
        canvas = FigureCanvasAgg(sheet.finish("title", "caption"))
        canvas.draw()
        names = axes.get_yticklabels()
        assert [name.get_text().replace("\n", " ") for name in names] == LABELS
        boxes = [name.get_window_extent() for name in names]
        assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[n + 1 :])


@pytest.mark.parametrize("columns", [2, 3])
def test_titles_of_plots_side_by_side_do_not_overlap(columns: int) -> None:
    with theme.applied():
        sheet = Sheet(theme.TWO_COLUMNS_MM, 44)
        cells = sheet.axes(1, columns)
        for axes, label in zip(cells, LABELS[-columns:], strict=True):
            place(axes, label, theme.TWO_COLUMNS_MM / columns)
        canvas = FigureCanvasAgg(sheet.finish("title", "caption"))
        canvas.draw()
        titles = [axes._left_title for axes in cells]  # type: ignore[attr-defined]
        boxes = [title.get_window_extent() for title in titles]
        assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[n + 1 :])


def test_the_title_of_an_axis_ends_below_the_title_of_the_figure() -> None:
    with theme.applied():
        sheet, cells = grid(["a", "b", "c", "d"], CELL_MM)
        for axes in cells:
            axes.plot([30.0, 60.0], [0.0, 8.0])
            axes.set(xlabel="RTT/2, µs", ylabel="samples that came back in bin, %")
            wrap_y(axes, CELL_MM)
        figure = sheet.finish("Latency: histogram", "caption")
        FigureCanvasAgg(figure).draw()
        heading, *_ = (text for text in figure.texts if text.get_text() == "Latency: histogram")
        names = [axes.yaxis.label for axes in cells]
        boxes = [text.get_window_extent() for text in (heading, *names)]
        assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[n + 1 :])
        assert all(name.get_text().replace("\n", " ").endswith("bin, %") for name in names)
