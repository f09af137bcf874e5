"""Which rates are carried, over all workloads of a group."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.across.dimensions import placement_text, title
from busmark.analysis.model import Answer, CaseSummary, Group, Paced
from busmark.analysis.words import text

MOST_NAMED = 3

CARRIED = 0.99
"""Share of what was specified that must arrive."""


def carried(group: Group, cases: Sequence[CaseSummary]) -> list[Answer]:
    """Up to which specified rate (nearly) everything arrives, for each label; nothing without
    several rates of one size, or where workloads differ in more than the rate."""
    paced: dict[str, list[Paced]] = {}
    for case in cases:
        if case.throughput and case.throughput.paced:
            paced.setdefault(case.label, []).append(case.throughput.paced)
    if len({_but_for_rate(case) for case in cases if is_paced(case)}) != 1:
        return []
    if any(len({_specified(p) for p in of_label}) < len(of_label) for of_label in paced.values()):
        return []
    steps = {label: sorted(p, key=_specified) for label, p in paced.items() if len(p) > 1}
    if not steps:
        return []
    reached = {label: _up_to(points) for label, points in steps.items()}
    ordered = sorted(reached.items(), key=lambda item: (-item[1], item[0]))
    told = [f"with {label} {_limit(limit, steps[label])}" for label, limit in ordered[:MOST_NAMED]]
    if len(ordered) > MOST_NAMED:
        told.append(f"{len(ordered) - MOST_NAMED} more in the plot")
    lead = f"{_where(group)}, {text.percent_text(CARRIED)} or more of what is specified arrives"
    return [Answer(lead=lead, rest=f": {', '.join(told)}.")]


def _but_for_rate(case: CaseSummary) -> tuple[object, ...]:
    rate = title("rate_hz")
    return (case.size, *(item for item in case.workload.items() if item[0] != rate))


def is_paced(case: CaseSummary) -> bool:
    """Whether it is a throughput case with a rate: its goodput is what was asked for, at best."""
    return bool(case.throughput and case.throughput.paced)


def _specified(paced: Paced) -> float:
    return paced.specified_mbit_per_s


def _up_to(points: Sequence[Paced]) -> float:
    """The greatest specified rate up to which all are carried; 0: not even the smallest."""
    limit = 0.0
    for paced in points:
        if paced.carried.value < CARRIED * paced.specified_mbit_per_s:
            break
        limit = paced.specified_mbit_per_s
    return limit


def _limit(limit: float, points: Sequence[Paced]) -> str:
    if limit == 0:
        return f"at none of {len(points)} rates"
    everywhere = limit == points[-1].specified_mbit_per_s
    return f"{'at all rates ' if everywhere else ''}up to {text.number(limit)} Mbit/s"


def _where(group: Group) -> str:
    where = placement_text(group.placement)
    return where[:1].upper() + where[1:]
