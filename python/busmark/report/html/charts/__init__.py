"""The charts of the page: one file each, one line here. They draw what the analysis prepared."""

from collections.abc import Callable

from busmark.analysis.model import Campaign
from busmark.report.html.charts import (
    ascent,
    distribution,
    goodput,
    heat,
    medians,
    rate,
    resources,
    search,
    sizes,
    timeline,
)
from busmark.report.html.charts.chart import Chart

ALL: dict[str, tuple[Callable[[Campaign], Chart | None], ...]] = {
    "latency": (
        sizes.latency,
        heat.latency,
        medians.latency,
        distribution.latency,
        timeline.latency,
        resources.latency,
    ),
    "throughput": (
        goodput.bars,
        sizes.goodput,
        heat.goodput,
        ascent.ascent,
        rate.over_time,
        resources.throughput,
        distribution.probes,
    ),
    "capacity": (search.trials,),
}
"""Charts by test, in the order of the page."""


def draw_all(campaign: Campaign) -> dict[str, list[Chart]]:
    """The charts for which the campaign has data, by test."""
    drawn = {test: [draw(campaign) for draw in charts] for test, charts in ALL.items()}
    return {test: [c for c in charts if c is not None] for test, charts in drawn.items()}
