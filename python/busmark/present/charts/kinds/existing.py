"""Discovery against the endpoints that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.across.growth import WORKLOAD
from busmark.analysis.model import Campaign, CaseSummary, DiscoveryGrowth
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, point

FIGURES: tuple[tuple[str, str, look.Dash], ...] = (
    ("first_sample", "first sample", "solid"),
    ("creation", "creation", "dot"),
)
"""Fields of `Discovery`, what a legend calls them, and their dash."""

MOST_TOLD = 4
"""Exponents in a caption."""


def _keys(case: CaseSummary) -> panels.Keys:
    """What cases of one picture share: all but the number of endpoints."""
    names = dict(panels.where(case))
    names.pop(WORKLOAD.capitalize(), None)
    return tuple(names.items())


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    for keys, members in panels.split(cases, _keys):
        if len({_existing(case) for case in members}) < 2:
            continue
        shown = [case.first_sample for case in members if case.first_sample]
        counted = panels.counts_text([f.rounds for f in shown], [f.count for f in shown])
        yield Picture(
            keys, members, Axis("endpoints that are there already"), Axis("time, ms", "log"),
            [*_curves(campaign, members)],
            f"{counted}, with 95 % intervals.{_told(campaign, members)}",
        )  # fmt: skip


def _existing(case: CaseSummary) -> int:
    return case.discovery.existing if case.discovery else 0


def _curves(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Curve]:
    for label in dict.fromkeys(case.label for case in cases):
        own = sorted((case for case in cases if case.label == label), key=_existing)
        for field, name, dash in FIGURES:
            known = [(_existing(c), f) for c in own if (f := getattr(c.discovery, field))]
            points = [point(at, figure, look.MICRO * 1e3) for at, figure in known]
            of = look.label_of(campaign, own[0])
            yield Curve(f"{label}, {name}", of, points, hollow=field == "creation", dash=dash)


def _told(campaign: Campaign, members: Sequence[CaseSummary]) -> str:
    """The power laws in words, and who follows none."""
    here = {case.id for case in members}
    fits = [g for g in campaign.growths if g.figure == "first_sample" and set(g.cases) <= here]
    laws = [f"{g.label} {_exponent(g.exponent)}" for g in fits if g.exponent][:MOST_TOLD]
    others = [_none(g) for g in fits if not g.exponent][:MOST_TOLD]
    told = ""
    if laws:
        told += (
            " As a power of the number of endpoints (without the case of none) the time to the "
            f"first sample has the exponents (0: the number does not matter): {'; '.join(laws)}."
        )
    if others:
        told += f" No power law describes it for: {'; '.join(others)}."
    return told


def _none(growth: DiscoveryGrowth) -> str:
    factor = growth.farthest_factor
    if factor is None or growth.farthest is None:
        return growth.label
    return f"{growth.label} (at {growth.farthest} {text.number(factor)} times the line through all)"


def _exponent(figure: text.Interval) -> str:
    if figure.low is None or figure.high is None:
        return text.number(figure.value)
    return f"{text.number(figure.value)} [{text.number(figure.low)}, {text.number(figure.high)}]"


CHART = ChartKind(
    "discovery-existing", "Discovery against the endpoints that are there", "discovery",
    "Time from the begin of creation to the first sample received, and of the creation itself, "
    "over the number of endpoints of a further participant that were there already.",
    "discovery cases at two numbers of existing endpoints or more",
    lambda case: case.first_sample, _draw, figures=("first_sample", "rounds"),
)  # fmt: skip
