"""How alike latencies some samples apart are."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.analysis.model import CaseSummary
from busmark.analysis.series import Autocorrelation
from busmark.report.drawing import panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, sets
from busmark.report.figures.sheet import Sheet


def latency(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Of one round of each case, up to ten in a figure."""
    for found in sets(source.campaign, MEASURES[0], _of):
        sheet = Sheet(theme.ONE_COLUMN_MM, 54)
        (axes,) = sheet.axes()
        counts: list[int] = []
        limits: list[float] = []
        for case in found.members:
            shown = _of(case)
            assert shown  # by the choice of the cases
            (drawn,) = axes.plot(shown.values, **theme.line(source.label(case)))
            sheet.entry(case.label, drawn)
            counts.append(shown.count)
            limits.append(shown.limit)
        axes.axhspan(-max(limits), max(limits), color=theme.GRID, alpha=0.8, linewidth=0)
        ax.linear_x(axes, "lag, samples")
        ax.linear_y(axes, "autocorrelation of RTT/2")
        axes.margins(x=0.01)
        told = f"one round each, of {panels.span_text(counts)} samples. Grey: where 95 % would "
        told += "lie if samples were independent."
        yield source.drawing(kind, found.keys, found.members, sheet, told)


def _of(case: CaseSummary) -> Autocorrelation | None:
    return case.series.autocorrelation if case.series else None


KINDS = (
    Kind(
        "latency-autocorrelation", "Latency: autocorrelation",
        "latency cases whose latency varies", latency,
    ),
)  # fmt: skip
