"""Charts for print: a sheet for each chart and choice of cases, as SVG, PNG and PDF, and a list.

A sheet is one figure with its title and its caption, as wide as one column or two of a paper. It is
drawn once, as SVG, of which PNG and PDF are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

from busmark import files
from busmark.model.text import plural
from busmark.present.charts.shapes import one_line
from busmark.present.document import Document
from busmark.present.drawings import ChartSheet, drawings
from busmark.present.folder import replaced, within
from busmark.present.markup import charts_listed, escaped
from busmark.present.vega import config, specification
from busmark.present.vega.parts import CHARACTER, Spec, lines
from busmark.present.vega.theme import THEMES

INDEX = "index.md"

MM = 72 / 25.4
"""Points, in which a sheet is laid out."""

ONE_COLUMN, TWO_COLUMNS = 88, 180
"""Widths in mm; journals allow 84 to 90 and 174 to 190."""

DPI = 300
"""Resolution of PNG: journals ask for 300 to 600 for line art with halftones."""

EM = THEMES["print"].em

PASSES = 2
"""Times that several plots are drawn to fit: with their width, the numbers of an axis change."""

LONGEST, LONGEST_DRAWN = 3000, 2000
"""Characters of a caption for screen readers, and on the sheet; longer ones are cut."""

EXPLANATION = (
    f"Each is a sheet of its own: one chart, {ONE_COLUMN} or {TWO_COLUMNS} mm wide for one column "
    "or two of a paper, with its title and its caption. A middleware has the same colour, mark and "
    "dash on all of them. A triangle at the edge of a plot is something that reaches beyond the "
    "axis."
)

Progress = Callable[[int], object]
"""Takes how many sheets there are by now."""


def chart(sheet: ChartSheet) -> Spec:
    """Return the specification of a sheet, as wide as its columns."""
    width = (TWO_COLUMNS if sheet.is_wide else ONE_COLUMN) * MM

    def plots(width: float) -> Spec:
        found = specification(sheet.shape, width=width, linear=None, em=EM, pointer=False)
        return found | {"config": config("print")}

    spec, room = plots(width), width
    for _ in range(PASSES if "layer" not in spec else 0):
        # How wide axes are is known when they are drawn: what is left over goes to the plots.
        room += width - float(SIZE.findall(vl_convert.vegalite_to_svg(_empty(spec)))[0][0])
        spec = plots(room)
    texts = [one_line(each, LONGEST_DRAWN) for each in sheet.texts]
    below = [line for each in texts for line in _lines(each, width, EM * 0.93)]
    return spec | {"title": {"text": _lines(sheet.title, width, EM * 8 / 7), "subtitle": below}}


def _empty(spec: Any) -> Any:
    """Return a specification without its data, whose axes are as wide: each names its domain."""
    if isinstance(spec, dict):
        return {
            key: {"values": []} if key == "data" else _empty(each) for key, each in spec.items()
        }
    return [_empty(each) for each in spec] if isinstance(spec, list) else spec


def _lines(text: str, width: float, em: float) -> list[str]:
    return lines(text, int((width - EM) / (CHARACTER * em)), label=False)


SIZE = re.compile(r'width="([0-9.]+)" height="([0-9.]+)"')
NUMBERED = re.compile(r'(id="|url\(#|href="#)([a-z]+_?)([0-9]+)')
RESOURCES = re.compile(rb"(?:^ *+/[A-Za-z]+[0-9]+ [0-9]+ 0 R\n)+", re.MULTILINE)


def _svg(sheet: ChartSheet) -> str:
    """Return the picture, in points; identifiers, which count up while a process lasts, from 1."""
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        number = numbers.setdefault(found[2] + found[3], len(numbers) + 1)
        return f"{found[1]}{found[2]}{number}"

    drawn = NUMBERED.sub(numbered, vl_convert.vegalite_to_svg(chart(sheet)))
    title = f"{sheet.title}. {one_line(sheet.caption, LONGEST)}"
    return drawn.replace(">", f"><title>{escape(title)}</title>", 1)


def _in_mm(svg: str) -> str:
    """Return the picture with its size on paper."""
    return SIZE.sub(
        lambda size: " ".join(
            f'{name}="{float(value) / MM:.4g}mm"'
            for name, value in zip(("width", "height"), size.groups(), strict=True)
        ),
        svg,
        count=1,
    )


def _pdf(svg: str) -> bytes:
    """Return the picture as PDF, whose lists of resources have no order of their own."""
    made: bytes = vl_convert.svg_to_pdf(svg)
    return RESOURCES.sub(lambda own: b"".join(sorted(own[0].splitlines(keepends=True))), made)


FORMS: dict[str, Callable[[str], bytes]] = {
    "png": lambda svg: vl_convert.svg_to_png(svg, ppi=DPI),
    "svg": lambda svg: _in_mm(svg).encode(),
    "pdf": _pdf,
}
"""Function that makes a file from a picture, by the ending of the file's name."""


def write(
    document: Document, folder: Path, endings: Sequence[str], progress: Progress | None = None
) -> dict[str, list[Path]]:
    """Write all charts of the document, by ending, each into a folder named by it.

    Files of an earlier report with these endings are replaced; files of the user's stay.

    Returns:
        The files by ending, the list of charts first.
    """
    folders = {ending: within(folder, ending) for ending in endings}
    with ExitStack() as stack:
        places = {name: stack.enter_context(replaced(of)) for name, of in folders.items()}
        sheets = []
        for sheet in drawings(document):
            drawn = _svg(sheet)
            for ending, place in places.items():
                files.create(place / f"{sheet.name}.{ending}", FORMS[ending](drawn))
            sheets.append(sheet)
            if progress:
                progress(len(sheets))
        for ending, place in places.items():
            texts = [
                f"# Charts of “{escaped(document.title)}”",
                f"{plural(len(sheets), 'chart')}. {EXPLANATION}",
                charts_listed(document, [(f"{each.name}.{ending}", each) for each in sheets]),
            ]
            files.create(place / INDEX, "\n\n".join(texts))
    return {
        ending: [of / INDEX, *(of / f"{sheet.name}.{ending}" for sheet in sheets)]
        for ending, of in folders.items()
    }
