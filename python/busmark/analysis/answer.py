"""The answer in sentences: what the estimates allow to be said, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from busmark.analysis import text
from busmark.analysis.dimensions import placement_text
from busmark.analysis.grouping import headline
from busmark.analysis.model import Answer, CaseSummary, Group, SizeFit
from busmark.analysis.naming import described
from busmark.analysis.overall import carried, growth, is_paced, overview
from busmark.analysis.ranking import Entry, quality, tiers

MOST_TOLD = 3
"""Labels in one sentence; the rest is in the table."""

MOST_SENTENCES = 8


def answers(
    groups: Sequence[Group], cases: dict[str, CaseSummary], fits: Sequence[SizeFit] = ()
) -> list[Answer]:
    """Of every group who is best over all workloads, how latency grows with size, and the figures
    at the smallest and the largest size; what there is no room for is counted."""
    overall: list[Answer] = []
    growing: list[Answer] = []
    single: list[list[Answer]] = []
    for group in groups:
        members = [cases[c] for c in group.cases]
        # At a rate that is asked for, the greatest goodput says nothing: all may carry it.
        workloads = _workloads([case for case in members if not is_paced(case)])
        overall += overview(group, [_compared(equal) for equal in workloads])
        growing += [*growth(group, fits), *carried(group, members)]
        ends = [_sentence(equal) for equal in _ends(workloads)]
        single.append([sentence for sentence in ends if sentence])
    in_turn = [s for turn in zip_longest(*single) for s in turn if s]
    told = [*overall, *growing, *in_turn]
    hidden = len(told) - MOST_SENTENCES
    if hidden <= 0:
        return told
    rest = " could be compared; the tables have them."
    return [*told[:MOST_SENTENCES], Answer(lead=text.plural(hidden, "further workload"), rest=rest)]


def _workloads(cases: Sequence[CaseSummary]) -> list[list[CaseSummary]]:
    """Cases of equal workload."""
    by_workload: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in cases:
        by_workload.setdefault((case.size, *case.workload.items()), []).append(case)
    return list(by_workload.values())


def _ends(workloads: Sequence[list[CaseSummary]]) -> list[list[CaseSummary]]:
    """Those at the smallest and the largest size."""
    measured = [c for cases in workloads for c in cases if headline(c) is not None]
    sizes = {c.size for c in measured if c.size is not None}
    ends = {min(sizes), max(sizes)} if sizes else {None}
    return [cases for cases in workloads if cases[0].size in ends]


def _compared(cases: Sequence[CaseSummary]) -> list[Entry]:
    """Label and figure of those that have one."""
    if cases[0].test == "latency":
        return [(c.label, c.rtt_2.median) for c in cases if c.rtt_2]
    return [(c.label, c.goodput) for c in cases if c.goodput]


def _sentence(cases: Sequence[CaseSummary]) -> Answer | None:
    first = cases[0]
    latency = first.test == "latency"
    scales = text.TIME if latency else text.MBIT
    return _answer(first, _compared(cases), quality(first.test), scales, descending=not latency)


def _answer(
    case: CaseSummary,
    entries: Sequence[Entry],
    named: tuple[str, str],
    scales: Sequence[text.Scale],
    *,
    descending: bool,
) -> Answer | None:
    """What can be said of cases of one workload; None when there is nothing."""
    told = dict(case.workload)
    if case.test == "throughput":
        # At full speed samples do not arrive by any model.
        told.pop("arrivals", None)
    further = described(told)
    size = "a size not stated" if case.size is None else text.size_text(case.size)
    where = f"At {size} {placement_text(case.placement)}"
    where += f", {further}" if further else ""
    extreme, what = named

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
        lead = f"{where}, no {extreme} {what} can be named"
    rest = "" if len(first) == 1 else f": {shown(first)} cannot be told apart"
    rest += _rest(first, others, shown)
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
