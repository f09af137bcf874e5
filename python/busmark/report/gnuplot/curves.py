"""Charts of curves in gnuplot: what `drawing.charts` has as data, as files, sets and scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.report.drawing import look, ticks
from busmark.report.drawing.flagged import Findings
from busmark.report.drawing.names import Names, name_of
from busmark.report.drawing.picture import Axis, Chart, Curve, Picture
from busmark.report.drawing.texts import one_line
from busmark.report.gnuplot import ranges
from busmark.report.gnuplot.language import array, assign, comment, lines, rows
from busmark.report.gnuplot.sets import (
    DASHES,
    HOLLOW,
    LONGEST,
    MARKS,
    PlotSet,
    ends,
    log_ends,
    marks,
)

LINEAR = "linear"


def script_of(chart: Chart) -> str:
    """Plots a set of this chart."""
    return (
        comment(f"{chart.title}. {chart.explanation}")
        + "load 'defaults.gpi'\n"
        + f'if (!exists("chosen")) chosen = default_{chart.key.replace("-", "_")}\n'
        + assign("chart", chart.key)
        + "load 'curves.gpi'\n"
    )


def curve_sets(chart: Chart, folder: Path, campaign: Campaign, names: Names) -> Iterator[PlotSet]:
    """Sets of this chart, linear ones after those with its own axes; `folder` gets its data."""
    parts: list[str] = []
    path = folder / f"{chart.key}.gpd"
    findings = Findings(campaign)
    for each in chart.draw(campaign, chart.cases(campaign)):
        picture, told = findings.on(chart.figures, each.members, each, LONGEST)
        first = len(parts)
        for curve in picture.curves:
            parts.append(_data(len(parts), curve, picture.x))
        for line in picture.references:
            parts.append(comment(f"index {len(parts)}: {line.name}") + rows(line.ends))
        name = name_of(names, chart.key, picture.keys, picture.members)
        for linear in (False, True) if picture.also_linear else (False,):
            text = _set(chart, picture, first, path, linear=linear)
            text += lines("findings", told)
            own = names.name([*name.split("."), LINEAR]) if linear else name
            yield PlotSet(own, text, (chart.key,))
    if parts:
        head = comment(f"{chart.title}; columns: x, value, limits of its 95 % interval")
        path.write_text(head + "\n\n".join(parts), encoding="utf-8")


def _data(index: int, curve: Curve, x: Axis) -> str:
    """A data set; a value without an interval is its own limit."""
    place = look.at_size if x.kind == "sizes" else float
    lines = [
        (place(p.x), p.y, p.y if p.low is None else p.low, p.y if p.high is None else p.high)
        for p in curve.points
    ]
    return comment(f"index {index}: {curve.name}") + rows(lines)


def _set(chart: Chart, picture: Picture, first: int, path: Path, *, linear: bool) -> str:
    text = comment(chart.title) + assign("heading", chart.title)
    text += lines("counts", picture.caption) + assign("back", "")
    text += assign("file", f"data/{path.name}")
    every = list(enumerate(picture.curves, first))
    text += _group("bars", [c for c in every if c[1].marks and c[1].line])
    text += _group("points", [c for c in every if not c[1].line])
    text += _group("lines", [c for c in every if not c[1].marks])
    text += _references(picture, first + len(every))
    sizes = picture.x.kind == "sizes"
    places = picture.sizes() if sizes else picture.places()
    text += assign("has_sizes", int(sizes))
    text += assign("x_title", picture.x.title) + assign("y_title", picture.y.title)
    text += _ends("x", picture.x, places, linear)
    return text + _ends("y", picture.y, picture.reach(), linear)


def _group(name: str, curves: Sequence[tuple[int, Curve]]) -> str:
    """Curves that are drawn alike: where their data are, and their look."""
    labels = [curve.label for _, curve in curves]
    shown = [one_line(c.name, LONGEST) if not c.thin else "" for _, c in curves]
    marks = [(HOLLOW if curve.hollow else MARKS)[look.symbol(curve.label)] for _, curve in curves]
    return (
        assign(name, len(curves))
        + array(f"{name}_at", [index for index, _ in curves])
        + array(f"{name}_titles", shown)
        + array(f"{name}_colours", [look.colour(label) for label in labels])
        + array(f"{name}_dashes", [DASHES[c.dash or look.dash(c.label)] for _, c in curves])
        + array(f"{name}_marks", marks)
        + array(f"{name}_widths", [1 if curve.thin else 2 for _, curve in curves])
    )


def _references(picture: Picture, first: int) -> str:
    every = picture.references
    return (
        assign("references", len(every))
        + array("references_at", [first + n for n in range(len(every))])
        + array("references_titles", [line.name for line in every])
        + array("references_dashes", [DASHES[line.dash] for line in every])
    )


def _ends(name: str, axis: Axis, values: Sequence[float], linear: bool) -> str:
    """Ends of an axis, whether it is logarithmic, and its marks if it has its own."""
    if axis.kind == "sizes":
        return _sizes(name, values, linear)
    if axis.kind == "log" and not linear:
        return log_ends(name, ranges.logarithmic(values), values, f"{name}_is_log")
    from_zero = axis.from_zero or axis.kind != "linear"
    reach = ranges.from_zero(values) if from_zero else ranges.linear(values)
    return assign(f"{name}_is_log", 0) + marks(name, []) + ends(name, reach)


def _sizes(name: str, sizes: Sequence[float], linear: bool) -> str:
    known = [int(size) for size in sizes]
    if linear:
        found, reach = ticks.linear_size_ticks(max(known)), ranges.from_zero(sizes)
    else:
        places = list(map(look.at_size, sizes))
        found, reach = ticks.size_ticks(known), (min(places) / 1.3, max(places) * 1.3)
    return assign(f"{name}_is_log", int(not linear)) + marks(name, found) + ends(name, reach)
