"""gnuplot: a data file and a script for each figure, and all samples of each case.

`scripts/NAME.gpi` plots `data/NAME.gpd` to `images/NAME.png`; `--to png` makes figures of the same
names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import Any

from busmark.model.text import plural
from busmark.present.charts import look
from busmark.present.charts.look import ink
from busmark.present.charts.shapes import SHADES, Bars, Boxes, Heat, Picture, Stack, one_line
from busmark.present.document import Document
from busmark.present.drawings import drawings
from busmark.present.folder import replaced, within
from busmark.present.markup import charts_listed, escaped
from busmark.present.plotted import comment, number, quoted
from busmark.present.sinks.gnuplot_sheet import (
    GREY,
    LIMITS,
    MARKS,
    STYLE,
    WIDE,
    WIDER,
    Panel,
    Scale,
    Sheet,
    even,
    scale,
)

STATS = 130
"""Width of the figures of a case, to the right of its histogram."""

ABOVE, BELOW = 0.16, 0.2
"""Where a row has points: its value above the middle, its parts below."""


Labels = Mapping[str, tuple[str, str]]


def _picture(found: Picture, labels: Labels) -> Sheet:
    """Return all curves in one panel, and on linear axes where that is wanted, or each in its own
    with the figures of its label."""
    if not found.apart:
        sheet = Sheet(330, WIDER if found.also_linear else WIDE, 1 + found.also_linear)
        data = sheet.data(found.curves)
        sheet.curves(found, data=data)
        if found.also_linear:
            sheet.curves(replace(found, references=()), linear=True, data=data)
        return sheet
    sheet = Sheet(260, WIDER if len(found.curves) > 1 else WIDE, min(2, len(found.curves)))
    for curve in found.curves:
        panel = sheet.curves(replace(found, curves=[replace(curve, name="")]))
        panel.heading = curve.name
        if curve.label.text in labels:
            file, variable = labels[curve.label.text]
            panel.right = STATS
            panel.commands += [
                f"load {quoted(f'data/{file}')}",
                f"set label 3 {variable} at graph 1.03, graph 0.95 font ',10'",
            ]
    return sheet


def _stack(found: Stack, _: Labels) -> Sheet:
    sheet = Sheet(270 if len(found.rows) < 3 else 190, WIDER)
    for row in found.rows:
        sheet.curves(row).heading = row.heading
    ends = [(p.x.low, p.x.high) for p in sheet.panels]
    for panel in sheet.panels:
        if found.together:
            panel.x.low, panel.x.high = min(e[0] for e in ends), max(e[1] for e in ends)
            panel.x.marks = even(panel.x.low, panel.x.high)
        if panel is not sheet.panels[-1]:
            panel.x.title = ""
    return sheet


def _bars(found: Bars, _: Labels) -> Sheet:
    names = ["\n".join(wrap(one_line(row.label.text, 200), 40)) for row in found.rows]
    lines = max(name.count("\n") + 1 for name in names)
    count, solid = len(names), found.axis.from_zero
    sheet = Sheet(60 + max(30, lines * 16 + 6) * count)
    panel = Panel(scale(found.axis, found.values()),
                  Scale("", count - 0.5, -0.5, list(enumerate(names))))  # fmt: skip
    panel.across = True
    for at, row in enumerate(found.rows):
        data = sheet.add(row.label.text, [(at, row.value, row.low, row.high)])
        colour = f"lc rgb '{look.colour(row.label)}'"
        middle = at if solid else at - ABOVE
        if solid:
            panel.plots.append(
                f"{data} 2:1:(0):2:($1-0.31):($1+0.31) with boxxyerror fs solid noborder {colour}"
            )
        if row.low is not None:
            dark = "lc rgb '#222222' lw 1.5" if solid else f"{colour} lw 2"
            panel.plots.append(f"{data} 2:({middle}):{LIMITS} with xerrorbars ps 0 {dark}")
        if not solid:
            mark = f"pt {MARKS[look.symbol(row.label)]} ps 1"
            panel.plots.append(f"{data} 2:({middle}) with points {colour} lw 2 {mark}")
        panel.beyond(middle, row.value, row.low, row.high)
        if row.parts:
            data = sheet.add(f"{row.label.text}, {found.part}", [(at, p.value) for p in row.parts])
            panel.plots.append(f"{data} 2:($1+{BELOW}) with points {colour} pt 6 ps 0.8")
    for name, style in ((found.value, "pt 7"), (found.part, "pt 6")):
        sheet.legend |= {name: f"points {GREY} {style}"} if name else {}
    if found.mark:
        marks = [(at, row.mark) for at, row in enumerate(found.rows) if row.mark is not None]
        data = sheet.add(found.mark, marks, "row, value")
        panel.plots.append(f"{data} 2:($1-0.35):(0):(0.7) with vectors nohead lw 3 {GREY}")
        sheet.legend[found.mark] = f"lines lw 3 {GREY}"
    for line in found.references:
        sheet.reference(line, panel)
    sheet.panels.append(panel)
    return sheet


def _boxes(found: Boxes, _: Labels) -> Sheet:
    columns = min(3, len(found.cells))
    sheet = Sheet(280, WIDER if columns > 1 else WIDE, columns)
    for cell in found.cells:
        every = [value for box in cell.boxes for value in (*box.whiskers, *box.ends)]
        step = ceil(len(cell.boxes) / 10)
        names = [(at, box.name) for at, box in enumerate(cell.boxes)][::step]
        panel = Panel(Scale(found.x, -0.7, len(cell.boxes) - 0.3, names), scale(cell.y, every))
        panel.heading = cell.label.text
        colour = f"lc rgb '{look.colour(cell.label)}'"
        for at, box in enumerate(cell.boxes):
            sides = [[(at + sign * half, value) for value, half in box.outline] for sign in (-1, 1)]
            if box.outline:
                data = sheet.add(f"{cell.label.text}, {found.x} {box.name}, outline",
                                 [*sides[0], *reversed(sides[1])], "place, value")  # fmt: skip
                panel.plots.append(
                    f"{data} 1:2 with filledcurves closed fs transparent solid 0.25 {colour}"
                )
            panel.beyond(at, box.ends[1])
        data = sheet.add(
            cell.label.text,
            ((at, b.quartiles[1], b.whiskers[0], b.quartiles[0], b.quartiles[2], b.whiskers[1],
              *b.ends) for at, b in enumerate(cell.boxes)),
            f"{found.x}, median, lower whisker, quartiles, upper whisker, smallest, largest",
        )  # fmt: skip
        panel.plots += [
            f"{data} 1:4:3:6:5:(0.44) with candlesticks fs empty whiskerbars 0 lw 1.5 {colour}",
            f"{data} 1:2:2:2:2:(0.44) with candlesticks lw 2 lc rgb '#222222'",
            *(f"{data} 1:{n} with points pt 7 ps 0.4 {colour}" for n in (7, 8)),
        ]
        for line in cell.references:
            sheet.reference(line, panel)
        sheet.panels.append(panel)
    return sheet


def _heat(found: Heat, _: Labels) -> Sheet:
    fields = [(column, row, f) for row, (_, fields) in enumerate(found.rows)
              for column, f in enumerate(fields) if f]  # fmt: skip
    across, down = [*found.columns], [name for name, _ in found.rows]
    columns, names = ([(at, one_line(n, 34)) for at, n in enumerate(of)] for of in (across, down))
    sheet = Sheet(150 + 40 * len(down), WIDE if len(across) < 8 else WIDER)
    panel = Panel(Scale(found.across, -0.5, len(across) - 0.5, columns),
                  Scale(found.down, len(down) - 0.5, -0.5, names))  # fmt: skip
    for known in (True, False):
        data = [(c, r, f.shade) for c, r, f in fields if (f.shade is not None) == known]
        if data:
            begin = sheet.add("fields" if known else "without a figure", data, "column, row, shade")
            colour = "palette" if known else "rgb '#EEEEEE'"
            panel.plots.append(
                f"{begin} 1:2:($1-.5):($1+.5):($2-.5):($2+.5){':3' if known else ''} "
                f"with boxxyerror fs solid border rgb 'white' lc {colour}"
            )
    panel.right = 115 if found.scale else 14
    steps = ", ".join(f"{at} '{colour}'" for at, colour in enumerate(SHADES))
    scale_of = ", ".join(f"{quoted(name)} ({number(at)})" for at, name in found.scale)
    panel.commands = [
        "unset grid", f"set palette defined ({steps})", "set cbrange [0:1]",
        f"set cbtics ({scale_of})" if scale_of else "unset colorbox",
    ]  # fmt: skip
    for column, row, each in fields if found.written else ():
        ground = "#EEEEEE" if each.shade is None else each.ground
        panel.commands.append(
            f"set label {quoted(*each.text.splitlines())} at {column},{row} center front "
            f"font ',10' textcolor rgb '{ink(ground)}'"
        )
    sheet.panels.append(panel)
    return sheet


SHEETS: dict[type, Callable[[Any, Labels], Sheet]] = {
    Picture: _picture, Bars: _bars, Boxes: _boxes, Heat: _heat, Stack: _stack,
}  # fmt: skip


def write(document: Document, folder: Path) -> list[Path]:
    """Write into the folder's folder `gnuplot`; return its files, the script that plots everything
    first. Those of an earlier report are replaced; files of the user's stay, and so do pictures:
    gnuplot made them, when the user called it."""
    own = within(folder, "gnuplot")
    with replaced(own) as place:
        _files(document, place)
        made = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file())
    for part in ("data", "scripts", "images"):
        (own / part).mkdir(exist_ok=True)
    return [own / name for name in sorted(made, key=lambda name: name.name != "plot-all.gpi")]


def _files(document: Document, folder: Path) -> None:
    data, scripts = folder / "data", folder / "scripts"
    data.mkdir()
    scripts.mkdir()
    for name, written in document.data.items():
        written(data / name)
    listed = []
    everything = comment("plots everything: gnuplot plot-all.gpi")
    everything += comment("as SVG: gnuplot -e \"ending='svg'\" plot-all.gpi")
    for each in drawings(document):
        sheet = SHEETS[type(each.shape)](each.shape, each.labels)
        text = comment(f"{each.title}. {each.caption}") + "\n\n".join(sheet.sets)
        (data / f"{each.name}.gpd").write_text(text, encoding="utf-8")
        text = sheet.script(each.name, each.title, each.explanation, each.texts)
        (scripts / f"{each.name}.gpi").write_text(text, encoding="utf-8")
        everything += f"load 'scripts/{each.name}.gpi'\n"
        listed.append((f"scripts/{each.name}.gpi", each))
    (folder / "style.gpi").write_text(STYLE, encoding="utf-8")
    (folder / "plot-all.gpi").write_text(everything, encoding="utf-8")
    extra = "".join(f"\n- `data/*{end}`: {what}" for end, what in DATA.items()
                    if any(name.endswith(end) for name in document.data))  # fmt: skip
    text = README.format(title=escaped(document.title), number=plural(len(listed), "picture"),
                         extra=extra, charts=charts_listed(document, listed))  # fmt: skip
    (folder / "README.md").write_text(text, encoding="utf-8")


DATA = {
    ".gpd": "besides, all samples of each case; the first line of a data set names its columns.",
    ".stats": "the figures of a case as texts, for labels.",
    ".csv": "figures of all cases.",
}
"""Data files that a document may have, by their ending."""

README = """\
# gnuplot files of “{title}”

In this folder, `gnuplot plot-all.gpi` makes {number} in `images`, with `-e "ending='svg'"` as SVG;
`gnuplot scripts/NAME.gpi` makes one, and `gnuplot -p -e "ending='window'" scripts/NAME.gpi` shows
it. Pictures of an earlier report stay there until they are plotted again.

- `scripts/*.gpi`: a script for each chart; `style.gpi`: what they share.
- `data/*.gpd`: the data of each chart.{extra}

## Charts

{charts}"""
