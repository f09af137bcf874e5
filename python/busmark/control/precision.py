"""Which cases want further rounds, and for which of them the budget is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from busmark.plan import expected_s
from busmark.scenario import statistic
from busmark.scenario.model import Rounds
from busmark.stats import Round, Spread, evaluate, inner_variance, supported
from busmark.store import Case

Row = Mapping[str, Any]

GOODPUT = "goodput"
"""The statistic of a throughput test."""


def figures(
    name: str, latencies_ns: np.ndarray[Any, np.dtype[np.float64]], samples_per_s: float | None
) -> dict[str, float | None]:
    """The statistic of a round and its inner variance: columns of `cases`."""
    none: dict[str, float | None] = {"statistic_value": None, "statistic_variance": None}
    if name == GOODPUT:
        known = samples_per_s is not None
        return {"statistic_value": samples_per_s, "statistic_variance": 0.0} if known else none
    which = statistic(name)
    percent = 50.0 if isinstance(which, str) else which
    if not supported(percent, len(latencies_ns)):
        return none
    whole = Round.of(latencies_ns)
    return {
        "statistic_value": evaluate(whole, which),
        "statistic_variance": inner_variance(whole, which, seed=1),
    }


def spread(rows: Sequence[Row]) -> Spread | None:
    """Of the rounds of a case that count; None for fewer than two."""
    known = [r for r in rows if r["status"] == "ok" and r["statistic_value"] is not None]
    if len(known) < 2:
        return None
    return Spread.of(
        [r["statistic_value"] for r in known], [r["statistic_variance"] for r in known]
    )


def spent_s(rows: Sequence[Row]) -> float:
    """Time of these rounds, with that of attempts that failed."""
    parts = ("warmup_s", "measured_s", "overhead_s", "failed_s")
    return sum(float(row[part] or 0.0) for row in rows for part in parts)


def wanting(cases: Sequence[Case], rows: Sequence[Row], rounds: Rounds) -> list[Case]:
    """Those of `cases` that should have one round more, of the rounds there are.

    A case wants more until its interval is as narrow as `rounds.target`, or its budget is spent.
    Where the campaign's budget will not last for all of them, it goes to those whose intervals are
    widest.
    """
    if not rounds.target:
        return []
    of: dict[str, list[Row]] = {}
    for row in rows:
        of.setdefault(row["case"], []).append(row)
    widths: dict[str, float] = {}
    wished_s = 0.0
    for case in cases:
        own = of.get(case.id, [])
        level = spread(own)
        width = level.relative_half_width() if level else None
        if width is not None and width <= rounds.target:
            continue
        if rounds.case_budget_s and spent_s(own) + expected_s(case) > rounds.case_budget_s:
            continue
        widths[case.id] = float("inf") if width is None else width
        more = level.rounds_for(rounds.target) - level.rounds if level and level.mean else 1
        wished_s += max(more, 1) * expected_s(case)
    wanted = [case for case in cases if case.id in widths]
    if not rounds.budget_s:
        return wanted
    left_s = rounds.budget_s - spent_s(rows)
    if wished_s > left_s:
        wanted = sorted(wanted, key=lambda case: -widths[case.id])[: -(-len(wanted) // 2)]
    return _affordable(wanted, left_s)


def _affordable(cases: Sequence[Case], left_s: float) -> list[Case]:
    """The first of `cases` that fit into the time."""
    chosen = []
    for case in cases:
        left_s -= expected_s(case)
        if left_s < 0.0:
            break
        chosen.append(case)
    return chosen
