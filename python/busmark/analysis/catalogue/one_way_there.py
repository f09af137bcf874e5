"""The time from a ping's sending to the ponger's hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained

if TYPE_CHECKING:
    from busmark.analysis.figures import Figure
    from busmark.analysis.model import Leg

BOTH = Explained(
    "One way, there and back", ("one_way_there", "one_way_back"),
    "Median from a ping's sending to the ponger's hands, and from the pong's sending to the "
    "pinger's hands. Given where both ends share one clock.",
    "median of `echo_read_ns − sent_ns`; median of `read_ns − echo_sent_ns`. " + STUDENT,
    "samples, role `pinger`",
    "Between hosts it is as good as the round trips bound the offset of their clocks: it is "
    "shown with that bound, and not at all below it.",
    section="Latency",
)  # fmt: skip


def known(leg: Leg | None) -> Figure | None:
    """Its median; what is bounded only is not told as a number."""
    return leg.median if leg and not leg.bounded else None


FIGURE = Estimate(
    key="one_way_there_median",
    unit="ns",
    suffix="_ns",
    meaning="median from a ping's sending to the ponger's hands",
    pick=lambda case: known(case.latency.one_way_there) if case.latency else None,
    explained=(BOTH,),
)
