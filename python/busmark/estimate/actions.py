"""Figures of an action: times of goals, and what became of goals and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.estimate.requests import available
from busmark.estimate.throughput import total
from busmark.model.figure import mean_over_rounds, over_rounds
from busmark.model.figures import Found
from busmark.model.parameters import Parameters
from busmark.model.quantities import action
from busmark.model.quantities.service import per_s
from busmark.stats import SHARE, SIGNED


def actions(rows: Sequence[Mapping[str, Any]], params: Parameters) -> Found:
    """Yield the figures of the counted rounds; `rows` are theirs of the table `cases`."""
    known = [row for row in rows if row.get("goals_sent") is not None]
    if not known:
        return
    for columns, times in action.TIMES:
        count = _sum(known, columns)
        for time in times:
            values = [row.get(time.column) for row in known]
            yield time, over_rounds(values, "ns", count, within=SIGNED)
    for rate, columns in action.RATES:
        rates = [per_s(*columns)(row, params) for row in known]
        yield rate, over_rounds(rates, "1/s", _sum(known, columns))
    for loss, lost in action.LOSSES:
        counts = [found for row in known if (found := lost(row))]
        shares = [part / whole for part, whole in counts]
        total_of = sum(whole for _, whole in counts)
        yield loss, mean_over_rounds(shares, "1", total_of, within=SHARE)
    yield available(known)
    for number, column in action.COUNTED.items():
        yield number, total(known, column)


def _sum(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> int | None:
    """Return the sum of these columns; None where one is not known."""
    known = [number for column in columns if (number := total(rows, column)) is not None]
    return sum(known) if len(known) == len(columns) else None
