"""Sentences about cases of one group: what their estimates allow to be said, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from busmark import stats
from busmark.analysis.model import CaseSummary
from busmark.analysis.words import text

MOST_TOLD = 6
"""Curves about which there is a sentence each."""

FAR = 10.0
"""Times the median from which a percentile is called far away."""


def _by_label(cases: Sequence[CaseSummary]) -> list[list[CaseSummary]]:
    found: dict[str, list[CaseSummary]] = {}
    for case in cases:
        found.setdefault(case.label, []).append(case)
    return [sorted(own, key=lambda c: c.size or 0) for own in found.values()][:MOST_TOLD]


def growth(cases: Sequence[CaseSummary]) -> list[str]:
    """How the median grows from the smallest size to the largest, for each curve."""
    told = []
    for own in _by_label([case for case in cases if case.rtt_2]):
        first, last = own[0], own[-1]
        if not first.rtt_2 or not last.rtt_2 or first.size == last.size:
            continue
        small, large = first.rtt_2.median, last.rtt_2.median
        sentence = (
            f"{first.label}: from {text.size_text(first.size)} to {text.size_text(last.size)} the "
            f"median goes from {text.figure_text(small)} to {text.figure_text(large)}"
        )
        apart = None not in (small.low, small.high, large.low, large.high) and (
            (large.low or 0) > (small.high or 0) or (large.high or 0) < (small.low or 0)
        )
        if not apart:
            sentence += "; their intervals overlap"
        elif small.value > 0:
            sentence += f", {text.number(large.value / small.value)} times"
        told.append(sentence + ".")
    return told


def tails(cases: Sequence[CaseSummary]) -> list[str]:
    """How far the tail is from the median, for each case."""
    told = []
    for case in [case for case in cases if case.rtt_2][:MOST_TOLD]:
        found = case.rtt_2
        if found is None or found.max_ns is None:
            continue
        count = text.count(found.count)
        most, p99 = text.figure_text(_exact(found.max_ns)), found.figure("p99")
        if p99 is None or found.median.value <= 0:
            samples = "" if found.count is None else f"{count} samples, "
            if case.hides("p99", found.quantity):
                share = text.percent_text(found.lost_share)
                told.append(
                    f"{case.label}: the 99th percentile falls among the {share} of pings that "
                    f"were lost; the largest of {count} that came back took {most}."
                )
                continue
            few = "; a round has too few for its 99th percentile" if _too_few(case) else ""
            told.append(f"{case.label}: {samples}the largest {most}{few}.")
            continue
        times = p99.value / found.median.value
        far = ": the tail is long" if times >= FAR else ""
        told.append(
            f"{case.label}: the 99th percentile of a round is {text.figure_text(p99)}, "
            f"{text.number(times)} times the median{far}. The largest of {count} samples took "
            f"{most}."
        )
    return told


def _too_few(case: CaseSummary) -> bool:
    """Whether a round has too few samples for its 99th percentile: an imported source may have
    enough and not state it, or not say how many there are."""
    counts = [a.samples for a in case.attempts if a.status == "ok"]
    if case.rtt_2 and case.rtt_2.count is not None:
        counts.append(case.rtt_2.count // max(1, case.rounds.ok))
    return any(known is not None and not stats.supported(99.0, known) for known in counts)


def _exact(value: float) -> text.Interval:
    return _Exact(value)


class _Exact:
    """An observed value: it has no interval."""

    low: float | None = None
    high: float | None = None

    def __init__(self, value: float) -> None:
        self.value = value


def between_rounds(cases: Sequence[CaseSummary]) -> list[str]:
    """How far the medians of rounds are apart, for each case."""
    told = []
    for case in [case for case in cases if case.rtt_2][:MOST_TOLD]:
        medians = list(case.round_medians.values())
        if case.rounds.ok < 2:
            told.append(f"{case.label}: one round only, which says nothing about another.")
        if len(medians) < 2:
            continue
        scale = text.scale_for(medians)
        low, high = min(medians), max(medians)
        told.append(
            f"{case.label}: the medians of {text.plural(len(medians), 'round')} lie between "
            f"{text.number(low / scale.factor)} and {text.number(high / scale.factor)} "
            f"{scale.unit}, {text.percent_text(high / low - 1)} apart."
        )
    return told


def carried(cases: Sequence[CaseSummary]) -> list[str]:
    """What streams carried at most, and what they lost, for each curve."""
    told = []
    for own in _by_label([case for case in cases if case.throughput and case.goodput]):
        best = max(own, key=lambda c: c.goodput.value if c.goodput else 0.0)
        sentence = (
            f"{best.label}: most at {text.size_text(best.size)}, "
            f"{text.figure_text(best.goodput, text.MBIT)}"
        )
        shares = [c.throughput.loss_share.value for c in own if c.throughput
                  and c.throughput.loss_share]  # fmt: skip
        if shares:
            worst = max(shares)
            lost = "nothing was lost" if worst == 0 else f"up to {text.percent_text(worst)} lost"
            sentence += f"; {lost}"
        told.append(sentence + ".")
    return told
