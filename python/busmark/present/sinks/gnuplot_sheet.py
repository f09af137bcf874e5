"""A figure of gnuplot: its data sets, its panels with axes and curves, and the script of both.

A sheet has a title, a legend, one panel or several, and a caption, each in a strip of its own, so
that no text covers a curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import asinh, ceil, floor, log10
from textwrap import wrap

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import Axis, Curve, OnAxes, Reference, one_line
from busmark.present.plotted import Rows, comment, number, quoted, rows

STYLE = r"""# What every script begins with: the file, the look, and the functions of axes.
# ending: png or svg; window: the terminal of gnuplot itself, with gnuplot -p.
reset
if (!exists("ending")) ending = 'png'
if (ending eq 'svg') set terminal svg size wide,high font 'DejaVu Sans,12' background 'white'
if (ending eq 'png' && strstrt(GPVAL_TERMINALS, 'pngcairo')) set terminal pngcairo \
    size 2*wide,2*high font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 dashlength 0.5
if (ending eq 'png' && !strstrt(GPVAL_TERMINALS, 'pngcairo')) set terminal png size wide,high
set termoption noenhanced
set encoding utf8
if (ending ne 'window') set output 'images/'.name.'.'.ending
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6 font ',11'
set grid lc rgb '#DDDDDD' lt 1
set style fill solid noborder
set clip two
# A size of 0 has no logarithm; a percentile stands at -log10 of the share beyond it.
size(x) = x > 0 ? x : 0.5
rarity(percent) = -log10(1 - percent / 100.)
# The limit in a column, as far as the axis reaches; an empty bin reaches down to its begin.
limit(n) = column(n) < bottom ? bottom : column(n) > top ? top : column(n)
bin(n) = valid(n) ? column(n) : bottom
"""
"""`style.gpi`."""

WIDE, WIDER = 760, 1000
"""Width of a sheet with one panel, and with several side by side, in pixels of SVG."""

BOLD, CHARACTER, SMALL = 8.6, 6.5, 5.3
"""Width of a character of a title, of a legend or tick, and of a caption."""

LINE = 13
"""Height of a line of a caption."""

DASHES = {"solid": 1, "dash": 2, "dot": 3, "dashdot": 4, "longdash": 2, "longdashdot": 5}
MARKS = {
    "circle": 7, "square": 5, "diamond": 13, "triangle-up": 9, "cross": 1, "x": 2,
    "triangle-down": 11, "star": 3, "line-ew-open": 1,
}  # fmt: skip
HOLLOW = {"circle": 6, "square": 4, "diamond": 12, "triangle-up": 8, "triangle-down": 10}
"""The page's names as gnuplot's numbers; crosses and stars, which cannot be hollow, become
pentagons."""

LONGEST = 100
"""Characters of the name of a curve."""

FEW = 500
"""Dots that are drawn larger."""

LIMITS = "(limit(3)):(limit(4))"

GREY = f"lc rgb '{look.GREY}'"


@dataclass
class Scale:
    """One axis of a panel: its ends and ticks where they are drawn; `place` is the expression that
    puts a value there."""

    title: str
    low: float
    high: float
    marks: Sequence[ticks.Tick]
    log: bool = False
    place: str = "{}"

    def of(self, column: str) -> str:
        """Return what is written after `using` for a column."""
        return f"({self.place.format(column)})"

    def commands(self, name: str, title: str, *, turned: bool) -> str:
        """Return what sets the axis `name`."""
        # In a tick, gnuplot expands formats.
        marks = ", ".join(f"{quoted(*text.replace('%', '%%').splitlines())} ({number(at)})"
                          for at, text in self.marks)  # fmt: skip
        return (
            (f"set logscale {name}\n" if self.log else "")
            + f"set {name}range [{number(self.low)}:{number(self.high)}]\n"
            + f"set {name}tics {'rotate by -35' if turned else 'norotate'} ({marks})\n"
            + (f"set {name}label {title}\n" if self.title else "")
        )


def scale(axis: Axis, values: Sequence[float], *, linear: bool = False) -> Scale:
    """Return the axis that reaches `values`; `linear`: a linear one, whatever its kind."""
    if axis.kind == "sizes":
        sizes = [int(value) for value in values]
        places, top = list(map(look.at_size, sizes)), max(sizes)
        if linear:
            marks = ticks.linear_size_ticks(top)
            return Scale(axis.title, -0.02 * top, 1.05 * top or 1.0, marks)
        ends = min(places) / 1.3, max(places) * 1.3
        return Scale(axis.title, *ends, ticks.size_ticks(sizes), log=True, place="size({})")
    if axis.kind == "percent":
        high = max([1.0, *map(look.at_percent, values)]) * 1.02
        marks = [(look.at_percent(p), f"{p:.10g}") for p in look.PERCENT_TICKS]
        return Scale(axis.title, 0.0, high, [m for m in marks if m[0] <= high], place="rarity({})")
    magnitudes = sorted(abs(value) for value in values if value)
    if axis.kind == "signed" and magnitudes:
        first = floor(log10(magnitudes[len(magnitudes) // 2]))
        last = max(ceil(log10(magnitudes[-1])), first + 1)
        powers = range(last, first - 1, -ceil((last - first + 1) / 4))
        marks = [(sign * asinh(10.0 ** (power - first)), ticks.plain(sign * 10.0**power))
                 for sign in (-1, 1) for power in powers]  # fmt: skip
        high = asinh(1.3 * 10.0 ** (last - first))
        return Scale(axis.title, -high, high, [*marks, (0.0, "0")], place=f"asinh({{}}/1e{first})")
    logarithmic = axis.kind == "log" and not linear and ticks.log_ends(values)
    if logarithmic:
        low, high = axis.ends or logarithmic
        return Scale(axis.title, low, high, ticks.log_ticks(low, high), log=True)
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    from_zero = axis.from_zero or axis.kind == "log"
    low, high = axis.ends or ((0.0, high * 1.06 or 1.0) if from_zero else (low - room, high + room))
    return Scale(axis.title, low, high, even(low, high))


def even(low: float, high: float) -> list[ticks.Tick]:
    """Return the ticks of a linear axis."""
    return [(at, ticks.plain(at)) for at in ticks.even(low, high, ticks.ENOUGH)]


@dataclass
class Panel:
    """One plot of a sheet."""

    x: Scale
    y: Scale
    plots: list[str] = field(default_factory=list)
    """What is plotted of the file, without its name."""
    commands: list[str] = field(default_factory=list)
    """Further ones."""
    heading: str = ""
    right: int = 14
    """Pixels beside it."""
    across: bool = False
    """Whether x is the axis of values."""

    @property
    def values(self) -> Scale:
        """The axis of values."""
        return self.x if self.across else self.y

    def beyond(self, at: float, *limits: float | None) -> None:
        """Add an arrow at each edge beyond which a value or a limit of it is."""
        known = [limit for limit in limits if limit is not None]
        for outside, begin, end in (
            (min(known) < self.values.low, 0.05, 0), (max(known) > self.values.high, 0.95, 1),
        ):  # fmt: skip
            if outside:
                ends = [f"graph {place}, first {number(at)}" if self.across else
                        f"first {number(at)}, graph {place}" for place in (begin, end)]  # fmt: skip
                self.commands.append(
                    f"set arrow from {ends[0]} to {ends[1]} front lc rgb '#222222'"
                )


@dataclass
class Sheet:
    """One figure: the data sets of its file, and its panels."""

    high: int
    """Pixels of a panel with its axes."""
    wide: int = WIDE
    columns: int = 1
    sets: list[str] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    legend: dict[str, str] = field(default_factory=dict)
    """How an entry looks, by its text."""

    def add(self, name: str, lines: Rows, columns: str = "x, value, low, high") -> str:
        """Add a data set; return how a plot of it begins."""
        index = len(self.sets)
        self.sets.append(comment(f"index {index}: {name}; {columns}", 400) + rows(lines))
        return f"index {index} using"

    def reference(self, line: Reference, panel: Panel) -> None:
        """Add a line to compare with."""
        look_of = f"lines lw 1.5 {GREY} dt {DASHES[line.dash]}"
        data = self.add(line.name or "the line that goes with it", line.ends, "x, y")
        panel.plots.append(f"{data} {panel.x.of('$1')}:{panel.y.of('$2')} with {look_of}")
        if line.name:
            self.legend[line.name] = look_of

    def curves(self, drawn: OnAxes, *, linear: bool = False, data: Sequence[str] = ()) -> Panel:
        """Add a panel; `data`: where its curves are, if they are in the file already."""
        reach = drawn.reach()
        if drawn.y.kind == "log" and not linear:
            # A logarithmic axis has room for whole intervals.
            ends = [end for c in drawn.curves for p in c.points for end in (p.low, p.high)]
            reach = [*(drawn.y.middle or drawn.values()), *(end for end in ends if end is not None)]
        stacked = [p for curve in drawn.curves if curve.stacked for p in curve.points]
        tops = [sum(p.y for p in stacked if p.x == at) for at in {p.x for p in stacked}]
        places = drawn.sizes() if drawn.x.kind == "sizes" else drawn.x.middle or drawn.places()
        x = scale(drawn.x, places, linear=linear)
        y = scale(drawn.y, [*reach, *tops], linear=linear)
        panel, entries = Panel(x, y), dict[str, str]()
        known = list(zip(drawn.curves, data or self.data(drawn.curves), strict=True))
        # The null adapter lies behind all others; the lowest of stacked areas is drawn last.
        areas = [each for each in reversed(known) if each[0].stacked]
        lines = [each for each in known if not each[0].stacked]
        for curve, index in (*areas, *sorted(lines, key=lambda e: not look.is_null(e[0].label))):
            entries[curve.name] = self._curve(panel, curve, index)
        for curve in drawn.curves:
            if curve.name and not curve.thin:
                self.legend.setdefault(one_line(curve.name, LONGEST), entries[curve.name])
        for line in drawn.references:
            self.reference(line, panel)
        self.panels.append(panel)
        return panel

    def data(self, curves: Iterable[Curve]) -> list[str]:
        """Add the points of curves; return how a plot of each begins."""
        found, heights = [], dict[float, float]()
        for curve in curves:
            columns, lines = (
                "x, value, low, high",
                [(p.x, p.y, p.low, p.high) for p in curve.points],
            )
            if curve.stacked:
                columns = "x, value, bottom and top of the area"
                bottom = [heights.get(p.x, 0.0) for p in curve.points]
                lines = [(p.x, p.y, b, b + p.y) for p, b in zip(curve.points, bottom, strict=True)]
                heights |= {x: top for x, _, _, top in lines if top is not None}
            found.append(self.add(curve.name or curve.label.text, lines, columns))
        return found

    def _curve(self, panel: Panel, curve: Curve, data: str) -> str:
        """Add the plots of a curve; return how it looks in the legend."""
        x, y = panel.x, panel.y
        colour = f"lc rgb '{look.colour(curve.label)}'"
        line = f"dt {DASHES[curve.dash or look.dash(curve.label)]} lw {1 if curve.thin else 2}"
        symbol = look.symbol(curve.label)
        mark = f"pt {HOLLOW.get(symbol, 14) if curve.hollow else MARKS[symbol]} ps 0.9"
        begin = f"{data} {x.of('$1')}"
        entry = ""
        if curve.fill:
            solid = f"fs {'' if curve.stacked else 'transparent '}solid {curve.fill:g} noborder"
            kind = "fillsteps" if curve.steps else "filledcurves y1=0"
            panel.plots.append(f"{begin}:{4 if curve.stacked else 2} with {kind} {solid} {colour}")
            entry = f"boxes {solid} {colour}"
        if any(p.low is not None for p in curve.points):
            panel.plots.append(f"{begin}:2:{LIMITS} with yerrorbars ps 0 {colour}")
        marked = not curve.dots and (curve.marks or len(curve.points) == 1)
        if marked:
            for p in curve.points:
                at = look.at_size(p.x) if x.place.startswith("size") else p.x
                panel.beyond(at, p.y, p.low, p.high)
        if not curve.stacked:
            if curve.dots:
                entry = f"points {colour} pt 7 ps {0.2 if len(curve.points) > FEW else 0.5}"
            elif curve.line:
                entry = (
                    f"linespoints {colour} {line} {mark}" if marked else f"lines {colour} {line}"
                )
            else:
                entry = f"points {colour} lw 2 {mark}"
            kind = entry.replace("lines ", "steps ", 1) if curve.steps else entry
            value = y.of("bin(2)" if curve.steps else "$2")
            panel.plots.append(f"{begin}:{value} with {kind}")
        return entry

    def script(self, name: str, title: str, explanation: str, notes: Sequence[str]) -> str:
        """Return the script; `notes` are paragraphs below the panels."""
        heading = wrap(one_line(title, 300), int(self.wide / BOLD))
        caption = [line for n in notes for line in wrap(one_line(n, 3000), int(self.wide / SMALL))]
        entry = max(map(len, self.legend), default=0) * CHARACTER + 50
        in_line = max(1, int(self.wide / entry))
        legend_top = 8 + 18 * len(heading)
        top = legend_top + 15 * ceil(len(self.legend) / in_line) + 6
        below = top + self.high * ceil(len(self.panels) / self.columns)
        high = below + LINE * len(caption) + 10
        text = comment(f"{title}. {explanation}") + f"name = {quoted(name)}\n"
        text += f"file = 'data/'.name.'.gpd'\nwide = {self.wide}\nhigh = {high}\nload 'style.gpi'\n"
        text += f"set label 1 {quoted(*heading)} at screen 0.01, screen {1 - 14 / high:.4f} "
        text += "font 'DejaVu Sans Bold,13'\n"
        text += (
            f"set label 2 {quoted(*caption)} at screen 0.01, screen {1 - (below + 8) / high:.4f} "
        )
        text += "font ',10' textcolor rgb '#555555'\n"
        text += f"set key at screen 0.01, screen {1 - legend_top / high:.4f} left top Left reverse "
        text += f"samplen 3 font ',11' maxrows {ceil(len(self.legend) / in_line) or 1}\n"
        text += "set multiplot\n" if len(self.panels) > 1 else ""
        # All panels begin at the same distance: the longest tick decides.
        marks = [t for p in self.panels for _, mark in p.y.marks for t in mark.splitlines()]
        left = 32 + max(map(len, marks), default=0) * CHARACTER
        entries = [f"keyentry with {of} title {quoted(e)}" for e, of in self.legend.items()]
        for place, panel in enumerate(self.panels):
            row, column = divmod(place, self.columns)
            corner = column * self.wide / self.columns, top + row * self.high
            text += "unset label; unset arrow; unset logscale; unset xlabel\n" if place else ""
            text += self._panel(panel, corner, high, left, [] if place else entries)
        return text + ("unset multiplot\n" if len(self.panels) > 1 else "") + "unset output\n"

    def _panel(self, panel: Panel, corner: tuple[float, float], high: int, left: float,
               entries: Sequence[str]) -> str:  # fmt: skip
        """Return the commands of one panel, whose margins have room for its texts."""
        x, y = panel.x, panel.y
        heading = wrap(one_line(panel.heading, 200), int(self.wide / self.columns / CHARACTER))
        names = max((len(mark) for _, mark in x.marks), default=0) * CHARACTER
        turned = names * len(x.marks) > 0.8 * self.wide / self.columns
        below = 14 + (0.6 * names + 6 if turned else 15) + (22 if x.title else 0)
        title = wrap(y.title, max(12, int((self.high - below) / CHARACTER)))
        begin, top = corner
        left += 18 * len(title) if y.title else 0
        sides = (
            (begin + left) / self.wide,
            (begin + self.wide / self.columns - panel.right) / self.wide,
        )
        ends = 1 - (top + self.high - below) / high, 1 - (top + 8 + 16 * len(heading)) / high
        text = "; ".join(f"set {side}margin at screen {at:.4f}" for side, at in
                         zip("lrbt", (*sides, *ends), strict=True))  # fmt: skip
        text += f"\nbottom = {number(panel.values.low)}; top = {number(panel.values.high)}\n"
        text += f"set title {quoted(*heading)} font ',11'\n" if heading else ""
        text += x.commands("x", f"{quoted(x.title)} offset 0,0.4", turned=turned)
        text += y.commands("y", quoted(*title), turned=False)
        text += "".join(f"{command}\n" for command in panel.commands)
        plots = [f"file {plot} notitle" for plot in panel.plots]
        return f"{text}plot " + ", \\\n    ".join((*plots, *entries)) + "\n"
