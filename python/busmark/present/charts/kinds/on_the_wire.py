"""Bytes on the wire for each sample: case by case."""

from __future__ import annotations

from busmark.analysis.figures import Figure
from busmark.analysis.model import CaseSummary
from busmark.model.quantities.wire import HEADER_BYTES
from busmark.present.charts.kinds.figure_bars import bars_of
from busmark.present.charts.kinds.kind import ChartKind

EXPLANATION = (
    "Bytes on the wire of the measured time for each sample that was seen in the packets: headers, "
    "acknowledgements, heartbeats, repetitions and what brokers pass on included. "
    "Marks: header and body of one sample."
)
UNIT = "bytes on the wire per sample, B"


def _pick(case: CaseSummary) -> Figure | None:
    return case.wire.bytes_per_sample if case.wire else None


def _written(case: CaseSummary) -> float | None:
    """What the application wrote; sizes that vary have no such number."""
    if case.size is None or case.params.size_distribution:
        return None
    return float(HEADER_BYTES + case.size)


def _chart(test: str) -> ChartKind:
    return bars_of(
        f"{test}-wire", "Bytes on the wire per sample", test, _pick, UNIT,
        explanation=EXPLANATION, needs=f"{test} cases with a capture",
        mark="header and body", mark_of=_written,
    )  # fmt: skip


CHARTS = (_chart("latency"), _chart("throughput"))
