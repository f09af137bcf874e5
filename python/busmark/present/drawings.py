"""Charts as files: each shape of each chart, on paper and for gnuplot.

A drawing has a name that explains itself, safe whatever a user has called things, and a caption
that says what nothing else on paper does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from busmark.model.text import ABSENT, THIN
from busmark.present.charts.shapes import Boxes, Heat, Picture, Shape
from busmark.present.document import Chart, Document

LONGEST = 48
"""Characters of one part; with all parts and an ending it stays below what file systems allow."""

MOST = 180
"""Characters of a name."""


FEW_COLUMNS = 5
"""Columns of a heat map up to which it is one column of a paper wide."""


def safe(part: str) -> str:
    """Return letters, digits, `+`, `=`, `_` and `-` only, in ASCII; never empty, never first a
    `-`."""
    grouped = part.replace(THIN, "")
    plain = unicodedata.normalize("NFKD", grouped).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9+=_]+", "-", plain).strip("-")[:LONGEST].strip("-") or "x"


class Names:
    """Names of files, each given once, also where a file system knows no capitals."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def name(self, parts: Iterable[str]) -> str:
        """Return the parts joined by points; a number follows where that was given before."""
        whole = ".".join(map(safe, parts))[:MOST].rstrip(".")
        name, number = whole, 1
        while name.lower() in self._given:
            number += 1
            name = f"{whole}.{number}"
        self._given.add(name.lower())
        return name


@dataclass(frozen=True, slots=True)
class ChartSheet:
    """One shape. `name` is the name of its file, without the ending."""

    name: str
    title: str
    explanation: str
    caption: str
    note: str
    """Meanings of the marks in it; empty where it has none."""
    shape: Shape
    labels: Mapping[str, tuple[str, str]]
    """See `Chart`."""

    @property
    def is_wide(self) -> bool:
        """Return whether it is two columns of a paper wide."""
        if isinstance(self.shape, Picture):
            several = self.shape.apart and len(self.shape.plot.curves) > 1
            return self.shape.is_stack or self.shape.also_linear or several
        if isinstance(self.shape, Boxes):
            return len(self.shape.cells) > 1
        return isinstance(self.shape, Heat) and len(self.shape.columns) > FEW_COLUMNS

    @property
    def texts(self) -> list[str]:
        """Return the paragraphs below it."""
        return [text for text in (self.caption, self.note) if text]


def drawings(document: Document) -> Iterator[ChartSheet]:
    """Return the shapes of all charts of a document."""
    names = Names()
    for section in document.sections:
        for chart in section.blocks:
            if isinstance(chart, Chart):
                yield from _of(chart, names)


def _of(chart: Chart, names: Names) -> Iterator[ChartSheet]:
    for place, shape in enumerate(chart.shapes):
        keys = [value for _, value in shape.keys if value != ABSENT]
        parts = chart.key.split(".") + (keys if len(chart.shapes) > 1 else [])
        caption = chart.captions[place] if chart.captions else shape.caption
        own = chart.explanations[place] if chart.explanations else chart.explanation
        note = chart.notes[place] if chart.notes else ""
        yield ChartSheet(names.name(parts), chart.title, own, caption, note, shape, chart.labels)
