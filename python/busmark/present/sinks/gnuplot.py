"""gnuplot: a data file and a script for each chart, and all samples of each case.

`scripts/NAME.gpi` plots `data/NAME.gpd` to `images/NAME.png`; `--to png` makes charts of the same
names. Both follow the chart's Vega-Lite specification: its tables are the data sets, its layers the
plots. Title, legend, panels and caption have strips of their own, so that no text covers a curve.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, sqrt
from pathlib import Path
from textwrap import wrap
from typing import Any

from busmark import files
from busmark.model.text import plural
from busmark.present.charts import ticks
from busmark.present.charts.shapes import Picture, one_line
from busmark.present.document import Document
from busmark.present.drawings import ChartSheet, drawings
from busmark.present.folder import replaced, within
from busmark.present.markup import charts_listed, escaped
from busmark.present.quoting import comment, number, quoted, rows
from busmark.present.vega import config, specification
from busmark.present.vega.parts import DASHES, Row, Spec, dashes, line_path, mark_path
from busmark.present.vega.theme import THEMES

STYLE = Path(__file__).with_name("style.gpi")

WIDE, WIDER = 760, 1000
"""Width of a sheet with one panel, and with several side by side, in pixels of SVG."""

BOLD, CHARACTER, SMALL = 8.6, 6.5, 5.3
"""Width of a character of a title, of a legend or tick, and of a caption."""

LINE, AXIS = 15, 56
"""Pixels of a line of text, and of an axis below a panel with its ticks and its title."""

BESIDE = 18
"""Characters of the figures beside a panel."""

POINT = 8.0
"""Pixels of a mark of size 1."""

THEME, STYLES = THEMES["light"], config("light")["style"]

DASH = 5
"""Gnuplot's lengths in a width of the line."""

LINES = {
    name: "1" if name == "solid" else f"({','.join(f'{DASH * part:g}' for part in parts)})"
    for name, parts in DASHES.items()
}
MARKS: dict[str, int | str] = {
    "circle": 7,
    "square": 5,
    "diamond": 13,
    "triangle-up": 9,
    "cross": 1,
    "x": 2,
    "triangle-down": 11,
    "star": 3,
    "line-ew-open": 1,
    "triangle-left": "'◀'",
    "triangle-right": "'▶'",
}
"""Names of dashes and marks as gnuplot has them, or a character where it has none."""

LOOKS = ("color", "stroke", "strokeDash", "shape", "detail")
"""Channels by which series differ."""

Ticks = list[tuple[float, list[str]]]


def units(view: Spec, own: Sequence[Row] = ()) -> Iterator[tuple[Spec, Sequence[Row]]]:
    """Yield the layers of a view that have a mark, each with its rows."""
    own = view["data"]["values"] if "data" in view else own
    if "mark" in view:
        yield view, own
    for layer in view.get("layer", ()):
        yield from units(layer, own)


def axes(view: Spec) -> Spec:
    """Return an encoding that has the axes, which all layers of a view share."""
    return next(unit["encoding"] for unit, _ in units(view) if "x" in unit["encoding"])


def marked(name: str, channel: Spec) -> tuple[Sequence[float], Ticks]:
    """Return the ends of the axis `name`, and its ticks with their names in lines."""
    domain, of = channel["scale"]["domain"], channel["axis"]
    if channel["type"] == "ordinal":
        ends = (-0.5, len(domain) - 0.5)
        return ends[:: -1 if name == "y" else 1], named(of, domain)
    low, high = domain
    return domain, named(of, of.get("values") or ticks.even(low, high, ticks.ENOUGH))


def named(of: Spec, places: Sequence[float]) -> Ticks:
    """Return places of an axis, or of a scale of colours, with their names in lines."""
    if not of["labelExpr"].startswith("["):
        return [(at, [ticks.plain(at)]) for at in places]
    names, _ = json.JSONDecoder().raw_decode(of["labelExpr"])
    return [*zip(places, map(in_lines, names), strict=True)]


def in_lines(text: str | list[str] | None) -> list[str]:
    """Return the lines of a text of a specification."""
    return [text] if isinstance(text, str) else text or []


def heading(view: Spec) -> list[str]:
    """Return the lines above a panel."""
    return in_lines(view.get("title", {}).get("text"))


def axis(name: str, channel: Spec, longest: float) -> str:
    """Return what sets the axis `name`; its texts have lines of `longest` characters."""
    scale, of = channel["scale"], channel["axis"]
    title = in_lines(of["title"])
    (low, high), marks = marked(name, channel)
    if name == "y":
        marks = marks[:: ceil(len(marks) * LINE / (longest * CHARACTER))]
    turned = name == "x" and sum(2 + max(map(len, text)) for _, text in marks) > longest
    # In a tick, gnuplot expands formats.
    shown = ", ".join(
        f"{quoted(*(line.replace('%', '%%') for line in text))} ({number(at)})"
        for at, text in marks
    )
    around = scale.get("constant")
    kinds = {
        "log": f"set logscale {name}",
        "symlog": f"set nonlinear {name} via symlog({name}, {around}) "
        f"inverse unsymlog({name}, {around})",
    }
    return (
        f"unset nonlinear {name}; unset logscale {name}; {kinds.get(scale.get('type'), '')}\n"
        f"set {name}range [{number(low)}:{number(high)}]\n"
        f"set {name}tics {'rotate by -35' if turned else 'norotate'} ({shown})\n"
        f"set grid {'no' if of.get('grid') is False else ''}{name}tics\n"
        f"set {name}label {quoted(*title)} offset {-2 * (name == 'y' and len(title) > 1)},0\n"
    )


def point(name: str, *, filled: bool) -> str:
    """Return the type of a mark. The hollow one is the one before; crosses and stars, which cannot
    be hollow, become pentagons."""
    known = MARKS[name]
    if filled or isinstance(known, str):
        return f"pt {known}"
    return f"pt {known - 1 if known > 4 else 14}"


def look(channel: Spec, row: Row) -> Any:
    """Return what a channel gives the series of a row."""
    if "value" in channel:
        return channel["value"]
    scale = channel["scale"]
    return scale["range"][scale["domain"].index(row[channel["field"]])]


def legend(view: Spec) -> Iterator[tuple[str, str]]:
    """Yield the entries of the legend of a view, and how each looks."""
    for unit, _ in units(view):
        if unit["mark"]["style"] == "sample":
            paths, strokes, fills = (
                unit["encoding"][name]["scale"] for name in ("shape", "stroke", "fill")
            )
            looks = zip(paths["range"], strokes["range"], fills["range"], strict=True)
            yield from zip(paths["domain"], (entry(*own) for own in looks), strict=True)


def entry(path: str, stroke: str, fill: str) -> str:
    """Return how an entry of the legend looks: an area, a line, a mark, or both of these."""
    if fill.startswith("rgba"):
        *parts, share = re.findall("[0-9.]+", fill)
        return f"boxes fs solid {share} noborder lc rgb '#{bytes(map(int, parts)).hex()}'"
    colour = f"lc rgb '{stroke}'"
    for dash, line in (("solid", ""), *((dash, line_path(dash)) for dash in DASHES)):
        kind = f"dt {LINES[dash]} lw 2 {colour}"
        if path == line:
            return f"lines {kind}"
        for name in MARKS:
            for size in (0.15, 0.32):
                if path == line + mark_path(name, size):
                    mark = point(name, filled=fill != "transparent")
                    return f"{'linespoints' if line else 'points'} {mark} ps {2.8 * size:g} {kind}"
    return f"lines lw 3 {colour}"


@dataclass
class ScriptFiles:
    """Files of one chart: the data sets, and the script."""

    each: ChartSheet
    sets: dict[str, int] = field(default_factory=dict)
    """The place of each in the file."""
    titles: dict[str, None] = field(default_factory=dict)
    """Titles of the axes, with their units."""

    def add(self, name: str, own: Sequence[Row]) -> tuple[str, dict[str, int]]:
        """Add a data set, once; return how a plot of it begins, and the numbers of its columns."""
        fields = [key for key, value in own[0].items() if not isinstance(value, str | bool)]
        data = rows([each.get(key) for key in fields] for each in own)
        text = comment(f"{name}; {', '.join(fields)}", 400) + data
        begin = f"index {self.sets.setdefault(text, len(self.sets))} using"
        return begin, {key: at for at, key in enumerate(fields, 1)}

    def plots(self, view: Spec) -> Iterator[str]:
        """Yield what is plotted of the file, without its name."""
        for unit, every in units(view):
            encoding, groups = unit["encoding"], dict[tuple[object, ...], list[Row]]()
            channels = [encoding[name] for name in LOOKS if name in encoding]
            by = [
                of["field"] for of in channels if "field" in of and of.get("type") != "quantitative"
            ]
            for row in every if unit["mark"]["type"] != "text" else ():
                groups.setdefault(tuple(row[name] for name in by), []).append(row)
            for own in groups.values():
                yield self._plot(unit["mark"], encoding, own)

    def _plot(self, mark: Spec, encoding: Spec, own: list[Row]) -> str:
        """Return the plot of a series, or of what has none."""
        first, style = own[0], {"filled": True, **STYLES.get(mark["style"], {}), **mark}
        if mark.get("interpolate") == "step-after":
            # A value at both ends of its step.
            own = [row for a, b in pairwise(own) for row in (a, {**a, "x": b["x"]})] + own[-1:]
        if mark["style"] == "violin":
            own += [{**row, "x": 2 * row["n"] - row["x"]} for row in reversed(own)]
            encoding = {name: of for name, of in encoding.items() if name != "x2"}
        begin, columns = self.add(first.get("name") or first.get("s") or mark["style"], own)

        def at(name: str) -> str:
            of = encoding[name]
            return f"({of['datum']})" if "datum" in of else f"(${columns[of['field']]})"

        x, y = at("x"), at("y")
        x2, y2 = (at(name) if name in encoding else "" for name in ("x2", "y2"))
        colour = style.get("color") or style.get("stroke") or THEME.text
        shade = ""
        for name in ("color", "stroke"):
            if encoding.get(name, {}).get("type") == "quantitative":
                shade = f":{at(name)}"
            elif name in encoding:
                colour = look(encoding[name], first)
        match mark["type"]:
            case "line":
                dash = look(encoding["strokeDash"], first)
                name = next(name for name in DASHES if dashes(name, THEME.em) == dash)
                kind = f"{x}:{y} with lines dt {LINES[name]}"
            case "area":
                ends = (
                    f"{x}:{y}:{y2} with filledcurves" if y2 else f"{x}:{y} with filledcurves closed"
                )
                kind = f"{ends} fs transparent solid {style['fillOpacity']:g} noborder"
            case "errorbar":
                value = f"(${columns['x' if x2 else 'y']})"
                ends = f"{value}:{y}:{x2}:{x} with x" if x2 else f"{x}:{value}:{y2}:{y} with y"
                kind = f"{ends}errorbars ps 0"
            case "rule":
                kind = f"{x}:{y}:({x2 or x}-{x}):({y2 or y}-{y}) with vectors nohead"
            case "rect" if x2:
                fill = "empty" if style.get("fillOpacity") == 0 else "solid noborder"
                kind = f"{x}:{y}:{x}:{x2}:{y}:{y2} with boxxyerror fs {fill}"
            case "rect":
                ends = f"{x}:{y}:({x}-.5):({x}+.5):({y}-.5):({y}+.5){shade}"
                kind = f"{ends} with boxxyerror fs solid border rgb 'white'"
            case _:
                path = mark.get("shape") or mark_path("circle")
                path = look(encoding["shape"], first) if "shape" in encoding else path
                name = next(name for name in MARKS if path == mark_path(name))
                size = f"ps {sqrt(style['size']) / POINT:.2g}"
                kind = f"{x}:{y} with points {point(name, filled=style['filled'])} {size}"
        ink = "palette" if shade else f"rgb '{colour}'"
        return f"{begin} {kind} lw {style.get('strokeWidth', 1):.3g} lc {ink}"

    def panel(self, view: Spec, place: int, across: float) -> Iterator[str]:
        """Yield the commands before the plots of a panel, which is `across` characters wide."""
        above = wrap(one_line(" ".join(heading(view)), 200), int(across))
        yield f"set title {quoted(*above)} font ',11'\n"
        if figures := self._figures(place):
            across -= BESIDE
            yield from figures
        for name, room in (("x", across), ("y", (view["height"] + LINE) / CHARACTER)):
            channel = axes(view)[name]
            yield axis(name, channel, room)
            if title := " ".join(in_lines(channel["axis"]["title"])):
                self.titles[f"{name}: {title}"] = None
        for unit, own in units(view):
            if (colour := unit["encoding"].get("color", {})).get("type") == "quantitative":
                scale, shown = colour["scale"], colour["legend"]
                steps = zip(scale["domain"], scale["range"], strict=True)
                listed = ", ".join(f"{at:g} '{of}'" for at, of in steps)
                yield f"set palette defined ({listed})\nset cbrange [0:1]\n"
                marks = named(shown, shown["values"]) if shown else []
                listed = ", ".join(f"{quoted(*text)} ({number(at)})" for at, text in marks)
                beside = max((len(line) for _, text in marks for line in text), default=0) + 8
                shown = f"set cbtics ({listed})\nset rmargin {beside}\n"
                yield shown if marks else "unset colorbox\n"
            for row in own if unit["mark"]["type"] == "text" else ():
                yield (
                    f"set label {quoted(*row['text'].splitlines())} at {row['c']},{row['r']} "
                    f"center front font ',10' textcolor rgb '{row.get('ink', THEME.text)}'\n"
                )

    def _figures(self, place: int) -> list[str]:
        """Return what writes the figures of the only curve of a panel beside it."""
        shape = self.each.shape
        if not isinstance(shape, Picture) or not shape.apart:
            return []
        if not (found := self.each.labels.get(shape.plot.curves[place].label.text)):
            return []
        return [
            f"set rmargin {BESIDE}\nload {quoted(f'data/{found[0]}')}\n",
            f"set label 3 {found[1]} at graph 1.03, graph 0.95 font ',10'\n",
        ]

    def script(self) -> str:
        """Return the script; the texts of the drawing are paragraphs below the panels."""
        each, wide = self.each, WIDER if self.each.is_wide else WIDE
        spec = specification(each.shape, width=wide, linear=None, pointer=False)
        views = spec.get("concat") or spec.get("vconcat") or [spec]
        columns = spec.get("columns", 1)
        entries = {name: of for view in views for name, of in legend(view)}
        title = wrap(one_line(each.title, 300), int(wide / BOLD))
        caption = [
            line for text in each.texts for line in wrap(one_line(text, 3000), int(wide / SMALL))
        ]
        longest = max(map(len, entries), default=0) * CHARACTER + 50
        lines = ceil(len(entries) / max(1, int(wide / longest)))
        begin = 8 + 18 * len(title)
        top = begin + LINE * lines + 6
        above = max(len(heading(view)) for view in views)
        panel = views[0]["height"] + AXIS + LINE * above
        below = top + panel * ceil(len(views) / columns)
        high = below + 13 * len(caption) + 10
        # All panels begin at the same distance: the longest tick and the longest title decide.
        down = [axes(view)["y"] for view in views]
        marks = [line for y in down for _, text in marked("y", y)[1] for line in text]
        titles = max(len(in_lines(y["axis"]["title"])) for y in down)
        made = (
            f"name = {quoted(each.name)}\nfile = 'data/'.name.'.gpd'\nwide = {wide}\n"
            f"high = {ceil(high)}\nload 'style.gpi'\n"
            f"set label 1 {quoted(*title)} at screen 0.01, screen {1 - 14 / high:.4f} "
            "font 'DejaVu Sans Bold,13'\n"
            f"set label 2 {quoted(*caption)} at screen 0.01, screen {1 - (below + 8) / high:.4f} "
            "font ',10' textcolor rgb '#555555'\n"
            f"set key at screen 0.01, screen {1 - begin / high:.4f} left top Left reverse "
            f"samplen 3 font ',11' maxrows {lines or 1}\nset multiplot\n"
            f"set lmargin {max(map(len, marks), default=0) + 3 + 2 * max(titles, 1)}\n"
            f"set size {1 / columns:.4f},{panel / high:.4f}\n"
        )
        keys = [f"keyentry with {of} title {quoted(name)}" for name, of in entries.items()]
        for place, view in enumerate(views):
            row, column = divmod(place, columns)
            bottom = max(0, 1 - (top + (row + 1) * panel) / high)
            made += f"set origin {column / columns:.4f},{bottom:.4f}\n"
            made += "".join(self.panel(view, place, wide / columns / CHARACTER))
            plots = [f"file {plot} notitle" for plot in self.plots(view)] + keys
            made += "plot " + ", \\\n    ".join(plots) + "\nunset label; unset rmargin\n"
            keys = []
        head = comment(f"{each.title}. {each.explanation}")
        return f"{head}{made}unset multiplot\nunset output\n"


def write(document: Document, folder: Path) -> list[Path]:
    """Write into the folder's folder `gnuplot`; return its files, the script that plots everything
    first. Files of an earlier report are replaced; files of the user's stay, and so do pictures:
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
        sheet = ScriptFiles(each)
        texts[f"scripts/{each.name}.gpi"] = sheet.script()
        sets = (f"# index {at}: {text.removeprefix('# ')}" for text, at in sheet.sets.items())
        head = comment(f"{each.title}. {each.caption}") + comment("; ".join(sheet.titles))
        texts[f"data/{each.name}.gpd"] = head + "\n\n".join(sets)
        texts["plot-all.gpi"] += f"load 'scripts/{each.name}.gpi'\n"
    listed = [(f"scripts/{each.name}.gpi", each) for each in drawn]
    texts["README.md"] = README.format(
        title=escaped(document.title),
        number=plural(len(listed), "picture"),
        charts=charts_listed(document, listed),
    )
    for name, text in texts.items():
        files.create(folder / name, text)
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
