"""Figures over the size of the body, with their intervals; latency with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, SizeFit
from busmark.analysis.words import text
from busmark.model.quantities import GOODPUT, JITTER_SHARE
from busmark.model.quantities.latency import JITTER, PINGS
from busmark.present.charts import look, panels
from busmark.present.charts.kinds import floors
from busmark.present.charts.kinds.kind import ChartKind, Place
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, point

PER_BYTE = (text.Scale("ns/B", 1.0),)

MEDIANS = ("median", "latency", "rounds")
"""What findings may say of these charts."""

MOST_LINES = 4
"""Lines in a caption; the others appear under the pointer."""

Pick = Callable[[CaseSummary], Figure | None]


def over_size(
    key: str, title: str, test: str, pick: Pick, unit: str, factor: float = 1.0, *,
    explanation: str, fitted: bool = False, name: str = "", bars: bool = False,
) -> ChartKind:  # fmt: skip
    """The chart of one figure, `factor` of which are one of the `unit` of its axis.

    Args:
        fitted: whether a line overhead + slope · size goes with it.
        bars: whether there are bars of it, which show cases of one size.
        name: for the selector of the page, where it is beside others.
    """

    scales = (text.Scale(unit.rpartition(", ")[2], factor),)

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
            sizes = len({case.size for case in members})
            if sizes < (1 if bars else 2):
                continue
            drawn, beyond = _floors(campaign, members, pick, scales)
            curves = _curves(campaign, [*members, *drawn], pick, factor)
            fits = _fits(campaign, members) if fitted else []
            figures = [figure for case in members if (figure := pick(case))]
            told = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
            yield Picture(
                keys, members, Axis("size of the body", "sizes"), Axis(unit, "log"),
                [*curves, *(_line(campaign, fit) for fit in fits)],
                f"{told}, with 95 % intervals.{_told(fits)}{beyond}", also_linear=sizes > 1,
                as_bars=sizes < 2,
            )  # fmt: skip

    return ChartKind(
        key, title, test, explanation,
        f"{test} cases of two sizes or more that are alike otherwise",
        lambda case: pick(case) and case.size is not None, draw,
        place=Place("latency-size", "Latency against size", (("Of", name),)) if name else None,
        figures=MEDIANS if test == "latency" else (GOODPUT.key, "rounds"),
    )  # fmt: skip


def _floors(
    campaign: Campaign, members: Sequence[CaseSummary], pick: Pick, scales: Sequence[text.Scale]
) -> tuple[list[CaseSummary], str]:
    """Cases of the null adapter to draw, or a sentence about them."""
    nearest = dict.fromkeys(case.floor.case for case in members if case.floor)
    known = [(floor, figure) for case in nearest if (figure := pick(floor := campaign.case(case)))]
    if not known:
        return [], ""
    figures = [figure for _, figure in known]
    own, values = ([f.value for f in of] for of in (figures, filter(None, map(pick, members))))
    if floors.near(own, values):
        return [floor for floor, _ in known], ""
    above = max(own) > max(values)
    return [], floors.told(known[0][0].label, figures, scales, above=above)


def _curves(
    campaign: Campaign, cases: Sequence[CaseSummary], pick: Pick, factor: float
) -> Iterator[Curve]:
    for name in dict.fromkeys(case.label for case in cases):
        own = [case for case in cases if case.label == name]
        known = [(case.size or 0, figure) for case in own if (figure := pick(case))]
        ordered = sorted(known, key=lambda entry: entry[0])
        points = [point(size, figure, factor) for size, figure in ordered]
        yield Curve(name, look.label_of(campaign, own[0]), points)


def _fits(campaign: Campaign, members: Sequence[CaseSummary]) -> list[SizeFit]:
    here = {case.id for case in members}
    return [fit for fit in campaign.fits if set(fit.cases) <= here]


def _line(campaign: Campaign, fit: SizeFit) -> Curve:
    label = look.label_of(campaign, campaign.case(fit.cases[0]))
    pairs = zip(fit.at_bytes, fit.value_ns, strict=True)
    points = [Point(size, at / look.MICRO, note=_formula(fit)) for size, at in pairs]
    return Curve(f"{label.text}, line", label, points, marks=False, thin=True, dash="solid")


def _told(fits: Sequence[SizeFit]) -> str:
    """The lines in words, as many as there is room for."""
    parts = [f"{fit.label} {_formula(fit)}" for fit in fits[:MOST_LINES]]
    if len(fits) > MOST_LINES:
        parts.append(f"{len(fits) - MOST_LINES} more are drawn")
    return f" Lines, overhead + slope · size: {'; '.join(parts)}." if parts else ""


def _formula(fit: SizeFit) -> str:
    return (
        f"{text.figure_text(fit.overhead)} + {text.figure_text(fit.slope, PER_BYTE)} "
        f"(sizes depart from it by {text.percent_text(fit.departure)})"
    )


EXPLANATION = (
    "Median RTT/2 over the size of the body, with the interval of the median. Thin: overhead + "
    "slope · size, fitted robustly where there are three sizes or more. Jitter is the magnitude of "
    "the change from a sample to the next, also as a share of latency, which can be compared "
    "between sizes."
)


def _median_jitter(case: CaseSummary) -> Figure | None:
    found = JITTER.pick(case)
    return found.median if found else None


def _median(case: CaseSummary) -> Figure | None:
    found = PINGS.pick(case)
    return found.median if found else None


CHARTS = (
    over_size(
        "latency-size", "Latency against size", "latency", _median, "median RTT/2, µs", look.MICRO,
        explanation=EXPLANATION, fitted=True, name="latency",
    ),
    over_size(
        "jitter-size", "Jitter against size", "latency", _median_jitter,
        "median |jitter| of RTT/2, µs", look.MICRO, explanation=EXPLANATION, name="jitter",
    ),
    over_size(
        "jitter-share-size", "Jitter relative to latency, against size", "latency",
        JITTER_SHARE.pick or (lambda case: None), "median |jitter| / median RTT/2, %", 0.01,
        explanation=EXPLANATION, name="jitter relative to latency",
    ),
    over_size(
        "goodput-size", "Goodput against size", "throughput", lambda case: case.goodput,
        "goodput, Mbit/s",
        explanation="Mbit/s of bodies at the reader over the size of the body, with the interval.",
        bars=True,
    ),
)  # fmt: skip
