"""Samples that never arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import Heading, Number

if TYPE_CHECKING:
    from busmark.analysis.model import CaseSummary


def _lost(case: CaseSummary) -> int | None:
    counted = case.latency or case.throughput
    return counted.lost if counted else None


def _due(case: CaseSummary) -> int | None:
    """Pings, or samples that all readers together should have received."""
    stream = case.throughput
    if stream is None:
        return case.latency.sent if case.latency else None
    if stream.received is None or stream.lost is None:
        return stream.sent
    return stream.received + stream.lost


FIGURE = Number(
    key="lost",
    meaning="of the expected ones, those that never arrived; of pings, those whose pong never came",
    pick=_lost,
    of=_due,
    tables={
        "latency": Heading("Lost", when="always"),
        "throughput": Heading("Lost", when="always"),
    },
    details="lost",
    summary="Lost",
    account=True,
)
