"""Boxes and violins of one case, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.shapes import RoundBox
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Keys, Panel, Trace
from busmark.report.html.charts.subject import Subject

NAME = "by round"
EXPLANATION = (
    "Of each round: density (shape), quartiles (box), 5th and 95th percentile (whiskers), smallest "
    "and largest sample (crosses). Rounds that differ show that the start of a process decides. "
    "Of jitter: its magnitude."
)

AROUND = 1.25
"""How far the axis opens beyond the whiskers."""

MOST_LINEAR = 8
"""Times that whiskers may differ on a linear axis."""

HALF_WIDTH = 0.42
"""Of a violin; rounds are 1 apart."""


def panel(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
) -> Panel:
    """All rounds of one case."""
    case = members[0]
    boxes = subject.boxes(case)
    label = style.label_of(campaign, case)
    traces: list[Trace] = [
        _violin(place, box, style.pale(label, 0.3)) for place, box in _placed(boxes)
    ]
    traces += [_boxes(boxes, style.colour(label)), _extremes(boxes, style.colour(label))]
    floor = None if subject.signed else chart.floor_of(campaign, case)
    if floor and floor.rtt_2:
        at = floor.rtt_2.median.value
        across = style.reference(
            floor.label, [-0.5, len(boxes) - 0.5], style.micro([at] * 2), "dash"
        )
        traces.append(across)
    names = {"tickvals": list(range(len(boxes))), "ticktext": [str(box.round) for box in boxes]}
    layout = {
        "xaxis": style.axis("round", zeroline=False, **names),
        "yaxis": _opened(subject, members, boxes),
        "showlegend": False,
    }
    counts = text.plural(sum(box.count for box in boxes), "sample")
    plain = tuple((n, v) for n, v in keys if n not in ("Plot", "Of"))
    told = f"{chart.described(plain)}: {text.plural(len(boxes), 'round')}, {counts}."
    told += " The axis opens on the boxes; a double click shows the extremes"
    if floor and floor.rtt_2:
        told += f" and, as a line, {floor.label}, {text.figure_text(floor.rtt_2.median)}"
    told += f".{chart.floor_note(case)}"
    return Panel(keys, traces, layout, told, EXPLANATION)


def _opened(
    subject: Subject, members: Sequence[CaseSummary], boxes: Sequence[RoundBox]
) -> dict[str, object]:
    """An axis on which the boxes are large, whatever the extremes: linear unless they differ by
    much. Jitter begins near 0, which no logarithmic axis has."""
    title = subject.axis(members)
    inner = [v / style.MICRO for box in boxes for v in (box.p5_ns, box.p95_ns) if v > 0]
    if not inner:
        return style.axis(title)
    low, high = min(inner), max(inner)
    if subject.signed:
        return style.axis(title, range=[0.0, high * AROUND], separatethousands=True)
    if high > MOST_LINEAR * low:
        ends = [log10(low / AROUND), log10(high * AROUND)]
        return style.log_axis(title, inner, range=ends)
    margin = (high - low) * (AROUND - 1)
    return style.axis(title, range=[low - margin, high + margin], separatethousands=True)


def _placed(boxes: Sequence[RoundBox]) -> list[tuple[int, RoundBox]]:
    return list(enumerate(boxes))


def _violin(place: int, box: RoundBox, colour: str) -> Trace:
    """The density, mirrored; each as wide as the others."""
    known = [(a, p) for a, p in zip(box.density.at_ns, box.density.per_ns, strict=True) if a > 0]
    widest = max((p for _, p in known), default=1.0) or 1.0
    out = [HALF_WIDTH * p / widest for _, p in known]
    at = style.micro([a for a, _ in known])
    return {
        "x": [style.short(place + w) for w in out] + [style.short(place - w) for w in out[::-1]],
        "y": at + at[::-1],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": colour,
        "hoverinfo": "skip",
    }


def _boxes(boxes: Sequence[RoundBox], colour: str) -> Trace:
    def micro(name: str) -> list[float]:
        return style.micro([getattr(box, name) for box in boxes])

    return {
        "type": "box",
        "x": list(range(len(boxes))),
        "q1": micro("p25_ns"),
        "median": micro("median_ns"),
        "q3": micro("p75_ns"),
        "lowerfence": micro("p5_ns"),
        "upperfence": micro("p95_ns"),
        "width": 0.25,
        "line": {"color": colour, "width": 1.5},
        "fillcolor": "rgba(0,0,0,0)",
        "name": "",
        "hoverinfo": "y",
    }


def _extremes(boxes: Sequence[RoundBox], colour: str) -> Trace:
    ends = [(place, v) for place, box in _placed(boxes) for v in (box.min_ns, box.max_ns) if v > 0]
    return {
        "x": [place for place, _ in ends],
        "y": style.micro([v for _, v in ends]),
        "mode": "markers",
        "marker": {"color": colour, "symbol": "x-thin-open", "size": 7},
        "hovertemplate": "%{y:.4~g} µs<extra></extra>",
    }
