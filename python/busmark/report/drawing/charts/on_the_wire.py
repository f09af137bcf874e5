"""Bytes on the wire for each sample: case by case, and over the size of the body."""

from __future__ import annotations

from busmark.analysis.catalogue.on_the_wire import HEADER_BYTES
from busmark.analysis.figures import Figure
from busmark.analysis.model import CaseSummary
from busmark.report.drawing.charts.figure_bars import bars_of
from busmark.report.drawing.charts.sizes import over_size
from busmark.report.drawing.picture import AnyChart

EXPLANATION = (
    "Bytes on the wire of the measured time for each sample that was seen in the packets: headers, "
    "acknowledgements, heartbeats, repetitions and what brokers pass on included."
)
UNIT = "bytes on the wire per sample, B"


def _pick(case: CaseSummary) -> Figure | None:
    return case.wire.bytes_per_sample if case.wire else None


def _written(case: CaseSummary) -> float | None:
    """What the application wrote; sizes that vary have no such number."""
    if case.size is None or case.params.get("size_distribution"):
        return None
    return float(HEADER_BYTES + case.size)


def _charts(test: str) -> tuple[AnyChart, AnyChart]:
    return (
        bars_of(
            f"{test}-wire", "Bytes on the wire per sample", test, _pick, UNIT,
            explanation=f"{EXPLANATION} Marks: header and body of one sample.",
            needs=f"{test} cases with a capture", mark="header and body", mark_of=_written,
        ),
        over_size(
            f"{test}-wire-size", "Bytes on the wire per sample, against size", test, _pick, UNIT,
            explanation=EXPLANATION,
        ),
    )  # fmt: skip


CHARTS = (*_charts("latency"), *_charts("throughput"))
