"""Latency of a case: its statistics round by round, the segments of a ping's way, and what the
source of an imported result reports."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from busmark import stats
from busmark.model.figure import BestShare, Bounds, Distribution, Figure, Frozen, Quantity, unknown
from busmark.model.statistics import STATISTICS


class ByRound(Frozen):
    """A statistic of a latency, round by round; all times in ns."""

    figure: Figure | None
    """A typical round's; null: there is none, and `reason` says why."""
    rounds: list[int] = Field(default=[])
    """Numbers of the rounds that have it, in the order in which they were run."""
    values: list[float] = Field(default=[])
    """Value of the statistic in each of these rounds."""
    inside: float = 0.0
    """Mean variance (ns²) of a round's value that the variation inside the round implies."""
    least: float = 0.0
    """The smallest sample; of a percentile above the 50th, the smallest median of a round."""
    greatest: float | None = None
    """The largest sample; null where the source of an imported result does not state it."""
    reason: str | None = None
    lost: bool = False
    """Whether the statistic falls among the samples that were lost, which are later than any."""
    off_ns: float = 0.0
    """How far all values may be off together, either way, because the ends are stamped by two
    clocks."""

    @property
    def level(self) -> stats.Level | None:
        """The values with both levels of variation, from which intervals are computed; None where
        samples are not known."""
        if self.figure is None or self.greatest is None:
            return None
        return stats.Level(
            values=np.array(self.values),
            inside=self.inside,
            count=self.figure.count or 0,
            seen=(self.least, self.greatest),
        )

    def halved(self) -> ByRound:
        """Return the same statistic of half of each time."""
        if self.figure is None:
            return self
        ends = {name: None if v is None else v / 2 for name, v in self.figure if name in _ENDS}
        return self.model_copy(
            update={
                "figure": self.figure.model_copy(update=ends),
                "values": [value / 2 for value in self.values],
                "inside": self.inside / 4,
                "least": self.least / 2,
                "greatest": None if self.greatest is None else self.greatest / 2,
            }
        )


_ENDS = ("value", "low", "high")


class LatencyByRound(Frozen):
    """All statistics of one latency of a case."""

    name: Literal["latency", "round_trip"]
    """latency: the one that cases of its test are compared by."""
    quantity: Quantity
    statistics: dict[str, ByRound]
    """Statistics by their names in `model.statistics.STATISTICS`."""

    def why_hidden(self, key: str) -> str:
        """Return what share was lost, where the statistic of this key falls among the lost in some
        round; else nothing."""
        own = (self.statistics[one.name] for one in STATISTICS if one.key == key)
        return next((found.reason or "" for found in own if found.lost), "")

    @classmethod
    def without(cls, quantity: Quantity, reason: str) -> LatencyByRound:
        """Return a latency without any statistic, for this reason."""
        missing = ByRound(figure=None, reason=reason)
        return cls(
            name="latency", quantity=quantity, statistics={one.name: missing for one in STATISTICS}
        )


class SegmentTable(Frozen):
    """A part of a ping's way; negative where the later stamp was taken first."""

    name: str
    meaning: str
    every: int
    """One in this many pings is included; 1: all pings that came back."""
    best: list[BestShare]
    """The smallest 100, 99.9, 99 and 90 % of all rounds together."""


class Segment(Frozen):
    """A part of a sample's way; negative when the later stamp was taken first."""

    name: str
    meaning: str
    median: Figure
    bound_ns: float = 0.0
    """How far it may be off, either way, because the stamps are by clocks of two hosts; its
    interval includes this."""

    @property
    def unknown(self) -> str | None:
        """Return why no number can be given; None where one can."""
        return unknown(self.median.value, self.bound_ns)

    @property
    def most_ns(self) -> float:
        """The greatest time that it can be."""
        high = self.median.high
        return self.median.value + self.bound_ns if high is None else high


class Latency(Frozen):
    """Figures of a latency case."""

    arrivals: Literal["closed", "open", "paced", "unstated"]
    """open: counted from the intended time of sending, so that a stall is charged in full. For
    imported results, paced: at a rate, counted from the actual sending; or not stated."""
    round_trip: Distribution | None
    half_round_trip: Distribution | None
    """RTT/2: each round trip divided by two."""
    jitter: Distribution | None = None
    """Magnitude of `ipdv`."""
    ipdv: Distribution | None = None
    """Change of RTT/2 from a ping to the next of the same writer (RFC 3393), with its sign:
    negative where the next was faster."""
    one_way_there: Segment | None
    """Segment from the ping's sending to the responder's hands; exact where there is one clock."""
    one_way_back: Segment | None
    segments: list[Segment]
    segment_tables: list[SegmentTable] = Field(default=[])
    """Segments with deviations and extremes, as far as stamps are by one clock."""
    by_round: list[LatencyByRound] = Field(default=[])
    """Statistics of half the round trips, round by round: what comparisons are made of."""


class ReportedFigure(Frozen):
    """One figure that the source states, in nanoseconds."""

    statistic: str
    """mean, std, min, max, mad or percentile."""
    percent: float | None
    figure: Figure
    within: Bounds | None = None
    """Limits of a percentile combined from parts: the whole run's lies between them."""


class Reported(Frozen):
    """All figures that the source of an imported result states of one quantity of a case."""

    quantity: str
    """Name of the quantity in the table `summaries`."""
    tool: str
    parts: int
    """Parts of runs that had figures of their own; 0: they are of whole runs."""
    figures: list[ReportedFigure] = Field(default=[])

    def figure(self, statistic: str, percent: float | None = None) -> Figure | None:
        """Return the figure of this statistic and percentile; None where there is none."""
        for known in self.figures:
            if (known.statistic, known.percent) == (statistic, percent):
                return known.figure
        return None
