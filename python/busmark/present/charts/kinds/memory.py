"""Memory per endpoint against the number of endpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.across import dimensions as dim
from busmark.analysis.model import Campaign, CaseSummary
from busmark.model.quantities.host import MEMORY_PER_ENDPOINT
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, Point

MAKING_ENDPOINTS = ("topics", "writers", "readers", "publishers", "subscribers", "applications")
"""Parameters by which cases differ in the number of endpoints."""


def _endpoints(case: CaseSummary) -> int:
    return case.meeting.endpoints if case.meeting else 0


def _keys(case: CaseSummary) -> panels.Keys:
    """What cases of one picture share: all but what makes the endpoints."""
    differing = {dim.title(name).capitalize() for name in MAKING_ENDPOINTS}
    return tuple((name, of) for name, of in panels.where(case) if name not in differing)


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    for keys, members in panels.split(cases, _keys):
        if len({_endpoints(case) for case in members}) < 2:
            continue
        curves = []
        for label in dict.fromkeys(case.label for case in members):
            own = sorted((case for case in members if case.label == label), key=_endpoints)
            of = look.label_of(campaign, own[0])
            points = [Point(_endpoints(c), MEMORY_PER_ENDPOINT.pick(c) or 0.0) for c in own]
            curves.append(Curve(label, of, points))
        rounds = panels.span_text([case.rounds.ok for case in members])
        yield Picture(
            keys, members, Axis("writers and readers of all participants", "log"),
            Axis("memory per endpoint, MiB", "log"), curves,
            f"The most in {rounds} rounds, of all participants together. What they need without an "
            "endpoint is in it, and weighs less the more endpoints there are.",
        )  # fmt: skip


CHART = ChartKind(
    "memory-endpoints", "Memory per endpoint", "throughput",
    "Memory in RAM of all participants, without what Busmark records there, over the number of "
    "their writers and readers.",
    "streams with two numbers of endpoints or more, three at least, and counters of the system",
    MEMORY_PER_ENDPOINT.pick, _draw, figures=("memory_per_endpoint_mib",),
)  # fmt: skip
