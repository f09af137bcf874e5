"""Heat map: one figure of every label at every size, to find in a big campaign what stands out."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from busmark.analysis import text
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel

FEWEST_ROWS, FEWEST_COLUMNS = 2, 3
"""A table says less than that better."""

MOST_TEXTS = 200
"""Fields up to which each has its figure written in it."""

ROW_HEIGHT = 30


def latency(campaign: Campaign) -> Chart | None:
    """Median RTT/2."""
    return _chart(campaign, "latency", "median RTT/2")


def goodput(campaign: Campaign) -> Chart | None:
    """Goodput."""
    return _chart(campaign, "throughput", "goodput")


def _chart(campaign: Campaign, test: str, what: str) -> Chart | None:
    cases = [c for c in chart.measured(campaign, test) if _figure(c) and c.size is not None]
    labels = {case.label for case in cases}
    if len(labels) < FEWEST_ROWS or len({case.size for case in cases}) < FEWEST_COLUMNS:
        return None

    def key(case: CaseSummary) -> Keys:
        return chart.where(case, size=False)

    by_key: dict[Keys, list[CaseSummary]] = {}
    for case in cases:
        by_key.setdefault(key(case), []).append(case)
    drawn = [_panel(keys, members, what) for keys, members in by_key.items()]
    rows = max(len({case.label for case in members}) for members in by_key.values())
    return Chart(
        f"{test}-heat",
        f"{what[:1].upper()}{what[1:]}, all at once",
        "Each field is a case; the colour goes with the logarithm. Empty: not measured.",
        drawn,
        height=max(240, 120 + ROW_HEIGHT * rows),
    )


def _figure(case: CaseSummary) -> Figure | None:
    if case.test == "latency":
        return case.rtt_2.median if case.rtt_2 else None
    return case.goodput


def _panel(keys: Keys, members: Sequence[CaseSummary], what: str) -> Panel:
    sizes = sorted({case.size for case in members if case.size is not None})
    labels = sorted({case.label for case in members})
    scales = text.TIME if members[0].test == "latency" else text.MBIT
    known = {(case.label, case.size): figure for case in members if (figure := _figure(case))}
    fields = [[known.get((label, size)) for size in sizes] for label in labels]
    written = len(sizes) * len(labels) <= MOST_TEXTS
    values = [f.value for f in known.values() if f.value > 0]
    trace = {
        "type": "heatmap",
        "x": [text.size_text(size) for size in sizes],
        "y": labels,
        "z": [
            [style.short(log10(f.value)) if f and f.value > 0 else None for f in row]
            for row in fields
        ],
        "text": [[_short(f, scales) for f in row] for row in fields],
        "customdata": [[text.figure_text(f, scales) for f in row] for row in fields],
        "texttemplate": "%{text}" if written else "",
        "hovertemplate": "%{y}, %{x}: %{customdata}<extra></extra>",
        "colorscale": "Cividis",
        "reversescale": members[0].test != "latency",
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 12, **_ticks(values, scales)},
    }
    layout = {
        "xaxis": style.axis("size of the body", type="category", showgrid=False),
        "yaxis": style.axis("", type="category", autorange="reversed", showgrid=False),
        "showlegend": False,
    }
    figures = list(known.values())
    told = chart.counts_text([f.rounds for f in figures], [f.count for f in figures])
    caption = f"{chart.described(keys)}: {what} of {text.plural(len(figures), 'case')}; {told}."
    return Panel(keys, [trace], layout, caption)


def _short(figure: Figure | None, scales: Sequence[text.Scale]) -> str:
    """The value with its unit, without its interval."""
    if figure is None:
        return ""
    scale = text.scale_for([figure.value], scales)
    unit = f" {scale.unit}" if len(scales) > 1 else ""
    return f"{text.value_text(figure, scale)}{unit}"


def _ticks(values: Sequence[float], scales: Sequence[text.Scale]) -> dict[str, object]:
    """1, 2 and 5 of every decade, written as values and not as logarithms."""
    if not values:
        return {}
    low, high = min(values), max(values)
    decades = range(int(log10(low)) - 1, int(log10(high)) + 2)
    steps = (1, 2, 5) if high / low < 300 else (1,)
    marks = [m * 10.0**e for e in decades for m in steps if low <= m * 10.0**e <= high]
    names = []
    for mark in marks:
        scale = text.scale_for([mark], scales)
        names.append(f"{mark / scale.factor:.10g} {scale.unit}")
    return {"tickvals": [style.short(log10(mark)) for mark in marks], "ticktext": names}
