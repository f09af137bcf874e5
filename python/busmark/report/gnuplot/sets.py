"""Sets: which data files a script plots together, one case or up to ten, and how.

A set is a small script of its own that fills arrays and variables; `scripts` use nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report.drawing import floors, look, panels, ticks
from busmark.report.drawing.charts.quantiles import WITHIN
from busmark.report.drawing.curves import density_points
from busmark.report.drawing.flagged import Findings
from busmark.report.drawing.measures import MEASURES, Measure, Set, middle, sets
from busmark.report.drawing.names import Names, parts_of
from busmark.report.drawing.texts import one_line
from busmark.report.gnuplot import ranges
from busmark.report.gnuplot.gpd import INDEX, Block
from busmark.report.gnuplot.language import array, assign, comment, lines

DASHES = {"solid": 1, "dash": 2, "dot": 3, "dashdot": 4, "longdash": 2, "longdashdot": 5}
MARKS = {
    "circle": 7, "square": 5, "diamond": 13, "triangle-up": 9, "cross": 1, "x": 2,
    "triangle-down": 11, "star": 3, "line-ew-open": 1,
}  # fmt: skip
HOLLOW = MARKS | {"circle": 6, "square": 4, "diamond": 12, "triangle-up": 8, "triangle-down": 10}
"""The page's names as gnuplot's numbers."""

FEW = 500
"""Samples that are drawn larger."""

LONGEST = 44
"""Characters of a title: eleven of them must fit above a plot."""

CHARTS = ("timeline", "quantiles", "ecdf", "histogram", "density", "density-10us", "percentiles")


@dataclass(frozen=True, slots=True)
class PlotSet:
    """One set, and the scripts that can plot it."""

    name: str
    text: str
    charts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataFile:
    """What was written of a case."""

    name: str
    """Without its folder and ending."""
    blocks: list[Block]


def distribution_sets(
    campaign: Campaign, files: Mapping[str, DataFile], names: Names
) -> Iterator[PlotSet]:
    """For each quantity: cases that belong together, and each case alone; `files` by case."""
    findings = Findings(campaign)
    for measure in MEASURES:
        for found in sets(campaign, measure, measure.shape):
            found.members[:] = [c for c in found.members if _block(files.get(c.id), c, measure)]
            if len(found.members) > 1:
                yield _set(campaign, measure, found, files, names, findings)
            for case in found.members:
                alone = Set((*panels.where(case), ("Middleware", case.label)), [case])
                yield _set(campaign, measure, alone, files, names, findings)


def look_arrays(labels: Sequence[Label], titles: Sequence[str]) -> str:
    """Titles, colours, dashes and marks of the curves of a set."""
    return (
        array("titles", [one_line(title, LONGEST) for title in titles])
        + array("colours", [look.colour(label) for label in labels])
        + array("dashes", [DASHES[look.dash(label)] for label in labels])
        + array("marks", [MARKS[look.symbol(label)] for label in labels])
    )


def ends(name: str, low_high: tuple[float, float]) -> str:
    """Two variables."""
    return assign(f"{name}_low", low_high[0]) + assign(f"{name}_high", low_high[1])


def log_ends(
    name: str, log: tuple[float, float] | None, values: Iterable[float | None], flag: str
) -> str:
    """Ends of an axis, whether it is logarithmic (`flag`), and its marks if it has some of its
    own: their number, places and texts."""
    found = log or ranges.linear(values)
    marked = marks(name, ticks.log_ticks(*found) if log else [])
    return assign(flag, int(log is not None)) + ends(name, found) + marked


def marks(name: str, found: Sequence[ticks.Tick]) -> str:
    """Marks of an axis: their number, places and texts."""
    return (
        assign(f"{name}_marks", len(found))
        + array(f"{name}_at", [at for at, _ in found])
        + array(f"{name}_told", [told for _, told in found])
    )


def _block(file: DataFile | None, case: CaseSummary, measure: Measure) -> tuple[int, Block] | None:
    """The round that a timeline shows, and its place in the file: the one of the page's timeline
    if it has what is to be shown, else the first that has."""
    if file is None:
        return None
    fit = [
        (place, block) for place, block in enumerate(file.blocks)
        if not measure.is_jitter or block.jitter
    ]  # fmt: skip
    shown = case.series.timeline.round if case.series and case.series.timeline else None
    return next((found for found in fit if found[1].round == shown), fit[0] if fit else None)


def _set(
    campaign: Campaign, measure: Measure, found: Set, files: Mapping[str, DataFile], names: Names,
    findings: Findings,
) -> PlotSet:  # fmt: skip
    members = found.members
    shapes = [shape for case in members if (shape := measure.shape(case))]
    labels = [look.label_of(campaign, case) for case in members]
    blocks = [b for case in members if (b := _block(files[case.id], case, measure))]
    heading = f"{measure.title}: {panels.described(found.keys)}"
    text = comment(heading)
    text += assign("heading", heading)
    text += assign("counts", found.told([shape.count for shape in shapes]))
    text += assign("back", found.back().strip())
    text += assign("unit", measure.axis(members))
    text += assign("magnitude", measure.magnitude(members))
    text += assign("is_jitter", int(measure.is_jitter))
    text += array("files", [f"data/{files[case.id].name}.gpd" for case in members])
    titles, told = findings.of_cases(members, LONGEST)
    text += lines("findings", told)
    text += look_arrays(labels, titles)
    text += array("blocks", [place for place, _ in blocks])
    # Cases share an axis: where one has no times, all are drawn over the number of the sample.
    last = [block.last_s for _, block in blocks if block.last_s]
    by_number = len(last) < len(blocks)
    if by_number:
        last = [(block.first, block.samples - 1) for _, block in blocks]
    text += assign("by_number", int(by_number))
    text += array("starts", [begin for begin, _ in last])
    text += array("firsts", [block.first for _, block in blocks])
    text += array("shown_rounds", [block.round for _, block in blocks])
    text += assign("stats_file", f"data/{files[members[0].id].name}.stats")
    for name, index in INDEX.items():
        own = measure.is_jitter and name != "samples"
        text += assign(f"index_{name}", index + int(own))
    most = max((block.samples for _, block in blocks), default=0)
    text += assign("point_size", 0.3 if most > FEW else 0.9)
    text += ends("t", ranges.linear([0.0, *(end - begin for begin, end in last)]))
    text += _value_ends(campaign, measure, members)
    boxes = [box for case in members for box in measure.boxes(case)]
    text += ends("round", (-1, max((box.round for box in boxes), default=0) + 1))
    whiskers = [v / look.MICRO for box in boxes for v in (box.drawn("p5_ns"), box.drawn("p95_ns"))]
    text += ends("whisker", ranges.linear(whiskers))
    charts = CHARTS + (("rounds",) if boxes and len(members) == 1 else ())
    name = names.name([measure.name, *parts_of(found.keys, members[0])])
    return PlotSet(name, text, charts)


def _value_ends(campaign: Campaign, measure: Measure, members: Sequence[CaseSummary]) -> str:
    shapes = [shape for case in members if (shape := measure.shape(case))]
    curves = [curve for case in members if (curve := measure.curve(case))]
    floor = panels.floor_of(campaign, members[0])
    at = None
    tails = [[v / look.MICRO for v in curve.value_ns] for curve in curves]
    if floor and floor.rtt_2 and not measure.is_jitter and measure.test == "latency":
        at = floor.rtt_2.median.value / look.MICRO
        at = at if floors.near([at], [v for tail in tails for v in tail]) else None
    text = assign("has_floor", int(at is not None)) + assign("floor_at", at)
    text += assign("floor_title", f"{floor.label}, median" if floor else "")
    values = [[v / look.MICRO for v in shape.quantiles.value_ns] for shape in shapes]
    log = None if measure.is_jitter else ranges.positive(values)
    every = [v for curve in values for v in curve]
    text += log_ends("value", log, every, "is_log")
    inner = middle(shapes, 0.0, WITHIN[1]) if log else None
    log = ranges.logarithmic(inner) if inner else log
    text += log_ends("middle", log, every, "middle_is_log")
    log = ranges.positive([*tails, *([[at]] if at else [])])
    text += log_ends("tail", log, (v for tail in tails for v in tail), "tail_is_log")
    places = [look.at_percent(curve.percent[-1]) for curve in curves]
    text += assign("tail_end", max(places, default=1.0) * 1.02 or 1.0)
    edges = [e / look.MICRO for s in shapes for e in s.histogram.edges_ns]
    text += ends("histogram", ranges.linear(edges))
    for name, fixed in (("density", False), ("density_10us", True)):
        points = [
            p for s in shapes for p in density_points(s.density_10us if fixed else s.density, s)
        ]
        text += ends(name, ranges.linear([x for x, _ in points]))
        text += assign(f"{name}_top", ranges.from_zero([y for _, y in points])[1])
    return text
