"""Median of every round beside the estimate: how much rounds differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import figure_text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Bars, Part, bar


def _medians(case: CaseSummary) -> object:
    return case.rtt_2 and case.series and case.series.medians


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Bars]:
    """A row for each case: the estimate with its interval, below it the rounds."""
    for keys, members in panels.split(cases, panels.where):
        rows = []
        for case in members:
            found = case.series.medians if case.series else None
            assert case.rtt_2 and found  # by the choice of the cases
            parts = [
                Part(value / look.MICRO, f"round {number}")
                for number, value in zip(found.rounds, found.values, strict=True)
            ]
            median, label = case.rtt_2.median, look.label_of(campaign, case)
            rows.append(
                bar(label, median, look.MICRO, note=f"{figure_text(median)}, estimate", parts=parts)
            )
        halves = [c.rtt_2 for c in members if c.rtt_2]
        told = panels.counts_text([h.median.rounds for h in halves], [h.count for h in halves])
        told += "."
        floor = panels.floor_of(campaign, members[0])
        if floor and floor.rtt_2:
            told += f" Not drawn: {floor.label}, {figure_text(floor.rtt_2.median)}."
        bounded = any(row.low is not None for row in rows)
        yield Bars(
            keys, members, Axis("median RTT/2, µs", "log"), rows, told,
            value="estimate and 95 % interval" if bounded else "estimate",
            part="median of one round",
        )  # fmt: skip


CHART = ChartKind(
    "latency-medians", "Medians, round by round", "latency",
    "Hollow circles: the median RTT/2 of each round. Mark and line above them: the median of a "
    "typical round and its interval. Where intervals are apart, the difference is larger than "
    "round-to-round variation.",
    "latency cases with a counted round", _medians, _draw, of_series=True,
    figures=("median", "latency", "rounds"), shape=Bars,
)  # fmt: skip
