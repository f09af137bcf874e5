"""The time from a pong's sending to the pinger's hands."""

from busmark.analysis.catalogue.entry import Estimate
from busmark.analysis.catalogue.one_way_there import BOTH, known

FIGURE = Estimate(
    key="one_way_back_median",
    unit="ns",
    suffix="_ns",
    meaning="median from a pong's sending to the pinger's hands",
    pick=lambda case: known(case.latency.one_way_back) if case.latency else None,
    explained=(BOTH,),
)
