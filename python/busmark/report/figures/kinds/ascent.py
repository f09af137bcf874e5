"""Goodput against the rate that was specified, beside what the network can carry."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.analysis.model import CaseSummary, Paced
from busmark.report.drawing import panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.limits import draw_limits
from busmark.report.figures.sheet import Sheet

Curves = dict[tuple[str, str], list[tuple[CaseSummary, Paced]]]


def ascent(source: Source, kind: Kind) -> Iterator[Drawing]:
    """A curve for each label and topology, over all rates and sizes."""
    cases = [c for c in panels.measured(source.campaign, "throughput") if panels.paced(c)]
    if not panels.is_ascent(cases):
        return
    for keys, members in panels.split(cases, panels.on_links):
        sheet = Sheet(theme.ONE_COLUMN_MM, 62)
        (axes,) = sheet.axes()
        curves: Curves = {}
        for case in members:
            if paced := panels.paced(case):
                curves.setdefault((case.label, panels.topology(case)), []).append((case, paced))
        topologies = list(dict.fromkeys(topology for _, topology in curves))
        for (label, topology), curve in curves.items():
            curve.sort(key=lambda point: point[1].specified_mbit_per_s)
            place = topologies.index(topology)
            style = theme.points(source.label(curve[0][0]))
            style["linestyle"] = list(theme.DASHES.values())[place % len(theme.DASHES)]
            if place % 2:
                style["markerfacecolor"] = "white"
            x = [paced.specified_mbit_per_s for _, paced in curve]
            y = [paced.carried.value for _, paced in curve]
            (drawn,) = axes.plot(x, y, **style)
            sheet.entry(f"{label}, {topology}", drawn)
        every = [paced for curve in curves.values() for _, paced in curve]
        specified = [paced.specified_mbit_per_s for paced in every]
        limits = draw_limits(
            sheet, axes, specified,
            (p.rated_mbit_per_s for p in every), (p.practical_mbit_per_s for p in every),
        )  # fmt: skip
        ax.log_x(axes, "specified, Mbit/s", specified)
        ax.log_y(axes, "goodput, Mbit/s", [*limits, *(p.carried.value for p in every)])
        told = panels.counts_text(
            [p.carried.rounds for p in every], [p.carried.count for p in every]
        )
        told += ". What leaves one sending node: of both directions one, of several readers all."
        yield source.drawing(kind, keys, members, sheet, told)


KINDS = (
    Kind(
        "throughput-ascent", "Goodput against the specified rate",
        f"throughput cases at {panels.FEWEST_RATES} rates or more", ascent,
    ),
)  # fmt: skip
