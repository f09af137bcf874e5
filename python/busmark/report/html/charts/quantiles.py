"""Quantile plot and distribution function: the same curve, turned round."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Keys, Panel, Trace
from busmark.report.html.charts.subject import Subject, caption, with_floor

WITHIN = (0.5, 99.5)
"""Per cent between which an axis of signed values opens: the extremes would flatten the rest."""


class Quantiles:
    """Value against per cent of the samples."""

    NAME = "quantiles"
    EXPLANATION = (
        "How long the fastest so many per cent of the samples took at most. A step is a second "
        "kind of sample: a mode."
    )
    turned = False

    @classmethod
    def panel(
        cls, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
    ) -> Panel:
        """One curve for each case, and the floor's."""
        shown = with_floor(campaign, members)
        traces = [t for case in shown for t in _curves(campaign, case, subject, cls.turned)]
        values = [v for trace in traces for v in trace["x" if cls.turned else "y"]]
        of_values = subject.value_axis(members, values) | _opened(members, subject)
        per_cent = style.axis("percent of the samples", range=[-1, 101], dtick=10)
        layout = {
            "xaxis": of_values if cls.turned else per_cent,
            "yaxis": per_cent if cls.turned else of_values,
        }
        told = chart.floor_note(members[0])
        if subject.signed:
            told += " The axis opens on the middle 99 %; a double click shows all."
        return Panel(keys, traces, layout, caption(keys, members, subject, told), cls.EXPLANATION)


class DistributionFunction(Quantiles):
    """Per cent of the samples against the value, and its smoothed version."""

    NAME = "distribution function"
    EXPLANATION = (
        "Per cent of the samples that took no longer (the empirical distribution function). "
        "Thin: the same, smoothed by a Gaussian kernel."
    )
    turned = True


def _curves(campaign: Campaign, case: CaseSummary, subject: Subject, turned: bool) -> list[Trace]:
    shape = subject.shape(case)
    if not shape:
        return []
    label = style.label_of(campaign, case)
    values, percent = style.micro(shape.quantiles.value_ns), shape.quantiles.percent
    look: Trace = {"mode": "lines", "name": label.text, "legendgroup": label.text}
    if not turned:
        curve = look | {"x": percent, "y": values, "line": style.line(label)}
        return [curve | {"hovertemplate": "%{y:.4~g} µs at %{x:.4~g} %"}]
    smoothed = {
        "x": style.micro(shape.smoothed_cdf.at_ns),
        "y": [style.short(100 * share) for share in shape.smoothed_cdf.share],
        "line": {"color": style.colour(label), "width": 1},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    curve = look | {"x": values, "y": percent, "line": style.line(label) | {"shape": "hv"}}
    curve |= {"hovertemplate": "%{y:.4~g} % within %{x:.4~g} µs"}
    return [curve] if case.is_floor else [curve, look | smoothed]


def _opened(members: Sequence[CaseSummary], subject: Subject) -> dict[str, object]:
    """The part of a linear axis that is shown at first."""
    if not subject.signed:
        return {}
    low, high = WITHIN
    inner = [
        v
        for case in members
        if (shape := subject.shape(case))
        for p, v in zip(shape.quantiles.percent, shape.quantiles.value_ns, strict=True)
        if low <= p <= high
    ]
    return {"range": [v / style.MICRO for v in (min(inner), max(inner))]} if inner else {}
