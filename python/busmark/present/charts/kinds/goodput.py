"""Goodput as bars, beside what was specified and what the network can carry."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import CaseSummary
from busmark.present.charts import panels
from busmark.present.charts.kinds.figure_bars import bars_of
from busmark.present.charts.kinds.limits import PRACTICAL, RATED
from busmark.present.charts.look import Dash
from busmark.present.charts.shapes import Reference

LIMITS: tuple[tuple[str, str, Dash], ...] = (
    (RATED, "rated_mbit_per_s", "dash"),
    (PRACTICAL, "practical_mbit_per_s", "dashdot"),
)


def _specified(case: CaseSummary) -> float | None:
    """What was asked for; nothing at full speed. In both directions at once the bar counts both,
    the specification one: not to be compared."""
    paced = panels.paced(case)
    comparable = paced and case.goodput and case.goodput.value == paced.carried.value
    return paced.specified_mbit_per_s if paced and comparable else None


def _limits(members: Sequence[CaseSummary]) -> list[Reference]:
    """Capacities of the links that all cases share."""
    found = []
    for name, attribute, dash in LIMITS:
        values = {getattr(c.throughput, attribute) for c in members if c.throughput}
        limit = values.pop() if len(values) == 1 else None
        if limit is not None:
            found.append(Reference(name, dash, ((limit, 0.0), (limit, 0.0))))
    return found


CHART = bars_of(
    "goodput", "Goodput", "throughput", lambda case: case.goodput, "goodput, Mbit/s",
    explanation="Mbit/s of bodies that arrived at the reader, of a typical round; the line on a "
    "bar is its interval.",
    needs="throughput cases with a counted round", limits=_limits, mark="specified",
    mark_of=_specified,
)  # fmt: skip
