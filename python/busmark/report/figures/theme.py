"""The one theme of all figures: sizes on paper, fonts, colours and marks.

Colours and marks come from the page (`report.drawing.look`), so that a curve looks the same
wherever it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib

from busmark.analysis.model import Label
from busmark.report.drawing import look
from busmark.report.drawing.texts import one_line

ONE_COLUMN_MM = 88.0
TWO_COLUMNS_MM = 180.0
"""Width of a chart across two columns of a paper; journals allow 84 to 90 and 174 to 190."""

MM_PER_INCH = 25.4
DPI = 300
"""Resolution of PNG: journals ask for 300 to 600 for line art with halftones."""

FONT_PT = 8.0
SMALL_PT = 7.0
CAPTION_PT = 6.5
TEXT = "#222222"
FAINT = "#555555"
GRID = "#DDDDDD"

RC: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": FONT_PT,
    "text.color": TEXT,
    "text.parse_math": False,
    "axes.labelsize": FONT_PT,
    "axes.titlesize": FONT_PT,
    "axes.labelcolor": TEXT,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "lines.markeredgewidth": 0.7,
    "patch.linewidth": 0.6,
    "legend.fontsize": SMALL_PT,
    "legend.frameon": False,
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
    "savefig.facecolor": "white",
    # Text stays text that every viewer has: outlines in SVG, TrueType in PDF (not Type 3, which
    # many journals refuse).
    "svg.fonttype": "path",
    "svg.hashsalt": "busmark",
    "pdf.fonttype": 42,
    "path.simplify": True,
    "agg.path.chunksize": 10_000,
}
"""Settings of matplotlib. Mathematics in texts is off: a label may hold a `$`."""


@contextmanager
def applied() -> Iterator[None]:
    """The theme, whatever the user's own settings of matplotlib are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(RC)
        yield


DASHES: dict[str, Any] = {
    "solid": "solid",
    "dash": (0, (4, 1.6)),
    "dot": (0, (1, 1.3)),
    "dashdot": (0, (4, 1.3, 1, 1.3)),
    "longdash": (0, (7, 1.6)),
    "longdashdot": (0, (7, 1.4, 1, 1.4)),
}
MARKS = {
    "circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "cross": "P", "x": "X",
    "triangle-down": "v", "star": "*", "line-ew-open": "_",
}  # fmt: skip
"""The page's names in matplotlib's words."""


def inches(mm: float) -> float:
    """matplotlib's unit of length."""
    return mm / MM_PER_INCH


def line(label: Label) -> dict[str, Any]:
    """A curve."""
    return {"color": look.colour(label), "linestyle": DASHES[look.dash(label)]}


def points(label: Label) -> dict[str, Any]:
    """A curve with its points."""
    return line(label) | {"marker": MARKS[look.symbol(label)]}


REFERENCE: dict[str, Any] = {"color": look.GREY, "linewidth": 0.8}
"""A line to compare with."""


def shown(text: str, longest: int = 60) -> str:
    """A text of the result as it can be drawn. What begins with an underscore would be left out of
    a legend and gets an invisible character before it."""
    line = one_line(text, longest)
    return f"\u200b{line}" if line.startswith("_") else line
