"""Lost samples or pings, as a share, without an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import Number

if TYPE_CHECKING:
    from busmark.analysis.model import CaseSummary


def _share(case: CaseSummary) -> float | None:
    if case.throughput and case.throughput.loss_share:
        return case.throughput.loss_share.value
    latency = case.latency
    if latency is None or latency.lost is None or not latency.sent:
        return None
    return latency.lost / latency.sent


FIGURE = Number(
    key="lost_share",
    unit="1",
    meaning="lost samples of the expected ones, 0 to 1",
    pick=_share,
    frames=False,
    summary="Lost, share",
    account=True,
)
