"""Histograms: equal bins between the 5th and 95th percentiles, or equal ratios over everything."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.shapes import Histogram, Shape
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import Keys, Panel, Trace
from busmark.report.html.charts.subject import Subject, caption, floor_line, with_floor

FILLED = 3
"""Cases up to which outlines are filled: more would hide each other."""


class Middle:
    """25 bins of equal width between the 5th and the 95th percentile of each case."""

    NAME = "histogram"
    EXPLANATION = (
        "25 bins between the 5th and the 95th percentile of each case. What lies beyond them is "
        "in none; the histogram of everything has it."
    )

    @classmethod
    def panel(
        cls, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
    ) -> Panel:
        """An outline for each case; the floor as a line."""
        traces = [
            trace
            for case in members
            if (shape := subject.shape(case))
            and (trace := _outline(campaign, case, shape, shape.histogram, len(members)))
        ]
        tops = [v for trace in traces for v in trace["y"]]
        floor, told = floor_line(campaign, members[0], max(tops, default=1.0), subject)
        layout = {
            "xaxis": subject.linear_axis(members),
            "yaxis": style.axis("percent of the samples in a bin", rangemode="tozero"),
        }
        shown = caption(keys, members, subject, told)
        return Panel(keys, [*traces, *floor], layout, shown, cls.EXPLANATION)


class Everything:
    """Bins of equal ratio from the smallest value to the largest."""

    NAME = "histogram of everything"
    EXPLANATION = (
        "25 bins of equal ratio from the smallest sample of each case to the largest, on a "
        "logarithmic axis: one sample in a million is still seen. Of jitter: its magnitude."
    )

    @classmethod
    def panel(
        cls, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
    ) -> Panel:
        """An outline for each case, and the floor's."""
        traces = [
            trace
            for case in with_floor(campaign, members)
            if (shape := subject.shape(case))
            and shape.log_histogram
            and (trace := _outline(campaign, case, shape, shape.log_histogram, FILLED + 1))
        ]
        for trace in traces:
            # A logarithmic axis has no place for an empty bin.
            trace["y"] = [v or None for v in trace["y"]]
        title = ("magnitude of the " if subject.signed else "") + subject.axis(members)
        heights = [v for trace in traces for v in trace["y"] if v]
        layout = {
            "xaxis": style.log_axis(title, [v for trace in traces for v in trace["x"]]),
            "yaxis": style.log_axis("percent of the samples in a bin", heights),
        }
        return Panel(keys, traces, layout, caption(keys, members, subject), cls.EXPLANATION)


def _outline(
    campaign: Campaign, case: CaseSummary, shape: Shape, histogram: Histogram, cases: int
) -> Trace | None:
    """Steps along the bins, in per cent of all samples."""
    label = style.label_of(campaign, case)
    heights = [style.short(100 * n / shape.count) for n in histogram.counts]
    trace: Trace = {
        "x": style.micro(histogram.edges_ns),
        "y": [*heights, heights[-1]],
        "name": label.text,
        "mode": "lines",
        "line": style.line(label) | {"shape": "hv"},
        "customdata": [*histogram.counts, histogram.counts[-1]],
        "hovertemplate": "%{customdata:,} samples (%{y:.3~g} %) from %{x:.4~g} µs",
    }
    if cases <= FILLED:
        trace |= {"fill": "tozeroy", "fillcolor": style.pale(label, 0.25)}
    return trace
