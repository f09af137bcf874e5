"""How alike latencies some samples apart are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.case.series import Autocorrelation
from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, Reference

LIMITS = "where 95 % would lie if samples were independent"


def _of(case: CaseSummary) -> Autocorrelation | None:
    return case.series.autocorrelation if case.series else None


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """One round of each case."""
    for keys, members in panels.split(cases, panels.where):
        known = [(case, found) for case in members if (found := _of(case))]
        curves = [
            Curve(
                case.label, look.label_of(campaign, case),
                [Point(lag, value) for lag, value in enumerate(found.values)], marks=False,
            )
            for case, found in known
        ]  # fmt: skip
        limit = max(found.limit for _, found in known)
        last = max(len(found.values) for _, found in known) - 1
        counts = panels.span_text([found.count for _, found in known])
        yield Picture(
            keys, members, Axis("lag, samples"), Axis("autocorrelation of RTT/2"), curves,
            f"one round each, of {counts} samples. Grey: {LIMITS}.",
            [
                Reference(name, "dash", ((0.0, at), (last, at)))
                for name, at in ((LIMITS, limit), ("", -limit))
            ],
        )  # fmt: skip


CHART = ChartKind(
    "latency-autocorrelation", "Latency: autocorrelation", "latency",
    "Correlation of the latencies of two samples, by their distance. Values outside the grey "
    "lines are not chance: neighbours carry less information than independent samples.",
    "latency cases whose latency varies", _of, _draw, of_series=True,
)  # fmt: skip
