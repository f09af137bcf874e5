"""Figures of a service besides its response times: what became of requests without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.estimate.throughput import total
from busmark.model.entry import EstimatedQuantity
from busmark.model.figure import Figure, over_rounds
from busmark.model.figures import Found
from busmark.model.parameters import Parameters
from busmark.model.quantities import service
from busmark.model.quantities.discovery import S_TO_NS

COUNTED = {
    service.LATE: "late",
    service.TWICE: "duplicated",
    service.MISROUTED: "misrouted",
    service.REFUSED: "refused",
    service.IGNORED: "ignored",
}
"""Columns of the table `cases` whose sums these are."""


def requests(rows: Sequence[Mapping[str, Any]], params: Parameters) -> Found:
    """Yield the figures of the counted rounds; `rows` are theirs of the table `cases`."""
    rates = [service.answered_per_s(row, params) for row in rows]
    yield service.REQUEST_RATE, over_rounds(rates, "1/s", total(rows, "received"))
    yield available(rows)
    for quantity, column in COUNTED.items():
        yield quantity, total(rows, column)


def available(rows: Sequence[Mapping[str, Any]]) -> tuple[EstimatedQuantity, Figure | None]:
    """Return the time until a server answered its clients."""
    known = [row["available_s"] * S_TO_NS for row in rows if row.get("available_s") is not None]
    return service.AVAILABLE, over_rounds(known, "ns", len(known))
