"""Interoperability as heat maps: a row for each writer, a column for each reader."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from busmark.analysis.text import ABSENT
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet
from busmark.report.interop import HeatMap, heat_maps

CELL_MM = 8.0
SHADES = LinearSegmentedColormap.from_list("busmark", ["#FFFFFF", "#CFE1F2", "#4A86BE", "#0B3C6F"])
"""Light is good, in print without colours too."""

DARK = 0.55
"""From here on the text in a cell is white."""

NONE = "#EEEEEE"
"""Of a cell without a figure."""


def maps(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Latency, discovery, goodput and loss of every matrix."""
    for found in heat_maps(source.campaign):
        sheet = _sheet(found)
        figures = [c for _, row in found.rows for c in row if c and c.text != ABSENT]
        if not figures:
            continue
        pairs = sum(c is not None for _, row in found.rows for c in row)
        told = f"{found.note} {pairs} pairs. White: the best; dark: the worst; grey: no figure."
        what = found.id.split("-")[1]
        workload = found.title.rpartition(": ")[2]
        name = source.names.name([f"{kind.name}-{what}", workload])
        yield Drawing(name, found.title, told, sheet.finish(found.title, told))


def _sheet(found: HeatMap) -> Sheet:
    count = len(found.names)
    wide = theme.ONE_COLUMN_MM if count <= 5 else theme.TWO_COLUMNS_MM
    sheet = Sheet(wide, CELL_MM * count + 22)
    (axes,) = sheet.axes()
    shades = [[np.nan if c is None or c.shade is None else c.shade for c in row]
              for _, row in found.rows]  # fmt: skip
    axes.set_facecolor(NONE)
    axes.imshow(np.array(shades), cmap=SHADES, vmin=0, vmax=1, aspect="auto")
    for row, (_, cells) in enumerate(found.rows):
        for column, cell in enumerate(cells):
            if cell:
                dark = cell.shade is not None and cell.shade > DARK
                axes.text(
                    column, row, theme.shown(cell.text), ha="center", va="center",
                    fontsize=theme.CAPTION_PT, color="white" if dark else theme.TEXT,
                )  # fmt: skip
    axes.set_xticks(range(count), [theme.shown(name, 20) for name in found.names], rotation=35,
                    ha="right", rotation_mode="anchor")  # fmt: skip
    axes.set_yticks(range(count), [theme.shown(name, 34) for name, _ in found.rows])
    axes.set_xlabel("reader")
    axes.set_ylabel("writer")
    axes.grid(visible=False)
    axes.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return sheet


KINDS = (
    Kind(
        "interop", "Interoperability",
        "cases whose sides are different adapters (`peer` in the scenario)", maps,
    ),
)  # fmt: skip
