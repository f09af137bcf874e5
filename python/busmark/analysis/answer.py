"""The answer in sentences: what the estimates allow to be said, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from busmark.analysis import text
from busmark.analysis.dimensions import placement_text
from busmark.analysis.figures import Figure
from busmark.analysis.grouping import headline
from busmark.analysis.model import Answer, CaseSummary, Group
from busmark.analysis.naming import described

MOST_TOLD = 3
"""Labels in one sentence; the rest is in the table."""

MOST_SENTENCES = 8

Entry = tuple[str, Figure]


def tiers(entries: Sequence[Entry], *, descending: bool = False) -> list[list[Entry]]:
    """Entries in order of their value, those that intervals do not separate in one tier.

    A new tier begins only where an interval lies wholly beyond all intervals before it, so an
    order between tiers holds for every pair. Entries must have an interval.
    """
    sign = -1.0 if descending else 1.0
    ordered = sorted(entries, key=lambda e: (sign * e[1].value, e[0]))
    result: list[list[Entry]] = []
    reached = float("-inf")
    for entry in ordered:
        limits = [sign * v for v in (entry[1].low, entry[1].high) if v is not None]
        if not result or min(limits) > reached:
            result.append([])
        result[-1].append(entry)
        reached = max(reached, *limits)
    return result


def answers(groups: Sequence[Group], cases: dict[str, CaseSummary]) -> list[Answer]:
    """Sentences for every group: smallest and largest size of latency, every size of throughput."""
    sentences = []
    for group in groups:
        for slice_cases in _slices([cases[c] for c in group.cases]):
            sentence = _sentence(slice_cases)
            if sentence:
                sentences.append(sentence)
    return sentences[:MOST_SENTENCES]


def _slices(cases: Sequence[CaseSummary]) -> list[list[CaseSummary]]:
    """Cases of equal workload, at the smallest and the largest size."""
    by_workload: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in cases:
        by_workload.setdefault((case.size, *case.workload.items()), []).append(case)
    sizes = {c.size for c in cases if c.size is not None and headline(c) is not None}
    ends = {min(sizes), max(sizes)} if sizes else {None}
    return [group for key, group in by_workload.items() if key[0] in ends]


def _sentence(cases: Sequence[CaseSummary]) -> Answer | None:
    first = cases[0]
    if first.test == "latency":
        entries = [(c.label, c.rtt_2.median) for c in cases if c.rtt_2]
        return _answer(first, entries, ("lowest", "median RTT/2"), text.TIME, descending=False)
    what = "sustained goodput" if first.test == "capacity" else "goodput"
    entries = [(c.label, c.goodput) for c in cases if c.goodput]
    return _answer(first, entries, ("highest", what), text.MBIT, descending=True)


def _answer(
    case: CaseSummary,
    entries: Sequence[Entry],
    quality: tuple[str, str],
    scales: Sequence[text.Scale],
    *,
    descending: bool,
) -> Answer | None:
    """What can be said of cases of one workload; None when there is nothing."""
    further = described(case.workload)
    where = f"At {text.size_text(case.size)} {placement_text(case.placement)}"
    where += f", {further}" if further else ""
    extreme, what = quality

    def shown(entries: Sequence[Entry], most: int = MOST_TOLD) -> str:
        names = [f"{name} {text.figure_text(figure, scales)}" for name, figure in entries[:most]]
        hidden = len(entries) - len(names)
        return text.joined([*names, f"{hidden} more"] if hidden > 0 else names)

    known = [entry for entry in entries if entry[1].low is not None]
    vague = [entry for entry in entries if entry[1].low is None]
    if len(entries) == 1:
        name, figure = entries[0]
        rest = "." if known else " (one round gives no interval)."
        return Answer(
            lead=f"{where}, {what} with {name}: {text.figure_text(figure, scales)}", rest=rest
        )
    if not known:
        if not vague:
            return None
        reason = "one round gives no interval, so no order is claimed"
        return Answer(lead=f"{where}, {what}: {shown(vague)}", rest=f" ({reason}).")
    first, *others = tiers(known, descending=descending)
    if len(first) == 1:
        name, figure = first[0]
        best = text.figure_text(figure, scales)
        lead = f"{where}, the {extreme} {what} is that of {name}, {best}"
    else:
        lead = f"{where}, no {extreme} {what} can be named: {shown(first)} cannot be told apart"
    rest = _rest(first, others, shown)
    if vague:
        rest += f"; of one round only, hence not compared: {shown(vague)}"
    return Answer(lead=lead, rest=rest + ".")


def _rest(
    first: Sequence[Entry],
    others: Sequence[Sequence[Entry]],
    shown: Callable[[Sequence[Entry]], str],
) -> str:
    """The following tiers, as many as there is room for."""
    parts: list[str] = []
    told = len(first)
    for tier in others:
        if told + len(tier) > MOST_TOLD:
            break
        parts.append(f"{shown(tier)} (not told apart)" if len(tier) > 1 else shown(tier))
        told += len(tier)
    hidden = len(first) + sum(len(tier) for tier in others) - max(told, len(first))
    if hidden:
        parts.append(f"{hidden} more in the table")
    return f"; then {', '.join(parts)}" if parts else ""
