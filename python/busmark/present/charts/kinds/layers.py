"""What a layer costs over the size of the body: with it over the same library alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.analysis.across.effects import LAYER
from busmark.analysis.across.spent import CPU, is_open
from busmark.analysis.across.standing import Effect
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind, Place
from busmark.present.charts.shapes import Axis, Curve, Picture, Reference, point

EXPLANATION = (
    "Median round trip through the layer over the median of the library below it alone, and the "
    "CPU time of all participants for each sample likewise: ratios, round by round, with 95 % "
    "intervals. At 1 the layer costs nothing."
)

Pick = Callable[[Effect], Figure | None]


def _chart(key: str, title: str, unit: str, pick: Pick, name: str) -> ChartKind:
    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        layered = {e.versus.case: e for e in campaign.effects if e.parameter == LAYER}
        for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
            paired = [(case, layered[case.id]) for case in members if case.id in layered]
            known = [(c, e, f) for c, e in paired if (f := pick(e)) and not is_open(f)]
            sizes = sorted({case.size or 0 for case, *_ in known})
            if len(sizes) < 2:
                continue
            curves = []
            for label in dict.fromkeys(case.label for case, *_ in known):
                own = sorted(
                    ((case, e, f) for case, e, f in known if case.label == label),
                    key=lambda entry: entry[0].size or 0,
                )
                of = look.label_of(campaign, own[0][0])
                points = [point(case.size or 0, f) for case, _, f in own]
                curves.append(Curve(f"{label}, over {own[0][1].reference}", of, points))
            rounds = panels.span_text([figure.rounds for *_, figure in known])
            yield Picture(
                keys, [case for case, *_ in known], Axis("size of the body", "sizes"), Axis(unit),
                curves, f"{rounds} rounds of each, interleaved, with 95 % intervals.",
                [Reference("the library alone", "dot", ((sizes[0], 1.0), (sizes[-1], 1.0)))],
            )  # fmt: skip

    return ChartKind(
        key, title, "latency", EXPLANATION,
        "latency cases of two sizes or more, through a layer and by its library alone",
        lambda case: case.size is not None and case.rtt_2, draw,
        place=Place(LAYER, "Ratio against size", (("Of", name),)),
        figures=("median", "latency", "rounds"),
    )  # fmt: skip


CHARTS = (
    _chart(
        "layer-latency", "What the layer costs: latency", "ratio of median RTT/2",
        lambda effect: effect.versus.ratio, "latency",
    ),
    _chart(
        "layer-cpu", "What the layer costs: CPU", "ratio of CPU time per sample",
        lambda effect: effect.spent.get(CPU), "CPU time per sample",
    ),
)  # fmt: skip
