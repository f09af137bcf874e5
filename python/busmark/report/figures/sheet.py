"""A figure on paper: title, legend, plots and caption, each in a strip of its own.

A strip is as high as its text needs, so that plots have the same size whatever the legend holds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path

from busmark.report.figures import theme

EDGE_MM = 1.5
LINE_MM = 3.4
"""Height of a line of the legend and the title."""
CAPTION_LINE_MM = 2.9
LAST_MM = 3.0
"""Half a number at the end of an axis."""
MM_PER_PT = theme.MM_PER_INCH / 72
HANDLE_MM = 11.0
"""A legend's sample and the space around an entry."""
AXIS_MM = 9.0
"""What the numbers beside a plot take of its width."""
PLOT_SHARE = 0.7
"""Share of the plot itself in the height of a plot with its axes."""
SEPARATOR, TIED = " · ", "\u00a0"
WHOLE = 200
"""Characters of a label that is wrapped rather than cut."""
SIDE_BY_SIDE = 3
"""Plots of a grid."""
ROW_CHARACTERS = 26
ROW_LINE_MM = 3.0
"""Height of a line of the names of rows."""


@dataclass
class Sheet:
    """One figure while it is drawn; `finish` completes it."""

    width_mm: float = theme.ONE_COLUMN_MM
    plot_mm: float = 58.0
    """Height of all plots with their axes, without title, legend and caption."""
    entries: dict[str, Any] = field(default_factory=dict)
    """Entries of the legend: what is drawn, by its text."""

    def __post_init__(self) -> None:
        self.figure = Figure()

    def axes(self, rows: int = 1, columns: int = 1, **more: Any) -> list[Axes]:
        """Plots in rows, one list."""
        made = self.figure.subplots(rows, columns, squeeze=False, **more)
        return [axes for axes in np.asarray(made).ravel().tolist()]

    def entry(self, text: str, handle: Any) -> None:
        """Into the legend, once."""
        self.entries.setdefault(theme.shown(text), handle)

    def finish(self, title: str, caption: str, findings: str = "") -> Figure:
        """Title and legend above the plots, caption and findings below."""
        below = (theme.shown(each, 2000) for each in (caption, findings))
        told = [line for each in below
                for line in _wrapped(each, self.width_mm, theme.CAPTION_PT)]  # fmt: skip
        heading = _wrapped(theme.shown(title, 200), self.width_mm, theme.FONT_PT * 1.06)
        columns = self._columns()
        rows = ceil(len(self.entries) / columns)
        top_mm = EDGE_MM + len(heading) * LINE_MM + 0.8
        legend_mm = rows * LINE_MM + (1.0 if rows else 0.0)
        bottom_mm = EDGE_MM + len(told) * CAPTION_LINE_MM
        height_mm = top_mm + legend_mm + self.plot_mm + bottom_mm
        self.figure.set_size_inches(theme.inches(self.width_mm), theme.inches(height_mm))
        # The layout does not count with the half of a last number that is beyond its axis.
        right = 1 - LAST_MM / self.width_mm
        rect = (0.0, bottom_mm / height_mm, right, self.plot_mm / height_mm)
        self.figure.set_layout_engine(
            ConstrainedLayoutEngine(rect=rect, w_pad=0.03, h_pad=0.03, hspace=0.04, wspace=0.04)
        )
        left = EDGE_MM / self.width_mm
        self.figure.text(
            left, 1 - EDGE_MM / height_mm, "\n".join(heading), va="top", ha="left",
            fontweight="bold", linespacing=1.15,
        )  # fmt: skip
        self.figure.text(
            left, EDGE_MM / height_mm, "\n".join(told), va="bottom", ha="left",
            fontsize=theme.CAPTION_PT, color=theme.FAINT, linespacing=1.2,
        )  # fmt: skip
        if self.entries:
            self.figure.legend(
                list(self.entries.values()), list(self.entries), loc="upper left",
                bbox_to_anchor=(left, 1 - top_mm / height_mm), ncols=columns, borderpad=0,
                borderaxespad=0, handlelength=2.6, handletextpad=0.5, columnspacing=1.2,
                labelspacing=0.32,
            )  # fmt: skip
        return self.figure

    def _columns(self) -> int:
        """Columns of the legend."""
        if not self.entries:
            return 1
        longest = max(_width_mm(text, theme.SMALL_PT) for text in self.entries)
        fitting = int((self.width_mm - 2 * EDGE_MM) / (longest + HANDLE_MM))
        return max(1, min(fitting, len(self.entries)))


def _width_mm(text: str, size_pt: float) -> float:
    """As wide as the text will be drawn."""
    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size_pt), ismath=False
    )
    return float(width) * MM_PER_PT


def _wrapped(text: str, width_mm: float, size_pt: float) -> list[str]:
    """Lines that fit, by the mean width of the text's own characters."""
    if not text:
        return []
    mean = max(_width_mm(text, size_pt) / len(text), 0.1)
    return _lines(text, max(20, int((width_mm - 2 * EDGE_MM) / mean * 0.97)))


def _lines(text: str, width: int) -> list[str]:
    """Wrapped between the parts of a label where they fit, else between words."""
    parts = text.split(SEPARATOR)
    if any(len(part) + len(SEPARATOR) > width for part in parts):
        return textwrap.wrap(text, width)
    tied = f"{TIED}· ".join(part.replace(" ", TIED) for part in parts)
    return [line.replace(TIED, " ") for line in textwrap.wrap(tied, width)]


def place(axes: Axes, text: str, width_mm: float = theme.TWO_COLUMNS_MM / 2) -> None:
    """A heading of one plot among several, in as many lines as `width_mm` needs."""
    lines = _wrapped(theme.shown(text, WHOLE), width_mm - AXIS_MM, theme.SMALL_PT)
    axes.set_title("\n".join(lines), loc="left", fontsize=theme.SMALL_PT, pad=3)


def wrap_y(axes: Axes, plot_mm: float) -> None:
    """The title of the vertical axis in as many lines as the height needs: a longer one would reach
    into what is above. The numbers and the title below take a part of `plot_mm`."""
    lines = _wrapped(axes.get_ylabel(), plot_mm * PLOT_SHARE, theme.FONT_PT)
    axes.set_ylabel("\n".join(lines))


def name_rows(axes: Axes, labels: Sequence[str]) -> float:
    """Names the rows of a plot, whole: what is cut off is what tells rows apart.

    Returns:
        mm that the tallest name needs.
    """
    names = [_lines(theme.shown(label, WHOLE), ROW_CHARACTERS) for label in labels]
    axes.set_yticks(range(len(names)), ["\n".join(lines) for lines in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    return max((len(lines) for lines in names), default=1) * ROW_LINE_MM


def grid(names: Sequence[str], cell_mm: float) -> tuple[Sheet, list[Axes]]:
    """A sheet with a plot for each name, side by side."""
    columns = max(1, min(SIDE_BY_SIDE, len(names)))
    rows = ceil(len(names) / columns)
    width = theme.TWO_COLUMNS_MM if columns > 1 else theme.ONE_COLUMN_MM
    sheet = Sheet(width, rows * cell_mm)
    cells = sheet.axes(rows, columns)
    for axes, name in zip(cells, names, strict=False):
        place(axes, name, width / columns)
    for each in cells[len(names) :]:
        each.set_axis_off()
    return sheet, cells[: len(names)]
