"""Heat maps on paper: what `drawing.charts` has as data, and interoperability."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_hex

from busmark.report.drawing.adapters import ink
from busmark.report.drawing.heat import Heat, HeatChart
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet
from busmark.report.interop import INTEROP as KEY
from busmark.report.interop import INTEROP_NEEDS, heats

CELL_MM, AROUND_MM = 8.0, 22.0

FEW_COLUMNS = 5
"""Up to which a figure is one column of a paper wide."""

SHADES = LinearSegmentedColormap.from_list("busmark", ["#FFFFFF", "#CFE1F2", "#4A86BE", "#0B3C6F"])
"""Light is good, in print without colours too."""

NONE = "#EEEEEE"
"""Colour of a cell without a figure."""


def drawings(chart: HeatChart, source: Source, kind: Kind) -> Iterator[Drawing]:
    """All of this kind."""
    for found, findings in source.drawn(chart):
        yield source.drawing(kind, found, _sheet(found), findings)


def _interop(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Latency, discovery, goodput and loss of every matrix."""
    for found, shown in heats(source.campaign):
        name = source.names.name(found.parts)
        heat, findings = source.findings.on(found.figures, shown.members, shown)
        figure = _sheet(heat).finish(found.title, heat.told, findings)
        yield Drawing(name, found.title, heat.told, findings, figure)


def _sheet(found: Heat) -> Sheet:
    down, across = len(found.rows), len(found.columns)
    wide = theme.ONE_COLUMN_MM if across <= FEW_COLUMNS else theme.TWO_COLUMNS_MM
    sheet = Sheet(wide, CELL_MM * down + AROUND_MM)
    (axes,) = sheet.axes()
    shades = [[np.nan if c is None or c.shade is None else c.shade for c in row]
              for _, row in found.rows]  # fmt: skip
    axes.set_facecolor(NONE)
    drawn = axes.imshow(np.array(shades), cmap=SHADES, vmin=0, vmax=1, aspect="auto")
    if found.scale:
        # Not of a grid's making: that has rows of no height, which no layout engine takes.
        bar = sheet.figure.colorbar(drawn, ax=axes, use_gridspec=False)
        bar.set_ticks([at for at, _ in found.scale], labels=[name for _, name in found.scale])
    for row, (_, cells) in enumerate(found.rows if found.written else ()):
        for column, cell in enumerate(cells):
            if cell:
                ground = NONE if cell.shade is None else to_hex(SHADES(cell.shade))
                lines = map(theme.shown, cell.text.split("\n"))
                axes.text(
                    column, row, "\n".join(lines), ha="center", va="center",
                    fontsize=theme.CAPTION_PT, color=ink(ground),
                )  # fmt: skip
    axes.set_xticks(range(across), [theme.shown(name, 34) for name in found.columns], rotation=35,
                    ha="right", rotation_mode="anchor")  # fmt: skip
    axes.set_yticks(range(down), [theme.shown(name, 34) for name, _ in found.rows])
    axes.set_xlabel(found.across)
    axes.set_ylabel(found.down)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(across + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(down + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return sheet


INTEROP = Kind(KEY, "Interoperability", INTEROP_NEEDS, _interop)
