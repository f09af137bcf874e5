"""Goodput against the rate that was specified, beside what the network can carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, CaseSummary, Paced
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.kinds.limits import limits
from busmark.present.charts.shapes import Axis, Curve, Picture, point

Curves = dict[tuple[str, str], list[tuple[CaseSummary, Paced]]]


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """A curve for each label and topology, over all rates and sizes."""
    if not panels.is_ascent(cases):
        return
    for keys, members in panels.split(cases, panels.on_links):
        curves: Curves = {}
        for case in members:
            if paced := panels.paced(case):
                curves.setdefault((case.label, panels.topology(case)), []).append((case, paced))
        topologies = list(dict.fromkeys(topology for _, topology in curves))
        every = [paced for curve in curves.values() for _, paced in curve]
        told = panels.counts_text(
            [p.carried.rounds for p in every], [p.carried.count for p in every]
        )
        yield Picture(
            keys, members,
            Axis("specified, Mbit/s", "log"), Axis("goodput, Mbit/s", "log"),
            [
                _curve(campaign, f"{label}, {topology}", topologies.index(topology), curve)
                for (label, topology), curve in curves.items()
            ],
            f"{told}, with 95 % intervals. What leaves one sending node: of both directions one, "
            "of several readers all; in a mesh what all send together.",
            limits(
                "specified", [p.specified_mbit_per_s for p in every],
                (p.rated_mbit_per_s for p in every), (p.practical_mbit_per_s for p in every),
            ),
        )  # fmt: skip


def _curve(
    campaign: Campaign, name: str, place: int, curve: Sequence[tuple[CaseSummary, Paced]]
) -> Curve:
    ordered = sorted(curve, key=lambda entry: entry[1].specified_mbit_per_s)
    return Curve(
        name,
        look.label_of(campaign, curve[0][0]),
        [
            point(
                paced.specified_mbit_per_s, paced.carried,
                note=f"{case.params.rate_hz:g} /s of {text.size_text(case.size)}",
            )
            for case, paced in ordered
        ],
        hollow=bool(place % 2),
        dash=look.DASHES[place % len(look.DASHES)],
    )  # fmt: skip


CHART = ChartKind(
    "throughput-ascent", "Goodput against the specified rate", "throughput",
    "What leaves one sending node: in both directions at once, of one of them; to several readers, "
    "of all together. On the dotted line everything specified arrives.",
    f"throughput cases at {panels.FEWEST_RATES} rates or more", panels.paced, _draw,
)  # fmt: skip
