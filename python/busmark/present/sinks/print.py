"""Charts for print: a sheet for each chart and choice of cases, as SVG, PNG and PDF, and a list.

A sheet is one figure with its title and its caption, as wide as one column or two of a paper. It is
drawn once, as SVG, of which PNG and PDF are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import ABSENT, plural
from busmark.present.charts.flagged import Findings
from busmark.present.charts.kinds import CHARTS
from busmark.present.charts.names import Names, cases_left_out, name_of
from busmark.present.charts.shapes import Boxes, Captioned, Heat, Picture, Stack, one_line
from busmark.present.vega import config, specification
from busmark.present.vega.parts import CHARACTER, Spec, lines
from busmark.present.vega.theme import THEMES
from busmark.report import same_in_all
from busmark.report.folder import within
from busmark.report.interop import heat_maps
from busmark.report.markup import escaped
from busmark.report.replace import replaced
from busmark.store import Result

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

FEW_COLUMNS = 5
"""Columns of a heat map up to which it is one column of a paper wide."""

LONGEST_NAME = 50
"""Characters of a name in the legend of one column, with its letters."""

LONGEST, LONGEST_DRAWN = 3000, 2000
"""Characters of a caption in the list, and on the sheet; longer ones are cut."""

EXPLANATION = (
    f"Each is a sheet of its own: one figure, {ONE_COLUMN} or {TWO_COLUMNS} mm wide for one column "
    "or two of a paper, with its title and its caption. A middleware has the same colour, mark and "
    "dash on all of them. A triangle at the edge of a plot is something that reaches beyond the "
    "axis."
)

INTEROP = "cases whose sides are different adapters (`peer` in the scenario)"
"""What a campaign must have for maps of interoperability."""

Tell = Callable[[int], object]
"""Takes how many sheets there are by now."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One figure. `name` is the name of its file, without the ending."""

    name: str
    title: str
    caption: str
    findings: str
    """What the letters behind names mean; empty where nothing was found."""
    shape: Captioned


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of figure. `name` begins the names of its files."""

    name: str
    needs: str
    """What a campaign must have for it, for the list of what was left out."""
    draw: Callable[[Source], Iterator[Sheet]]


@dataclass(slots=True)
class Source:
    """What sheets are made of."""

    campaign: Campaign
    names: Names = field(default_factory=Names)
    findings: Findings = field(init=False)

    def __post_init__(self) -> None:
        self.findings = Findings(self.campaign)


def _of_chart(known: Any, source: Source) -> Iterator[Sheet]:
    for shape in known.draw(source.campaign, known.cases(source.campaign)):
        if isinstance(shape, Picture) and shape.as_bars:
            continue
        drawn, findings = source.findings.on(known.figures, shape.members, shape, LONGEST_NAME)
        caption = drawn.caption
        if name := same_in_all.middleware(drawn.members):
            # On paper nothing else says so.
            caption = f"{name}. {caption}"
        file = name_of(source.names, known.key, drawn.keys, drawn.members)
        yield Sheet(file, known.title, caption, findings, drawn)


def _interop(source: Source) -> Iterator[Sheet]:
    """Yield latency, discovery, goodput and loss of every matrix."""
    for found in heat_maps(source.campaign):
        figures = [c for _, row in found.rows for c in row if c and c.text != ABSENT]
        if not figures:
            continue
        pairs = sum(c is not None for _, row in found.rows for c in row)
        caption = f"{found.note} {pairs} pairs. Light: the best; dark: the worst; grey: no figure."
        what, workload = found.id.split("-")[1], found.title.rpartition(": ")[2]
        shown = {c.case for c in figures}
        members = [case for case in source.campaign.cases if case.id in shown]
        heat = Heat((), members, "reader", found.names, "writer", found.rows, caption)
        drawn, findings = source.findings.on(found.figures, members, heat)
        name = source.names.name([f"interop-{what}", workload])
        yield Sheet(name, found.title, caption, findings, drawn)


KINDS: tuple[Kind, ...] = (
    *(Kind(chart.key, chart.needs, partial(_of_chart, chart)) for chart in CHARTS),
    Kind("interop", INTEROP, _interop),
)
"""In the order in which they are drawn and listed."""


def chart(sheet: Sheet) -> Spec:
    """Return the specification of a sheet, as wide as its columns."""
    width = (TWO_COLUMNS if _is_wide(sheet.shape) else ONE_COLUMN) * MM

    def plots(width: float) -> Spec:
        found = specification(sheet.shape, width=width, linear=None, em=EM, pointer=False)
        return found | {"config": config("print")}

    spec, room = plots(width), width
    for _ in range(PASSES if "layer" not in spec else 0):
        # How wide axes are is known when they are drawn: what is left over goes to the plots.
        room += width - float(SIZE.findall(vl_convert.vegalite_to_svg(spec))[0][0])
        spec = plots(room)
    texts = [one_line(each, LONGEST_DRAWN) for each in (sheet.caption, sheet.findings) if each]
    below = [line for each in texts for line in _lines(each, width, EM * 0.93)]
    return spec | {"title": {"text": _lines(sheet.title, width, EM * 8 / 7), "subtitle": below}}


def _is_wide(shape: Captioned) -> bool:
    """Return whether a shape is two columns of a paper wide."""
    if isinstance(shape, Picture):
        return shape.also_linear or (shape.apart and len(shape.curves) > 1)
    if isinstance(shape, Boxes):
        return len(shape.cells) > 1
    return isinstance(shape, Stack) or (
        isinstance(shape, Heat) and len(shape.columns) > FEW_COLUMNS
    )


def _lines(text: str, width: float, em: float) -> list[str]:
    return lines(text, int((width - EM) / (CHARACTER * em)), label=False)


SIZE = re.compile(r'width="([0-9.]+)" height="([0-9.]+)"')
NUMBERED = re.compile(r'(id="|url\(#|href="#)([a-z]+_?)([0-9]+)')
RESOURCES = re.compile(rb"(?:^ *+/[A-Za-z]+[0-9]+ [0-9]+ 0 R\n)+", re.MULTILINE)


def _svg(sheet: Sheet) -> str:
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
    return SIZE.sub(lambda size: " ".join(
        f'{name}="{float(value) / MM:.4g}mm"'
        for name, value in zip(("width", "height"), size.groups(), strict=True)
    ), svg, count=1)  # fmt: skip


def _pdf(svg: str) -> bytes:
    """Return the picture as PDF, whose lists of resources have no order of their own."""
    made: bytes = vl_convert.svg_to_pdf(svg)
    return RESOURCES.sub(lambda own: b"".join(sorted(own[0].splitlines(keepends=True))), made)


FORMS: dict[str, Callable[[str], bytes]] = {
    "png": lambda svg: vl_convert.svg_to_png(svg, ppi=DPI),
    "svg": lambda svg: _in_mm(svg).encode(),
    "pdf": _pdf,
}
"""What makes a file of a picture, by its ending."""


def write_sheets(
    campaign: Campaign, folder: Path, endings: Sequence[str], tell: Tell = lambda count: None
) -> dict[str, list[Path]]:
    """Write all sheets of the campaign, by ending, each into a folder named by it.

    Those of an earlier report with these endings are replaced; files of the user's stay.

    Returns:
        The files by ending, the list of sheets first.
    """
    folders = {ending: within(folder, ending) for ending in endings}
    with ExitStack() as stack:
        places = {name: stack.enter_context(replaced(of)) for name, of in folders.items()}
        names = _write(campaign, places, tell)
    return {
        ending: [of / INDEX, *(of / f"{name}.{ending}" for name in names)]
        for ending, of in folders.items()
    }


def _alone(result: Result, campaign: Campaign, folder: Path, *, ending: str) -> list[Path]:
    return write_sheets(campaign, folder, [ending])[ending]


png = partial(_alone, ending="png")
svg = partial(_alone, ending="svg")
pdf = partial(_alone, ending="pdf")


def _write(campaign: Campaign, places: Mapping[str, Path], tell: Tell) -> list[str]:
    """Return the names of the sheets, without an ending."""
    sheets: list[Sheet] = []
    absent: list[str] = []
    source = Source(campaign)
    for kind in KINDS:
        before = len(sheets)
        for sheet in kind.draw(source):
            drawn = _svg(sheet)
            for ending, place in places.items():
                (place / f"{sheet.name}.{ending}").write_bytes(FORMS[ending](drawn))
            sheets.append(sheet)
            tell(len(sheets))
        if len(sheets) == before:
            absent.append(f"- {kind.name}: it needs {kind.needs}.")
    for ending, place in places.items():
        index = _index(campaign, [_line(sheet, ending) for sheet in sheets], absent)
        (place / INDEX).write_text(index, encoding="utf-8")
    return [sheet.name for sheet in sheets]


def _line(sheet: Sheet, ending: str) -> str:
    file = f"{sheet.name}.{ending}"
    texts = [one_line(each, LONGEST) for each in (sheet.caption, sheet.findings) if each]
    told = escaped(" ".join(texts))
    return f"- [{escaped(file)}]({file}): **{escaped(sheet.title)}.** {told}"


def _index(campaign: Campaign, lines: list[str], absent: list[str]) -> str:
    title = f"# Figures of “{escaped(campaign.name)}”"
    parts = [title, "", f"{plural(len(lines), 'figure')}. {EXPLANATION}", "", *lines]
    if absent:
        parts += ["", "## Kinds that were left out", "", *absent]
    cases = cases_left_out(campaign)
    if cases:
        parts += ["", "## Cases without figures", "", *(f"- {escaped(told)}" for told in cases)]
    return "\n".join(parts) + "\n"
