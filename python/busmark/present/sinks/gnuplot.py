"""gnuplot: a data file and a script for each chart, and all samples of each case.

`scripts/NAME.gpi` plots `data/NAME.gpd` to `images/NAME.png`; `--to png` makes charts of the same
names. Title, legend, panels and caption have strips of their own, so that no text covers a curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import asinh, ceil
from pathlib import Path
from textwrap import wrap
from typing import Any

from busmark.model.text import plural
from busmark.present.charts import look, shapes, ticks
from busmark.present.charts.shapes import one_line
from busmark.present.charts.ticks import plain
from busmark.present.document import Document
from busmark.present.drawings import Drawing, drawings
from busmark.present.folder import replaced, within
from busmark.present.markup import charts_listed, escaped
from busmark.present.plotted import Rows, comment, number, quoted, rows

STYLE = Path(__file__).with_name("style.gpi")

WIDE, WIDER = 760, 1000
"""Width of a sheet with one panel, and with several side by side, in pixels of SVG."""

BOLD, CHARACTER, SMALL = 8.6, 6.5, 5.3
"""Width of a character of a title, of a legend or tick, and of a caption."""

DASHES = {"solid": 1, "dash": 2, "dot": 3, "dashdot": 4, "longdash": 2, "longdashdot": 5}
MARKS = {
    "circle": 7, "square": 5, "diamond": 13, "triangle-up": 9, "cross": 1, "x": 2,
    "triangle-down": 11, "star": 3, "line-ew-open": 1,
}  # fmt: skip
"""The page's names as gnuplot's numbers; one less is hollow, from 5 on."""

FEW = 500
"""Dots that are drawn larger."""

ABOVE, BELOW = 0.16, 0.2
"""Where a row has points: its value above the middle, its parts below."""

LIMITS = "(limit(3)):(limit(4))"
DARK, GREY = "lc rgb '#222222'", f"lc rgb '{look.GREY}'"


@dataclass
class Scale:
    """One axis of a panel: its ends and ticks where they are drawn."""

    title: str
    low: float
    high: float
    marks: Sequence[ticks.Tick]
    log: bool = False
    place: str = "({})"
    """The expression that puts a value there."""

    def commands(self, name: str, longest: float) -> str:
        """Return what sets the axis `name`; its title has lines of `longest` characters."""
        names = [text for _, text in self.marks]
        turned = name == "x" and len(names) * max(map(len, names), default=0) > 0.8 * longest
        # In a tick, gnuplot expands formats.
        marks = ", ".join(f"{quoted(*text.replace('%', '%%').splitlines())} ({number(at)})"
                          for at, text in self.marks)  # fmt: skip
        return (
            f"{'' if self.log else 'un'}set logscale {name}\n"
            f"set {name}range [{number(self.low)}:{number(self.high)}]\n"
            f"set {name}tics {'rotate by -35' if turned else 'norotate'} ({marks})\n"
            f"set {name}label {quoted(*wrap(self.title, max(12, int(longest))))}\n"
        )


PLACES = {"sizes": "(size({}))", "percent": "(rarity({}))"}
"""Functions of `style.gpi`."""


def scale(of: ticks.Scale, title: str) -> Scale:
    """Return the axis of a scale."""
    if of.kind == "signed":
        low, high = (asinh(end / of.step) for end in of.ends)
        marks = [(asinh(at / of.step), name) for at, name in of.ticks]
        return Scale(title, low, high, marks, place=f"(asinh({{}}/{of.step:g}))")
    logarithmic = of.kind in ("log", "sizes")
    marks = [*of.ticks] or even(*of.ends)
    return Scale(title, *of.ends, marks, logarithmic, PLACES.get(of.kind, "({})"))


def even(low: float, high: float) -> list[ticks.Tick]:
    """Return the ticks of a linear axis."""
    return [(at, plain(at)) for at in ticks.even(low, high, ticks.ENOUGH)]


@dataclass
class Panel:
    """One plot of a sheet."""

    x: Scale
    y: Scale
    heading: str = ""
    across: bool = False
    """Whether x is the axis of values."""
    plots: list[str] = field(default_factory=list)
    """What is plotted of the file, without its name."""
    commands: list[str] = field(default_factory=list)
    """Further ones."""

    @property
    def values(self) -> Scale:
        """The axis of values."""
        return self.x if self.across else self.y

    def beyond(self, at: float, *limits: float | None) -> None:
        """Add an arrow at each edge beyond which a value or a limit of it is."""
        known = [limit for limit in limits if limit is not None]
        for outside, *edge in ((min(known) < self.values.low, 0.05, 0),
                               (max(known) > self.values.high, 0.95, 1)):  # fmt: skip
            if outside:
                ends = [(f"graph {share}", f"first {number(at)}") for share in edge]
                begin, end = (", ".join(e if self.across else e[::-1]) for e in ends)
                self.commands.append(f"set arrow from {begin} to {end} front {DARK}")


@dataclass
class Sheet:
    """One chart: the data sets of its file, and its panels."""

    high: int
    """Pixels of a panel with its axes."""
    wide: int = WIDE
    columns: int = 1
    sets: dict[str, int] = field(default_factory=dict)
    """The place of each in the file."""
    panels: list[Panel] = field(default_factory=list)
    legend: dict[str, str] = field(default_factory=dict)
    """How an entry looks, by its text."""

    def add(self, name: str, lines: Rows, columns: str = "x, value, low, high") -> str:
        """Add a data set, once; return how a plot of it begins."""
        text = comment(f"{name}; {columns}", 400) + rows(lines)
        return f"index {self.sets.setdefault(text, len(self.sets))} using"

    def reference(self, line: shapes.Reference, panel: Panel) -> None:
        """Add a line to compare with."""
        entry = f"lines lw 1.5 {GREY} dt {DASHES[line.dash]}"
        data = self.add(line.name or "the line that goes with it", line.ends, "x, y")
        x, y = panel.x.place.format("$1"), panel.y.place.format("$2")
        panel.plots.append(f"{data} {x}:{y} with {entry}")
        self.legend |= {line.name: entry} if line.name else {}

    def curves(self, drawn: shapes.Plot, *, linear: bool = False, heading: str = "") -> Panel:
        """Add a panel with curves."""
        known = []
        for curve, low, top in drawn.stacked():
            if curve.stacked:
                places = [(point.x, point.y) for point in curve.points]
                lines = [(*at, *ends) for at, *ends in zip(places, low, top, strict=True)]
                data = self.add(curve.name, lines, "x, value, bottom and top of the area")
            else:
                data = self.add(curve.name or curve.label.text, (p[:4] for p in curve.points))
            known.append((curve, data))
        x, y = ticks.scales(drawn, linear=linear)
        panel = Panel(scale(x, drawn.x.title), scale(y, drawn.y.title), heading)
        # The lowest of stacked areas is drawn last; the null adapter lies behind all other curves.
        areas = [each for each in reversed(known) if each[0].stacked]
        rest = [each for each in known if not each[0].stacked]
        entries = {
            curve.name: self._curve(panel, curve, data)
            for curve, data in (*areas, *sorted(rest, key=lambda e: not look.is_null(e[0].label)))
        }
        for curve in drawn.curves:
            if curve.name and not curve.thin:
                self.legend.setdefault(one_line(curve.name, 100), entries[curve.name])
        for line in drawn.references:
            self.reference(line, panel)
        self.panels.append(panel)
        return panel

    def _curve(self, panel: Panel, curve: shapes.Curve, data: str) -> str:
        """Add the plots of a curve; return how it looks in the legend."""
        colour = f"lc rgb '{look.colour(curve.label)}'"
        line = f"dt {DASHES[curve.dash or look.dash(curve.label)]} lw {1 if curve.thin else 2}"
        solid = MARKS[look.symbol(curve.label)]
        # Crosses and stars, which cannot be hollow, become pentagons.
        mark = f"pt {solid if not curve.hollow else solid - 1 if solid > 4 else 14} ps 0.9"
        begin = f"{data} {panel.x.place.format('$1')}"
        entry = ""
        if curve.fill:
            area = f"fs {'' if curve.stacked else 'transparent '}solid {curve.fill:g} noborder"
            kind = "fillsteps" if curve.steps else "filledcurves y1=0"
            panel.plots.append(f"{begin}:{4 if curve.stacked else 2} with {kind} {area} {colour}")
            entry = f"boxes {area} {colour}"
        if any(p.low is not None for p in curve.points):
            panel.plots.append(f"{begin}:2:{LIMITS} with yerrorbars ps 0 {colour}")
        marked = not curve.dots and (curve.marks or len(curve.points) == 1)
        for p in curve.points if marked else ():
            at = look.at_size(p.x) if "size" in panel.x.place else p.x
            panel.beyond(at, p.y, p.low, p.high)
        if curve.stacked:
            return entry
        if curve.dots:
            entry = f"points {colour} pt 7 ps {0.2 if len(curve.points) > FEW else 0.5}"
        elif curve.line:
            entry = f"linespoints {colour} {line} {mark}" if marked else f"lines {colour} {line}"
        else:
            entry = f"points {colour} lw 2 {mark}"
        value = panel.y.place.format("bin(2)" if curve.steps else "$2")
        kind = entry.replace("lines ", "steps ", 1) if curve.steps else entry
        panel.plots.append(f"{begin}:{value} with {kind}")
        return entry

    def script(self, each: Drawing) -> str:
        """Return the script; the texts of the drawing are paragraphs below the panels."""
        title = wrap(one_line(each.title, 300), int(self.wide / BOLD))
        width = int(self.wide / SMALL)
        caption = [line for text in each.texts for line in wrap(one_line(text, 3000), width)]
        entry = max(map(len, self.legend), default=0) * CHARACTER + 50
        lines = ceil(len(self.legend) / max(1, int(self.wide / entry)))
        begin = 8 + 18 * len(title)
        top = begin + 15 * lines + 6
        below = top + self.high * ceil(len(self.panels) / self.columns)
        high = below + 13 * len(caption) + 10
        # All panels begin at the same distance: the longest tick decides.
        marks = [t for p in self.panels for _, mark in p.y.marks for t in mark.splitlines()]
        texts = [
            f"name = {quoted(each.name)}\nfile = 'data/'.name.'.gpd'\nwide = {self.wide}\n"
            f"high = {high}\nload 'style.gpi'\n"
            f"set label 1 {quoted(*title)} at screen 0.01, screen {1 - 14 / high:.4f} "
            "font 'DejaVu Sans Bold,13'\n"
            f"set label 2 {quoted(*caption)} at screen 0.01, screen {1 - (below + 8) / high:.4f} "
            "font ',10' textcolor rgb '#555555'\n"
            f"set key at screen 0.01, screen {1 - begin / high:.4f} left top Left reverse "
            f"samplen 3 font ',11' maxrows {lines or 1}\nset multiplot\n"
            f"set lmargin {max(map(len, marks), default=0) + 5}\n"
            f"set size {1 / self.columns:.4f},{self.high / high:.4f}\n"
        ]
        entries = [f"keyentry with {of} title {quoted(text)}" for text, of in self.legend.items()]
        for place, panel in enumerate(self.panels):
            row, column = divmod(place, self.columns)
            bottom = 1 - (top + (row + 1) * self.high) / high
            across = self.wide / self.columns / CHARACTER
            heading = quoted(*wrap(one_line(panel.heading, 200), int(across)))
            plots = [f"file {plot} notitle" for plot in panel.plots] + entries
            texts.append(
                f"set origin {column / self.columns:.4f},{max(bottom, 0):.4f}\n"
                f"bottom = {number(panel.values.low)}; top = {number(panel.values.high)}\n"
                f"set title {heading} font ',11'\n"
                + panel.x.commands("x", across)
                + panel.y.commands("y", (self.high - 40) / CHARACTER)
                + "".join(f"{command}\n" for command in panel.commands)
                + "plot " + ", \\\n    ".join(plots) + "\nunset label; unset arrow\n"
            )  # fmt: skip
            entries = []
        text = comment(f"{each.title}. {each.explanation}") + "".join(texts)
        return text + "unset multiplot\nunset output\n"


Labels = Mapping[str, tuple[str, str]]


def _picture(found: shapes.Picture, labels: Labels) -> Sheet:
    """Return all curves in one panel, and on linear axes where that is wanted, each in its own
    with the figures of its label, or panels below each other."""
    if found.is_stack:
        return _stack(found)
    plot = found.plot
    if not found.apart:
        sheet = Sheet(330, WIDER if found.also_linear else WIDE, 1 + found.also_linear)
        sheet.curves(plot)
        if found.also_linear:
            sheet.curves(replace(plot, references=()), linear=True)
        return sheet
    sheet = Sheet(260, WIDER if len(plot.curves) > 1 else WIDE, min(2, len(plot.curves)))
    for curve in plot.curves:
        panel = sheet.curves(replace(plot, curves=[replace(curve, name="")]), heading=curve.name)
        panel.commands.append("set rmargin 2")
        if curve.label.text in labels:
            file, variable = labels[curve.label.text]
            panel.commands += [
                "set rmargin 18", f"load {quoted(f'data/{file}')}",
                f"set label 3 {variable} at graph 1.03, graph 0.95 font ',10'",
            ]  # fmt: skip
    return sheet


def _stack(found: shapes.Picture) -> Sheet:
    sheet = Sheet(270 if len(found.plots) < 3 else 190, WIDER)
    for row in found.plots:
        sheet.curves(row, heading=row.heading)
    ends = min(p.x.low for p in sheet.panels), max(p.x.high for p in sheet.panels)
    for panel in sheet.panels:
        if found.together:
            panel.x = replace(panel.x, low=ends[0], high=ends[1], marks=even(*ends))
        if panel is not sheet.panels[-1]:
            panel.x.title = ""
    return sheet


def _bars(found: shapes.Bars, _: Labels) -> Sheet:
    names = ["\n".join(wrap(one_line(row.label.text, 200), 40)) for row in found.rows]
    lines = max(name.count("\n") + 1 for name in names)
    sheet = Sheet(60 + max(30, lines * 16 + 6) * len(names))
    y = Scale("", len(names) - 0.5, -0.5, list(enumerate(names)))
    x = scale(ticks.scale(found.axis, found.values()), found.axis.title)
    panel = Panel(x, y, across=True)
    solid = found.axis.from_zero
    for at, row in enumerate(found.rows):
        data = sheet.add(row.label.text, [(at, row.value, row.low, row.high)])
        colour = f"lc rgb '{look.colour(row.label)}'"
        middle = at if solid else at - ABOVE
        if solid:
            box = "2:1:(0):2:($1-0.31):($1+0.31) with boxxyerror fs solid noborder"
            panel.plots.append(f"{data} {box} {colour}")
        if row.low is not None:
            dark = f"{DARK} lw 1.5" if solid else f"{colour} lw 2"
            panel.plots.append(f"{data} 2:({middle}):{LIMITS} with xerrorbars ps 0 {dark}")
        if not solid:
            mark = f"lw 2 pt {MARKS[look.symbol(row.label)]} ps 1"
            panel.plots.append(f"{data} 2:({middle}) with points {colour} {mark}")
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


def _boxes(found: shapes.Boxes, _: Labels) -> Sheet:
    columns = min(3, len(found.cells))
    sheet = Sheet(280, WIDER if columns > 1 else WIDE, columns)
    for cell in found.cells:
        every = [value for box in cell.boxes for value in (*box.whiskers, *box.ends)]
        names = [(at, box.name) for at, box in enumerate(cell.boxes)]
        panel = Panel(Scale(found.x, -0.7, len(names) - 0.3, names[:: ceil(len(names) / 10)]),
                      scale(ticks.scale(cell.y, every), cell.y.title),
                      cell.label.text)  # fmt: skip
        colour = f"lc rgb '{look.colour(cell.label)}'"
        for at, box in enumerate(cell.boxes):
            sides = [[(at + sign * half, value) for value, half in box.outline] for sign in (-1, 1)]
            if box.outline:
                data = sheet.add(f"{cell.label.text}, {found.x} {box.name}, outline",
                                 [*sides[0], *reversed(sides[1])], "place, value")  # fmt: skip
                area = "filledcurves closed fs transparent solid 0.25"
                panel.plots.append(f"{data} 1:2 with {area} {colour}")
            panel.beyond(at, box.ends[1])
        data = sheet.add(
            cell.label.text,
            ((at, b.quartiles[1], b.whiskers[0], b.quartiles[0], b.quartiles[2], b.whiskers[1],
              *b.ends) for at, b in enumerate(cell.boxes)),
            f"{found.x}, median, lower whisker, quartiles, upper whisker, smallest, largest",
        )  # fmt: skip
        panel.plots += [
            f"{data} 1:4:3:6:5:(0.44) with candlesticks fs empty whiskerbars 0 lw 1.5 {colour}",
            f"{data} 1:2:2:2:2:(0.44) with candlesticks lw 2 {DARK}",
            *(f"{data} 1:{n} with points pt 7 ps 0.4 {colour}" for n in (7, 8)),
        ]
        for line in cell.references:
            sheet.reference(line, panel)
        sheet.panels.append(panel)
    return sheet


def _heat(found: shapes.Heat, _: Labels) -> Sheet:
    fields = [(column, row, f) for row, (_, fields) in enumerate(found.rows)
              for column, f in enumerate(fields) if f]  # fmt: skip
    across, down = [*found.columns], [name for name, _ in found.rows]
    columns, names = ([(at, one_line(n, 34)) for at, n in enumerate(of)] for of in (across, down))
    sheet = Sheet(150 + 40 * len(down), WIDE if len(across) < 8 else WIDER)
    panel = Panel(Scale(found.across, -0.5, len(across) - 0.5, columns),
                  Scale(found.down, len(down) - 0.5, -0.5, names))  # fmt: skip
    for name, colour, data in (
        ("fields", ":3 with boxxyerror lc palette", [
            (c, r, f.shade) for c, r, f in fields if f.shade is not None]),
        ("without a figure", " with boxxyerror lc rgb '#EEEEEE'", [
            (c, r, None) for c, r, f in fields if f.shade is None]),
    ):  # fmt: skip
        if data:
            begin = f"{sheet.add(name, data, 'column, row, shade')} 1:2"
            edges = "($1-.5):($1+.5):($2-.5):($2+.5)"
            panel.plots.append(f"{begin}:{edges}{colour} fs solid border rgb 'white'")
    steps = ", ".join(f"{at} '{colour}'" for at, colour in enumerate(shapes.SHADES))
    scale_of = ", ".join(f"{quoted(name)} ({number(at)})" for at, name in found.scale)
    panel.commands = [
        "unset grid", f"set palette defined ({steps})", "set cbrange [0:1]",
        f"set cbtics ({scale_of})" if scale_of else "unset colorbox",
    ]  # fmt: skip
    for column, row, each in fields if found.written else ():
        ground = "#EEEEEE" if each.shade is None else each.ground
        panel.commands.append(
            f"set label {quoted(*each.text.splitlines())} at {column},{row} center front "
            f"font ',10' textcolor rgb '{look.ink(ground)}'"
        )
    sheet.panels.append(panel)
    return sheet


SHEETS: dict[type, Callable[[Any, Labels], Sheet]] = {
    shapes.Picture: _picture,
    shapes.Bars: _bars,
    shapes.Boxes: _boxes,
    shapes.Heat: _heat,
}


def write(document: Document, folder: Path) -> list[Path]:
    """Write into the folder's folder `gnuplot`; return its files, the script that plots everything
    first. Those of an earlier report are replaced; files of the user's stay, and so do pictures:
    gnuplot made them, when the user called it."""
    own = within(folder, "gnuplot")
    with replaced(own) as place:
        made = sorted(_files(document, place), key=lambda name: (name != "plot-all.gpi", name))
    for part in ("data", "scripts", "images"):
        (own / part).mkdir(exist_ok=True)
    return [own / name for name in made]


def _files(document: Document, folder: Path) -> Iterable[str]:
    """Write the files; return their names."""
    for part in ("data", "scripts"):
        (folder / part).mkdir()
    for name, written in document.data.items():
        written(folder / "data" / name)
    drawn = [*drawings(document)]
    texts = {"style.gpi": STYLE.read_text(encoding="utf-8"), "plot-all.gpi": ALL}
    for each in drawn:
        sheet = SHEETS[type(each.shape)](each.shape, each.labels)
        sets = (f"# index {at}: {text.removeprefix('# ')}" for text, at in sheet.sets.items())
        texts[f"data/{each.name}.gpd"] = comment(f"{each.title}. {each.caption}") + "\n\n".join(
            sets
        )
        texts[f"scripts/{each.name}.gpi"] = sheet.script(each)
        texts["plot-all.gpi"] += f"load 'scripts/{each.name}.gpi'\n"
    listed = [(f"scripts/{each.name}.gpi", each) for each in drawn]
    texts["README.md"] = README.format(
        title=escaped(document.title), number=plural(len(listed), "picture"),
        charts=charts_listed(document, listed),
    )  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [*texts, *(f"data/{name}" for name in document.data)]


ALL = """\
# plots everything: gnuplot plot-all.gpi
# as SVG: gnuplot -e "ending='svg'" plot-all.gpi
"""

README = """\
# gnuplot files of “{title}”

In this folder, `gnuplot plot-all.gpi` makes {number} in `images`, with `-e "ending='svg'"` as SVG;
`gnuplot scripts/NAME.gpi` makes one, and `gnuplot -p -e "ending='window'" scripts/NAME.gpi` shows
it. Pictures of an earlier report stay there until they are plotted again.

`scripts/*.gpi` has a script for each chart, `style.gpi` what they share, `data/*.gpd` the data of
each chart; the first line of a data set names its columns. For a result, `data` also has all
samples of each case, its figures as texts for labels (`*.stats`), and the figures of all cases
(`*.csv`).

## Charts

{charts}"""
