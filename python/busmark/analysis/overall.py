"""Over all workloads of a group: who is best how often, and how latency grows with size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.dimensions import placement_text
from busmark.analysis.model import Answer, Group, SizeFit
from busmark.analysis.ranking import Entry, quality, tiers

FEWEST_WORKLOADS = 3
"""To be summed up: two are told one by one."""

MOST_NAMED = 3

WORST_LINE = 0.25
"""A line from which sizes depart further, relative, is not told: the growth is not a line."""

PER_BYTE = (text.Scale("ns/B", 1.0),)


def overview(group: Group, workloads: Sequence[Sequence[Entry]]) -> list[Answer]:
    """In how many workloads each is best; nothing where there are few of them."""
    compared = [[e for e in entries if e[1].low is not None] for entries in workloads]
    compared = [entries for entries in compared if len(entries) > 1]
    if len(compared) < FEWEST_WORKLOADS:
        return []
    descending = group.test != "latency"
    first = [tiers(entries, descending=descending)[0] for entries in compared]
    wins = Counter(tier[0][0] for tier in first if len(tier) == 1)
    extreme, what = quality(group.test)
    total, open_ = len(compared), sum(len(tier) > 1 for tier in first)
    where = placement_text(group.placement)
    where = where[:1].upper() + where[1:]
    if not wins:
        lead = f"{where}, in none of {total} workloads can the {extreme} {what} be named"
        return [Answer(lead=lead, rest=".")]
    (name, most), *others = sorted(wins.items(), key=lambda item: (-item[1], item[0]))
    share = f"all {total}" if most == total else f"{most} of {total}"
    lead = f"{where}, {name} has the {extreme} {what} in {share} workloads"
    parts = [f"{other} in {count}" for other, count in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        parts.append(f"others in {sum(count for _, count in others[MOST_NAMED:])}")
    if open_:
        parts.append(f"in {open_} the best cannot be told apart")
    return [Answer(lead=lead, rest="; ".join(["", *parts]) + ".")]


def growth(group: Group, fits: Sequence[SizeFit]) -> list[Answer]:
    """What a byte costs each label; nothing where labels have several lines, by workload."""
    known = [fit for fit in fits if group.test == "latency" and set(fit.cases) <= set(group.cases)]
    if len({fit.label for fit in known}) < len(known):
        return []
    rising = [f for f in known if f.departure <= WORST_LINE and f.slope.low and f.slope.low > 0]
    if not rising:
        return []
    rising.sort(key=lambda fit: (fit.slope.value, fit.label))
    told = [
        f"{text.figure_text(fit.slope, PER_BYTE)} with {fit.label}" for fit in rising[:MOST_NAMED]
    ]
    where = placement_text(group.placement)
    lead = f"With the size the median RTT/2 {where} grows by {text.joined(told)}"
    hidden = len(known) - len(told)
    rest = f"; {hidden} more in the plot of sizes." if hidden else "."
    return [Answer(lead=lead, rest=rest)]
