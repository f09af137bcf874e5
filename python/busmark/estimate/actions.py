"""Figures of an action: times of goals, and what became of goals and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.estimate.throughput import total
from busmark.model.figure import mean_over_rounds, over_rounds
from busmark.model.figures import Found
from busmark.model.parameters import Parameters
from busmark.model.quantities import action
from busmark.model.quantities.discovery import S_TO_NS
from busmark.stats import SHARE, SIGNED


def actions(rows: Sequence[Mapping[str, Any]], params: Parameters) -> Found:
    """Yield the figures of the counted rounds; `rows` are theirs of the table `cases`."""
    known = [row for row in rows if row.get("goals_sent") is not None]
    if not known:
        return
    sent, cancels = total(known, "goals_sent"), total(known, "cancels_sent")
    feedback = total(known, "feedback_received")
    for quantity, column, of in action.TIMES:
        values = [row.get(column) for row in known]
        count = {"cancels_sent": cancels, "feedback_received": feedback}.get(of, sent)
        yield quantity, over_rounds(values, "ns", count, within=SIGNED)
    for quantity, per_s in action.RATES:
        rates = [per_s(row, params) for row in known]
        yield quantity, over_rounds(rates, "1/s", sent)
    for quantity, share in action.LOSSES:
        shares = [part / whole for part, whole in filter(None, map(share, known))]
        yield quantity, mean_over_rounds(shares, "1", sent, within=SHARE)
    available = [
        row["available_s"] * S_TO_NS for row in known if row.get("available_s") is not None
    ]
    yield action.AVAILABLE, over_rounds(available, "ns", len(available))
    for number, column in action.COUNTED:
        yield number, total(known, column)
