"""Percentile plots: how latency, or the magnitude of jitter, grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure, sets
from busmark.report.figures.sheet import Sheet


def kind_of(measure: Measure) -> Kind:
    """Percentiles of one quantity."""

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, measure.curve):
            sheet = Sheet(theme.ONE_COLUMN_MM, 58)
            (axes,) = sheet.axes()
            floor = panels.floor_of(source.campaign, found.members[0])
            values: list[float] = []
            counts: list[int | None] = []
            end = 1.0
            for case in [*found.members, floor] if floor else found.members:
                curve = measure.curve(case)
                if not curve:
                    continue
                x = [look.at_percent(p) for p in curve.percent]
                y = [v / look.MICRO for v in curve.value_ns]
                (drawn,) = axes.plot(x, y, **theme.curve(source.label(case), len(x)))
                sheet.entry(case.label, drawn)
                values += y
                end = max(end, x[-1])
                if case is not floor and curve.count is not None:
                    counts.append(curve.count)
            ax.percentiles_x(axes, end)
            ax.log_y(axes, measure.magnitude, values)
            told = f"{found.told(counts)}, all counted rounds together"
            if all(measure.shape(case) for case in found.members):
                told += "; the last points rest on one sample each"
            told += f".{panels.floor_note(found.members[0])}"
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    title = f"{measure.title}: percentiles, to the tail"
    return Kind(f"{measure.name}-percentiles", title, measure.needs, draw)


KINDS = tuple(map(kind_of, MEASURES))
