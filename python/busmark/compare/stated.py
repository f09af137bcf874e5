"""Latencies of an imported case without samples: what its source states of each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from busmark import stats
from busmark.analysis.figures import Quantity
from busmark.analysis.rounds import Row
from busmark.analysis.stated import Stated, by_quantity, stated
from busmark.compare.sides import Side, SideCase

Values = dict[str, dict[int, float]]
"""By statistic, the value of each run in ns."""

STATED: dict[str, tuple[str, float | None]] = {
    "median": ("percentile", 50.0), "mean": ("mean", None), "p90": ("percentile", 90.0),
    "p99": ("percentile", 99.0), "p99.9": ("percentile", 99.9), "p99.99": ("percentile", 99.99),
}  # fmt: skip
"""By the name that `--fail-if` uses: which statistic that is in the table `summaries`."""

OF_TEST: Mapping[str, tuple[tuple[str, Quantity, float], ...]] = {
    "latency": (
        ("half_round_trip", "half_round_trip", 1.0),
        ("round_trip", "half_round_trip", 0.5),
    ),
    "throughput": (("one_way", "one_way", 1.0),),
}
"""By test: quantities of the source, what they are compared as, and the factor between the two."""


def stated_latencies(
    side: Side, case: SideCase, rows: Sequence[Row]
) -> tuple[Quantity, Values] | None:
    """Of each run; None of a result that was measured here, and where nothing is stated."""
    source = side.result.manifest.source
    if source is None:
        return None
    own = side.result.summaries.filter(pl.col("case") == case.id)
    tools = {file.name: file.tool for file in source.files}
    runs = {row["round"]: by_quantity(stated(own, [row["round"]], tools)) for row in rows}
    for name, quantity, factor in OF_TEST.get(case.test, ()):
        values: Values = {}
        for number, run in runs.items():
            for statistic in STATED:
                value = _value(run.get(name), statistic)
                if value is not None:
                    values.setdefault(statistic, {})[number] = value * factor
        if values:
            return quantity, values
    return None


def _value(run: Stated | None, statistic: str) -> float | None:
    name, percent = STATED[statistic]
    figure = run.figure(name, percent) if run else None
    if figure is None:
        return None
    if (
        percent is not None
        and figure.count is not None
        and not stats.supported(percent, figure.count)
    ):
        return None
    return figure.value
