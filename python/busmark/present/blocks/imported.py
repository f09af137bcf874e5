"""How imported results are shown: in the words of what their source states."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import Distribution, Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.read.stated import Stated
from busmark.analysis.words import text

QUANTITIES = {
    "half_round_trip": "RTT/2",
    "round_trip": "round trip",
    "one_way": "one-way",
    "publish": "publishing, until acknowledged",
    "publish_delay": "delay of publishing",
    "per_hop": "per hop",
    "discovery": "discovery",
    "one_way_jitter": "one-way jitter",
    "per_hop_jitter": "jitter per hop",
    "serialization": "serialization",
    "deserialization": "deserialization",
}
"""In the table `summaries`, and for people."""

MEANS = ("half_round_trip", "round_trip", "one_way", "per_hop")
"""Quantities whose mean stands in a table where no median does."""

STATISTICS = {
    "mean": "mean",
    "std": "standard deviation",
    "mad": "MAD",
    "min": "minimum",
    "max": "maximum",
}

ARRIVALS = {
    "closed": "closed loop (a ping waits for its pong)",
    "open": "open loop (counted from the intended time of sending)",
    "paced": "at a rate (counted from the actual sending)",
}


def is_stated(figures: Distribution) -> bool:
    """Whether they are a source's, who kept no samples: then nothing else is known of them."""
    return figures.skewness is None and figures.effective_count is None and not figures.best


def imported_note(campaign: Campaign, cases: Sequence[CaseSummary]) -> str:
    """What is to be said below a table."""
    tools = text.joined(campaign.source.tools) if campaign.source else ""
    told = [f"Imported from {tools}; measured and counted by it, not by Busmark."]
    arrivals = {c.latency.arrivals for c in cases if c.latency}
    models = [ARRIVALS[a] for a in sorted(arrivals) if a in ARRIVALS]
    if models:
        told.append(f"Arrivals: {text.joined(models)}.")
    if any(c.rtt_2 for c in cases):
        told.append("RTT/2 is half of a round trip.")
    runs = {c.rounds.ok for c in cases if c.rounds.ok}
    if runs == {1}:
        told.append("One run of each, hence no interval.")
    elif runs:
        level = f"{campaign.confidence:.0%}".replace("%", " %")
        told.append(f"In brackets: {level} interval of a typical run; one run has none.")
    if any(f.within for c in cases for one in c.stated for f in one.figures):
        told.append(
            "Percentiles are means over parts of a run; the details give the limits within which "
            "the whole run's percentiles lie."
        )
    shown = [(c, f) for c in cases
             for f in (c.rtt_2, c.throughput and c.throughput.probe_one_way) if f]  # fmt: skip
    if any(f.figure("p99") is None and not c.hides("p99", f.quantity) for c, f in shown):
        told.append(
            "A percentile is shown where every run has ten independent samples beyond it: p99 "
            f"needs {text.count(1000)}."
        )
    return " ".join(told)


def stated_means(cases: Sequence[CaseSummary]) -> dict[str, list[Figure | None]]:
    """By title of a column."""
    found: dict[str, list[Figure | None]] = {}
    for quantity in MEANS:
        figures = [_mean(case, quantity) for case in cases]
        if any(figures):
            found[f"Mean {QUANTITIES[quantity]}"] = figures
    return found


def _mean(case: CaseSummary, quantity: str) -> Figure | None:
    shown = case.rtt_2 or (case.throughput and case.throughput.probe_one_way)
    one = next((s for s in case.stated if s.quantity == quantity), None)
    return one.figure("mean") if one and not shown else None


def stated_headline(case: CaseSummary) -> str | None:
    """What came out, where it is a mean."""
    for title, figures in stated_means([case]).items():
        return f"{title[0].lower()}{title[1:]} {text.figure_text(figures[0])}"
    return None


def stated_rows(one: Stated) -> list[tuple[str, ...]]:
    """All figures of one quantity: name, value, interval, limits of the whole run, samples."""
    rows: list[tuple[str, ...]] = []
    for known in one.figures:
        name = STATISTICS.get(known.statistic, f"{known.percent or 0:.10g} %")
        scale = text.scale_for([abs(known.figure.value)])
        value = f"{text.value_text(known.figure, scale)} {scale.unit}"
        interval = text.interval_text(known.figure, scale) or text.ABSENT
        limits = text.ABSENT
        if known.within:
            low, high = known.within.low_ns / scale.factor, known.within.high_ns / scale.factor
            limits = f"{text.number(low)} to {text.number(high)} {scale.unit}"
        rows.append((name, value, interval, limits, text.count(known.figure.count)))
    return rows
