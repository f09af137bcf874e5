"""One figure for every way to look at a distribution: the reader chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import boxes, chart, percentiles
from busmark.report.html.charts.chart import Chart, Keys, Panel
from busmark.report.html.charts.density import Fixed, FromData
from busmark.report.html.charts.histogram import Everything, Middle
from busmark.report.html.charts.quantiles import DistributionFunction, Quantiles
from busmark.report.html.charts.subject import JITTER, LATENCY, Subject

Draw = Callable[[Campaign, Keys, Sequence[CaseSummary], Subject], Panel]

KINDS: dict[str, Draw] = {
    percentiles.NAME: percentiles.panel,
    Quantiles.NAME: Quantiles.panel,
    DistributionFunction.NAME: DistributionFunction.panel,
    Middle.NAME: Middle.panel,
    Everything.NAME: Everything.panel,
    FromData.NAME: FromData.panel,
    Fixed.NAME: Fixed.panel,
}
"""Ways to look at several cases at once, in the order of the selector."""


def latency(campaign: Campaign) -> Chart | None:
    """Of RTT/2 and its jitter."""
    return _chart(campaign, "latency", "latency-distribution", "Distribution")


def probes(campaign: Campaign) -> Chart | None:
    """Of samples sent under load."""
    title = "Latency under load: distribution"
    return _chart(campaign, "throughput", "probe-distribution", title)


def _chart(campaign: Campaign, test: str, name: str, title: str) -> Chart | None:
    cases, left_out = chart.with_series(campaign, test, lambda s: s.shape)
    if not cases:
        return None
    drawn: list[Panel] = []
    for kind, draw in KINDS.items():
        for subject in (LATENCY, JITTER):
            drawn += _panels(campaign, cases, kind, draw, subject)
    for subject in (LATENCY, JITTER):
        drawn += _by_round(campaign, cases, subject)
    return Chart(name, title, "", drawn, left_out=left_out, height=460)


def _panels(
    campaign: Campaign, cases: Sequence[CaseSummary], kind: str, draw: Draw, subject: Subject
) -> list[Panel]:
    def key(case: CaseSummary) -> Keys:
        return (("Plot", kind), ("Of", subject.name), *chart.where(case))

    def panel(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return draw(campaign, keys, members, subject)

    return chart.panels([c for c in cases if subject.shape(c)], key, panel)


def _by_round(campaign: Campaign, cases: Sequence[CaseSummary], subject: Subject) -> list[Panel]:
    """One panel for each case."""

    def key(case: CaseSummary) -> Keys:
        named = ("Middleware", case.label)
        return (("Plot", boxes.NAME), ("Of", subject.name), *chart.where(case), named)

    def panel(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return boxes.panel(campaign, keys, members, subject)

    return chart.panels([c for c in cases if subject.boxes(c)], key, panel)
