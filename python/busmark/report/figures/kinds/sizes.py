"""Summary over sizes: logarithmic, and linear with the line overhead + slope · size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from matplotlib.axes import Axes

from busmark.analysis import text
from busmark.analysis.figures import Figure
from busmark.analysis.model import CaseSummary
from busmark.predict.model import SizeModel
from busmark.report.drawing import look, panels
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet, place

Pick = Callable[[CaseSummary], Figure | None]
Points = list[tuple[int, Figure]]


def latency(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Median RTT/2, with the fit."""

    def pick(case: CaseSummary) -> Figure | None:
        return case.rtt_2.median if case.rtt_2 else None

    return _draw(source, kind, "latency", pick, "median RTT/2, µs", look.MICRO, source.size_models)


def jitter(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Jitter as a share of latency, which can be compared between sizes."""

    def pick(case: CaseSummary) -> Figure | None:
        return case.latency.jitter_share if case.latency else None

    unit = "median |jitter| / median RTT/2, %"
    return _draw(source, kind, "latency", pick, unit, 0.01, [])


def goodput(source: Source, kind: Kind) -> Iterator[Drawing]:
    """Goodput at the reader."""

    def pick(case: CaseSummary) -> Figure | None:
        return case.goodput

    return _draw(source, kind, "throughput", pick, "goodput, Mbit/s", 1.0, [])


def _draw(
    source: Source, kind: Kind, test: str, pick: Pick, unit: str, factor: float,
    models: Sequence[SizeModel],
) -> Iterator[Drawing]:  # fmt: skip
    cases = [c for c in panels.measured(source.campaign, test) if pick(c) and c.size is not None]
    for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
        if len({case.size for case in members}) < 2:
            continue
        near = [panels.floor_of(source.campaign, case) for case in members]
        floors = {floor.id: floor for floor in near if floor and pick(floor)}
        sheet = Sheet(theme.TWO_COLUMNS_MM, 62)
        log, linear = sheet.axes(1, 2)
        shown = [*members, *floors.values()]
        for label in dict.fromkeys(case.label for case in shown):
            curve = _points([c for c in shown if c.label == label], pick)
            first = next(c for c in shown if c.label == label)
            _curve(source, sheet, log, first, curve, factor)
            fit = _model(models, [c for c in members if c.label == label])
            _curve(source, sheet, linear, first, curve, factor, joined=fit is None)
            if fit:
                _line(source, linear, first, fit)
        sizes = [case.size for case in members if case.size is not None]
        values = [v / factor for case in shown if (f := pick(case)) for v in look.reach(f)]
        ax.sizes_x(log, sizes)
        ax.log_y(log, unit, values)
        ax.sizes_x(linear, sizes, log=False)
        ax.linear_y(linear, unit, from_zero=True)
        place(log, "(a) logarithmic")
        fits = {m.sweep.label: m for c in members if (m := _model(models, [c]))}
        place(linear, "(b) linear, lines: overhead + slope · size" if fits else "(b) linear")
        figures = [f for c in members if (f := pick(c))]
        told = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
        told += "; bars: 95 % intervals"
        told += f". {_fits(fits)}" if fits else "."
        yield source.drawing(kind, keys, members, sheet, told)


def _points(cases: Sequence[CaseSummary], pick: Pick) -> Points:
    known = [(c.size, f) for c in cases if (f := pick(c)) and c.size is not None]
    return sorted(known, key=lambda point: point[0])


def _curve(
    source: Source, sheet: Sheet, axes: Axes, first: CaseSummary, points: Points, factor: float,
    *, joined: bool = True,
) -> None:  # fmt: skip
    label = source.label(first)
    style = theme.points(label) | ({} if joined else {"linestyle": "none"})
    scale = axes is sheet.figure.axes[0]
    x = [look.at_size(size) if scale else size for size, _ in points]
    low = [(f.value - (f.value if f.low is None else f.low)) / factor for _, f in points]
    high = [((f.value if f.high is None else f.high) - f.value) / factor for _, f in points]
    drawn = axes.errorbar(
        x, [f.value / factor for _, f in points], yerr=[low, high], capsize=1.8, elinewidth=0.8,
        capthick=0.8, zorder=2 if first.is_floor else 3, **style,
    )  # fmt: skip
    if scale:
        sheet.entry(first.label, drawn.lines[0])


def _model(models: Sequence[SizeModel], cases: Sequence[CaseSummary]) -> SizeModel | None:
    ids = {case.id for case in cases}
    return next((m for m in models if ids & set(m.sweep.cases)), None)


def _line(source: Source, axes: Axes, first: CaseSummary, model: SizeModel) -> None:
    """From 0, where the overhead can be read, to the largest size."""
    end = max(point.size for point in model.points)
    at = [model.overhead.value, model.overhead.value + model.slope.value * end]
    axes.plot([0, end], [v / look.MICRO for v in at], **theme.line(source.label(first)))


def _fits(fits: dict[str, SizeModel]) -> str:
    told = [
        f"{label} {text.figure_text(m.overhead)} + {_slope(m.slope)} · size"
        for label, m in fits.items()
    ]
    return f"Fitted (95 % intervals): {'; '.join(told)}."


def _slope(slope: Figure) -> str:
    limits = text.interval_text(slope, text.Scale("ns/B", 1.0))
    return " ".join(part for part in (text.number(slope.value), limits, "ns/B") if part)


KINDS = (
    Kind(
        "latency-size",
        "Latency against size",
        "latency cases of two sizes or more that are alike otherwise",
        latency,
    ),
    Kind(
        "jitter-size",
        "Jitter relative to latency, against size",
        "latency cases of two sizes or more that are alike otherwise",
        jitter,
    ),
    Kind(
        "goodput-size",
        "Goodput against size",
        "throughput cases of two sizes or more that are alike otherwise",
        goodput,
    ),
)
