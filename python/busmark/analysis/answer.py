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
        return _told(first, entries, "the lowest median RTT/2", text.TIME, descending=False)
    entries = [(c.label, c.goodput) for c in cases if c.goodput]
    return _told(first, entries, "the highest goodput", text.MBIT, descending=True)


def _told(
    case: CaseSummary,
    entries: Sequence[Entry],
    quality: str,
    scales: Sequence[text.Scale],
    *,
    descending: bool,
) -> Answer | None:
    if not entries:
        return None
    further = described(case.workload)
    where = f"At {text.size_text(case.size)} {placement_text(case.placement)}"
    where += f", {further}," if further else ","

    def shown(entry: Entry) -> str:
        return f"{entry[0]} {text.figure_text(entry[1], scales)}"

    if any(f.low is None for _, f in entries):
        return _without_order(where, entries, shown)
    first, *others = tiers(entries, descending=descending)
    if len(entries) == 1:
        subject = quality.replace("the lowest ", "a ").replace("the highest ", "a ")
        told = text.figure_text(first[0][1], scales)
        return Answer(lead=f"{where} {first[0][0]} has {subject} of {told}", rest=".")
    if len(first) == 1:
        figure = text.figure_text(first[0][1], scales)
        sentence = f"{where} {first[0][0]} has {quality}, {figure}"
    else:
        names = text.joined([shown(e) for e in first[:MOST_TOLD]])
        sentence = f"{where} no single one has {quality}: {names} cannot be told apart"
    return Answer(lead=sentence, rest=_rest(first, others, shown))


def _rest(
    first: Sequence[Entry], others: Sequence[Sequence[Entry]], shown: Callable[[Entry], str]
) -> str:
    left = MOST_TOLD - len(first)
    parts, told = [], 0
    for tier in others:
        if told + len(tier) > left:
            break
        names = text.joined([shown(e) for e in tier])
        parts.append(f"{names} (not told apart)" if len(tier) > 1 else names)
        told += len(tier)
    hidden = sum(len(tier) for tier in others) - told
    if hidden:
        parts.append(f"{hidden} more in the table")
    return f"; then {', '.join(parts)}." if parts else "."


def _without_order(where: str, entries: Sequence[Entry], shown: Callable[[Entry], str]) -> Answer:
    """With a single round there is no interval, hence no order."""
    names = text.joined([shown(e) for e in entries[:MOST_TOLD]])
    hidden = len(entries) - MOST_TOLD
    more = f" and {hidden} more in the table" if hidden > 0 else ""
    reason = "one round gives no interval, so no order is claimed"
    return Answer(lead=f"{where} {names}", rest=f"{more} ({reason}).")
