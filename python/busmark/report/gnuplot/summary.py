"""The table of all cases: `latency.csv`."""

from __future__ import annotations

import csv
from pathlib import Path

from busmark.analysis.figures import Distribution
from busmark.analysis.model import Campaign
from busmark.analysis.words.naming import described
from busmark.model.quantities import JITTER_SHARE
from busmark.report.csv_cells import guarded
from busmark.report.drawing import look
from busmark.report.gnuplot.labels import distributions

CASE_COLUMNS = ("case", "test", "middleware", "placement", "size_bytes", "workload", "rounds")
DISTRIBUTION_COLUMNS = (
    "samples", "median_us", "median_low_us", "median_high_us", "mad_us", "mean_us", "std_us",
    "min_us", "max_us",
)  # fmt: skip


def write_csv(path: Path, campaign: Campaign) -> None:
    """Median with its interval, MAD, mean, deviation and extremes of latency and jitter, one row
    for each case that has some. What is not known is empty. Jitter is its magnitude. Text
    is no formula to a spreadsheet."""
    columns = [*CASE_COLUMNS]
    columns += [f"{what}_{name}" for what in ("latency", "jitter") for name in DISTRIBUTION_COLUMNS]
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow([*columns, "jitter_percent_of_latency"])
        for case in campaign.cases:
            latency, jitter = distributions(case)
            if latency is None:
                continue
            share = JITTER_SHARE.pick(case) if JITTER_SHARE.pick else None
            table.writerow(
                [
                    guarded(case.id), case.test, guarded(case.label), case.placement, case.size,
                    guarded(described(case.workload)), case.rounds.ok,
                    *_cells(latency), *_cells(jitter),
                    "" if share is None else f"{100 * share.value:.6g}",
                ]
            )  # fmt: skip


def _cells(found: Distribution | None) -> list[str]:
    if found is None:
        return [""] * len(DISTRIBUTION_COLUMNS)
    median = found.median
    times = (
        median.value, median.low, median.high, found.mad_ns, found.mean.value, found.std_ns,
        found.min_ns, found.max_ns,
    )  # fmt: skip
    return [str(found.count), *("" if t is None else f"{t / look.MICRO:.10g}" for t in times)]
