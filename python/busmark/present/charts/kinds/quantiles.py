"""Quantile plots and distribution functions: the same curves, turned round."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import number, scale_for
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.distributions import SHARE, charts, told, with_floor
from busmark.present.charts.kinds.measures import Measure, middle
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Point

WITHIN = (0.5, 99.5)
"""Per cent between which most values are: the rest would flatten the curves."""

SHORT_TAIL = 1.5
"""Up to this ratio of the slowest sample to where most values end, all are shown."""

PERCENT = Axis(SHARE, ends=(0.0, 100.0))


def _quantiles(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
) -> Picture:
    curves = []
    shown, floor = with_floor(campaign, members, measure)
    for case in shown:
        if shape := measure.shape(case):
            pairs = zip(shape.quantiles.percent, shape.quantiles.value_ns, strict=True)
            points = [Point(percent, value / look.MICRO) for percent, value in pairs]
            curves.append(Curve(case.label, look.label_of(campaign, case), points, marks=False))
    axis, beyond = _values(members, measure)
    return Picture(keys, members, PERCENT, axis, curves, _told(members, measure) + beyond + floor)


def _function(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
) -> Picture:
    """As it was observed, and smoothed by a Gaussian kernel."""
    curves = []
    shown, floor = with_floor(campaign, members, measure)
    for case in shown:
        shape, label = measure.shape(case), look.label_of(campaign, case)
        if not shape:
            continue
        pairs = zip(shape.quantiles.value_ns, shape.quantiles.percent, strict=True)
        points = [Point(value / look.MICRO, percent) for value, percent in pairs]
        curves.append(Curve(case.label, label, points, marks=False, steps=True))
        if not case.is_floor:
            smoothed = zip(shape.smoothed_cdf.at_ns, shape.smoothed_cdf.share, strict=True)
            points = [Point(at / look.MICRO, 100 * share) for at, share in smoothed]
            name = f"{case.label}, smoothed"
            curves.append(Curve(name, label, points, marks=False, thin=True))
    axis, beyond = _values(members, measure)
    return Picture(keys, members, axis, PERCENT, curves, _told(members, measure) + beyond + floor)


def _values(members: Sequence[CaseSummary], measure: Measure) -> tuple[Axis, str]:
    """Logarithmic, of signed values not; and a sentence where it does not reach all samples."""
    title = measure.axis(members)
    shapes = [shape for _, shape in measure.shapes(members)]
    if measure.is_jitter:
        return Axis(title, "signed", middle=middle(shapes, *WITHIN)), ""
    most = max((shape.quantiles.value_ns[-1] for shape in shapes), default=0.0)
    inner = middle(shapes, 0.0, WITHIN[1])
    if not inner or inner[0] <= 0 or most <= inner[1] * look.MICRO * SHORT_TAIL:
        return Axis(title, "log"), ""
    scale = scale_for([most])
    beyond = (
        f" The axis ends at the largest {WITHIN[1]}th percentile; the slowest sample took "
        f"{number(most / scale.factor)} {scale.unit}."
    )
    return Axis(title, "log", middle=inner), beyond


def _told(members: Sequence[CaseSummary], measure: Measure) -> str:
    counts = [shape.count for case in members if (shape := measure.shape(case))]
    return f"{told(members, counts)}.{panels.back_text(members)}"


CHARTS = (
    *charts(
        "quantiles", "quantiles", "quantiles",
        "How long the fastest so many per cent of the samples took at most. A step is a second "
        "kind of sample: a mode. A lost sample is later than any: a curve ends where the lost "
        "begin.", _quantiles,
    ),
    *charts(
        "ecdf", "distribution function", "distribution function",
        "Per cent of the samples that took no longer (the empirical distribution function). Thin: "
        "the same, smoothed by a Gaussian kernel, central 99 %. It ends at the share that came "
        "back.", _function,
    ),
)  # fmt: skip
