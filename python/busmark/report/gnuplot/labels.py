"""The `.stats` file of a case: its figures as texts that a script puts into a plot."""

from __future__ import annotations

from busmark.analysis.figures import Distribution
from busmark.analysis.model import CaseSummary
from busmark.analysis.words.text import count, number, percent_text, scale_for
from busmark.report.gnuplot.language import comment


def stats_text(case: CaseSummary) -> str:
    """Two strings, `latency_stats` and `jitter_stats`, of several lines each."""
    latency, jitter = distributions(case)
    return (
        comment(f"{case.label}: load this in gnuplot; two strings for a label")
        + _string("latency_stats", latency)
        + _string("jitter_stats", jitter)
    )


def distributions(case: CaseSummary) -> tuple[Distribution | None, Distribution | None]:
    """Latency, as the case's plots show it, and the magnitude of its jitter."""
    if case.latency:
        return case.latency.half_round_trip, case.latency.jitter
    if case.throughput:
        found = case.throughput
        one_way = found.jitter and found.jitter.quantity == "one_way_jitter"
        return found.probe_one_way, found.jitter if one_way else None
    return None, None


def _string(name: str, found: Distribution | None) -> str:
    if found is None:
        return f'{name} = ""\n'
    scale = scale_for([found.median.value])
    lines = [f"samples {count(found.count)}"]
    if found.lost_share:
        lines.append(f"lost {percent_text(found.lost_share)}")
    for title, value in (
        ("median", found.median.value), ("MAD", found.mad_ns), ("mean", found.mean.value),
        ("σ", found.std_ns), ("minimum", found.min_ns), ("maximum", found.max_ns),
    ):  # fmt: skip
        if value is not None:
            lines.append(f"{title} {number(value / scale.factor)} {scale.unit}")
    # In double quotes: the breaks are meant. Nothing in it is of a user's making.
    told = "\\n".join(lines)
    return f'{name} = "{told}"\n'
