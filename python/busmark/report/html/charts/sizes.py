"""Median latency and goodput against size, with bands for the interval; latency with its line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from busmark.analysis import text
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, SizeFit
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace

Pick = Callable[[CaseSummary], Figure | None]

PER_BYTE = (text.Scale("ns/B", 1.0),)

LOGARITHMIC, LINEAR = "logarithmic", "linear"

MOST_LINES = 4
"""Lines told in a caption; the others are told under the pointer."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is drawn over the size."""

    name: str
    """Of the selector's value; empty where there is only one."""
    pick: Pick
    unit: str
    factor: float = 1.0
    fitted: bool = False


MEDIAN = Measure("latency", lambda c: c.rtt_2.median if c.rtt_2 else None,
                 "median RTT/2, µs", style.MICRO, fitted=True)  # fmt: skip
JITTER = Measure("jitter", lambda c: c.latency.jitter.median if c.latency and c.latency.jitter
                 else None, "median jitter of RTT/2, µs", style.MICRO)  # fmt: skip
GOODPUT = Measure("", lambda c: c.goodput, "goodput, Mbit/s")


def latency(campaign: Campaign) -> Chart | None:
    """Median RTT/2, and the median of its jitter, against size."""
    return _chart(
        campaign, "latency", "latency-size", "Latency against size",
        "Median RTT/2 over the size of the body; a band is the interval of the median. Thin: "
        "overhead + slope · size, fitted robustly where there are three sizes or more. Jitter is "
        "the magnitude of the change from a sample to the next.",
        (MEDIAN, JITTER),
    )  # fmt: skip


def goodput(campaign: Campaign) -> Chart | None:
    """Goodput against size."""
    return _chart(
        campaign, "throughput", "goodput-size", "Goodput against size",
        "Mbit/s of bodies at the reader over the size of the body; a band is the interval.",
        (GOODPUT,),
    )  # fmt: skip


def _chart(
    campaign: Campaign, test: str, name: str, title: str, explanation: str,
    measures: Sequence[Measure],
) -> Chart | None:  # fmt: skip
    drawn: list[Panel] = []
    for measure in measures:
        cases = [c for c in chart.measured(campaign, test) if measure.pick(c)]
        cases = [c for c in cases if c.size is not None]
        if len({case.size for case in cases}) < 2:
            continue
        for axes in (LOGARITHMIC, LINEAR):
            drawn += _panels(campaign, cases, measure, axes)
    return Chart(name, title, explanation, drawn) if drawn else None


def _panels(
    campaign: Campaign, cases: Sequence[CaseSummary], measure: Measure, axes: str
) -> list[Panel]:
    def key(case: CaseSummary) -> Keys:
        of = (("Of", measure.name),) if measure.name else ()
        return (*of, ("Axes", axes), *chart.where(case, size=False))

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return _panel(campaign, keys, members, measure, axes == LOGARITHMIC)

    return chart.panels(cases, key, draw)


def _panel(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure,
    logarithmic: bool,
) -> Panel:  # fmt: skip
    pick, unit, factor = measure.pick, measure.unit, measure.factor
    named = dict.fromkeys(case.floor.case for case in members if case.floor)
    floors = [floor for name in named if pick(floor := campaign.case(name))]
    shown = [*members, *floors]
    values = [g.value / factor for c in shown if (g := pick(c))]
    bottom = min((v for v in values if v > 0), default=1.0) / 2 if logarithmic else 0.0
    traces: list[Trace] = []
    for label in dict.fromkeys(case.label for case in shown):
        curve = [c for c in shown if c.label == label]
        traces += _curve(campaign, curve, pick, factor, bottom, logarithmic)
    fits = _fits(campaign, members) if measure.fitted else []
    traces += [_line(campaign, fit, logarithmic) for fit in fits]
    figures = [f for c in members if (f := pick(c))]
    told = chart.counts_text([f.rounds for f in figures], [f.count for f in figures])
    plain = tuple((n, v) for n, v in keys if n not in ("Axes", "Of"))
    size_axis = style.size_axis if logarithmic else style.linear_size_axis
    layout = {
        "xaxis": size_axis([c.size for c in shown if c.size is not None]),
        "yaxis": style.log_axis(unit, values)
        if logarithmic
        else style.axis(unit, rangemode="tozero", separatethousands=True),
    }
    return Panel(keys, traces, layout, f"{chart.described(plain)}: {told}.{_told(fits)}")


def _fits(campaign: Campaign, members: Sequence[CaseSummary]) -> list[SizeFit]:
    here = {case.id for case in members}
    return [fit for fit in campaign.fits if set(fit.cases) <= here]


def _told(fits: Sequence[SizeFit]) -> str:
    """The lines in words, as many as there is room for."""
    parts = [f"{fit.label} {_formula(fit)}" for fit in fits[:MOST_LINES]]
    if len(fits) > MOST_LINES:
        parts.append("the others: point at their lines")
    return f" Lines: {'; '.join(parts)}." if parts else ""


def _formula(fit: SizeFit) -> str:
    return (
        f"{text.figure_text(fit.overhead)} + {text.figure_text(fit.slope, PER_BYTE)} "
        f"(sizes depart from it by {text.percent_text(fit.departure)})"
    )


def _line(campaign: Campaign, fit: SizeFit, logarithmic: bool) -> Trace:
    label = style.label_of(campaign, campaign.case(fit.cases[0]))
    at = [style.at_size(size) if logarithmic else size for size in fit.at_bytes]
    return {
        "x": at,
        "y": style.micro(fit.value_ns),
        "name": f"{label.text}, line",
        "legendgroup": label.text,
        "showlegend": False,
        "mode": "lines",
        "line": {"color": style.colour(label), "width": 1},
        "hovertemplate": f"{_formula(fit)}<extra>{label.text}</extra>",
    }


def _curve(
    campaign: Campaign, cases: Sequence[CaseSummary], pick: Pick, factor: float, bottom: float,
    logarithmic: bool,
) -> list[Trace]:  # fmt: skip
    """Band and line of one label; a band that reaches below `bottom` is cut there."""
    known = [(c.size, f) for c in cases if (f := pick(c)) and c.size is not None]
    ordered = sorted(known, key=lambda item: item[0])
    label = style.label_of(campaign, cases[0])
    x: list[float] = [style.at_size(s) if logarithmic else s for s, _ in ordered]
    low = [style.short((f.value if f.low is None else f.low) / factor) for _, f in ordered]
    high = [style.short((f.value if f.high is None else f.high) / factor) for _, f in ordered]
    curve: Trace = {
        "x": x,
        "y": [style.short(f.value / factor) for _, f in ordered],
        "name": label.text,
        "legendgroup": label.text,
        "mode": "lines+markers",
        "line": style.line(label),
        "marker": style.marker(label),
        "customdata": list(map(list, zip(low, high, strict=True))),
        "hovertemplate": "%{y:.4~g} [%{customdata[0]:.4~g}, %{customdata[1]:.4~g}]",
    }
    if cases[0].is_floor:
        return [curve]
    return [style.band(label, x, [max(v, style.short(bottom)) for v in low], high), curve]
