"""The distribution of a latency, and its statistics round by round: views of rows of the table of
estimates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from busmark import stats
from busmark.model.entry import Statistic
from busmark.model.figure import Figure, Quantity
from busmark.model.figures import Estimated
from busmark.model.statistics import POOLED, REPORTED, STATISTICS

# Rows are named by a statistic, and by what it is computed over.
TYPICAL, POOL, INSIDE = "rounds", "samples", "inside"
"""A typical round; all samples of the rounds together; the samples inside a round, of which the
variance of a statistic is."""

CLOCK_BOUND, LOSS, HOP = "clock_bound", "loss", "hop_stdev"
"""Statistics: how far all times may be off; the share lost; limits of one hop's deviation."""

FEW = "a round has too few samples for it"
AMONG_LOST = "it falls among the samples that were lost"
NOT_RECORDED = "no record says whether samples that were lost are among them"


@dataclass(frozen=True, slots=True)
class Percentile:
    """One rung of the ladder: an observed value, absent where the count does not support it."""

    percent: float
    value_ns: float | None
    low_ns: float | None = None
    """95 % interval over rounds; null where rounds or samples are too few for one."""
    high_ns: float | None = None
    lost: bool = False
    """Whether the percentile falls among the samples that were lost, which are later than any; then
    it has no value."""


@dataclass(frozen=True, slots=True)
class BestShare:
    """The smallest `percent` per cent of all samples."""

    percent: float
    count: int
    min_ns: float
    mean_ns: float
    max_ns: float
    std_ns: float | None
    """Standard deviation; null for a single sample."""


class Mode(NamedTuple):
    """A peak of the density, and the share of the samples from `low_ns` to `high_ns`: the valleys
    on both sides of it, or the smallest and the largest sample."""

    at_ns: float
    share: float
    low_ns: float
    high_ns: float


class Drift(NamedTuple):
    """Change over the length of a round."""

    change: Figure | None
    """Median of the last third over the first third's, minus 1; of a typical round."""
    trending: int
    """Rounds whose trend has p < 0.01 (Mann-Kendall on block medians)."""
    tested: int
    """Rounds long enough for the test."""


@dataclass(frozen=True, slots=True)
class ByRound:
    """A statistic of a latency, round by round; all times in ns."""

    figure: Figure | None
    """A typical round's; None: there is none, and `reason` says why."""
    rounds: Sequence[int] = ()
    """Numbers of the rounds that have it, in the order in which they were run."""
    values: Sequence[float] = ()
    """Value of the statistic in each of these rounds."""
    inside: float | None = None
    """Mean variance (ns²) of a round's value that the variation inside the round implies; None
    where samples are not known."""
    seen: tuple[float, float] = (0.0, 0.0)
    """The smallest sample, or of a percentile above the 50th the smallest median of a round; and
    the largest sample."""
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
        if self.figure is None or self.inside is None:
            return None
        values = np.array(self.values)
        return stats.Level(values, self.inside, self.figure.count or 0, self.seen)


class Distribution:
    """A latency of a case or of one of its flows; every time is in nanoseconds.

    `median`, `mean` and percentiles such as p99 are of a typical round: the median over rounds of
    the figure of a round, with an interval of both levels; a percentile is absent unless every
    round has the samples to support it. The other figures describe all samples together; the MAD,
    the median absolute deviation, is not scaled. It, minimum and maximum are absent where an
    imported source does not state them.

    Percentiles are of the samples that were sent: a lost one is later than any. All other figures,
    the mean among them, can only be of those that came back.
    """

    def __init__(
        self, quantity: Quantity, rows: Iterable[Estimated], each: Iterable[Estimated] = ()
    ) -> None:
        """Take the rows of the quantity: of all rounds, and `each` of one round."""
        self.quantity = quantity
        self._rows: dict[tuple[str, str], Estimated] = {}
        for row in rows:
            self._rows.setdefault((row.statistic, row.over), row)
        self._each: dict[str, list[Estimated]] = {}
        for row in each:
            self._each.setdefault(row.statistic, []).append(row)

    def row(self, statistic: str, over: str = TYPICAL) -> Estimated | None:
        """Return the row of a statistic; None where there is none."""
        return self._rows.get((statistic, over))

    def value(self, statistic: str, over: str = TYPICAL) -> float | None:
        """Return the value of a statistic; None where it has none."""
        row = self.row(statistic, over)
        return row.value if row else None

    @property
    def is_known(self) -> bool:
        """Whether there are samples, and the median does not fall among the lost."""
        return None not in (self.value("median"), self.value("mean"))

    def figure(self, key: str) -> Figure | None:
        """Return the statistic of this key (`model.statistics`)."""
        row = self.row(BY_KEY[key].name)
        return row.figure if row else None

    def time_ns(self, key: str) -> float | None:
        """Return a time of all samples together, in ns, by its key (`model.statistics`)."""
        return self.value(POOLED_BY_KEY[key], POOL)

    @property
    def median(self) -> Figure:
        """Median of a typical round, of a distribution that is known."""
        return self._required("median")

    @property
    def mean(self) -> Figure:
        """Mean of a typical round, of a distribution that is known."""
        return self._required("mean")

    def _required(self, key: str) -> Figure:
        found = self.figure(key)
        assert found is not None
        return found

    @property
    def mad_ns(self) -> float | None:
        """Median absolute deviation from the median."""
        return self.time_ns("mad_ns")

    @property
    def std_ns(self) -> float | None:
        """Standard deviation."""
        return self.time_ns("std_ns")

    @property
    def min_ns(self) -> float | None:
        """Smallest sample."""
        return self.time_ns("min_ns")

    @property
    def max_ns(self) -> float | None:
        """Largest sample."""
        return self.time_ns("max_ns")

    @property
    def skewness(self) -> float | None:
        """Adjusted Fisher–Pearson coefficient."""
        return self.value("skewness", POOL)

    @property
    def kurtosis(self) -> float | None:
        """Excess kurtosis, corrected for bias."""
        return self.value("kurtosis", POOL)

    @property
    def count(self) -> int | None:
        """Number of samples; None where the source of an imported result does not say."""
        row = self.row("skewness", POOL)
        return row.count if row else None

    @property
    def effective_count(self) -> float | None:
        """Effective sample size: independent samples that give a mean of the same precision, summed
        over rounds."""
        row = self.row("median")
        return row.effective if row else None

    @property
    def bound_ns(self) -> float:
        """How far every time may be off, either way, because its ends are stamped by two clocks;
        intervals include it. 0: both ends are stamped by one clock."""
        return self.value(CLOCK_BOUND) or 0.0

    @property
    def loss(self) -> float | None:
        """Share of the samples sent that never came back; None if samples of a stream were lost and
        no record says whether these were among them."""
        row = self.row(LOSS)
        return row.value if row else 0.0

    @cached_property
    def percentiles(self) -> list[Percentile]:
        """Percentiles of all samples together, with intervals over rounds."""
        return [
            Percentile(float(name[1:]), row.value, row.low, row.high, row.bound == "lower")
            for (name, over), row in self._rows.items()
            if over == POOL and row.is_percentile
        ]

    @property
    def best(self) -> list[BestShare]:
        """The best 100, 99.9, 99 and 90 % of all samples."""
        return best_shares(self._rows.values())

    @property
    def hop_std(self) -> tuple[float, float] | None:
        """Limits of the standard deviation of one hop of the two of a round trip: half of the
        trip's if both always go alike, 0.707 of it if they are independent; None for what is one
        hop already."""
        row = self.row(HOP, POOL)
        return None if row is None or row.low is None or row.high is None else (row.low, row.high)

    @property
    def modes(self) -> int | None:
        """Modes of the density, well separated; None for jitter, and unless all are above 0."""
        found = self.value("modes", POOL)
        return None if found is None else int(found)

    @property
    def largest_modes(self) -> Iterator[Mode]:
        """The largest modes, at most two, the larger first."""
        for number in (1, 2):
            row, share = (self.row(f"mode_{number}{end}", POOL) for end in ("", "_share"))
            if row and share and None not in (row.value, share.value, row.low, row.high):
                yield Mode(row.value, share.value, row.low, row.high)  # type: ignore[arg-type]

    @property
    def drift(self) -> Drift | None:
        """Change within a round; None for jitter."""
        trending, change = self.row("trending_rounds"), self.row("drift")
        if trending is None and change is None:
            return None
        rounds, tested = (trending.value or 0, trending.rounds) if trending else (0, 0)
        return Drift(change.figure if change else None, int(rounds), tested)

    @cached_property
    def statistics(self) -> dict[str, ByRound]:
        """Statistics round by round, by their names in `model.statistics.STATISTICS`; those that
        nobody computed are left out."""
        return {
            one.name: self._by_round(one, row)
            for one in STATISTICS
            if (row := self.row(one.name)) is not None
        }

    def _by_round(self, one: Statistic, row: Estimated) -> ByRound:
        # Where a statistic has no value, its rows of rounds are what rounds stated themselves.
        each = self._each.get(one.name, ()) if row.value is not None else ()
        inside = self.value(one.name, INSIDE)
        return ByRound(
            figure=row.figure,
            rounds=[of.round for of in each if of.round is not None],
            values=[of.value for of in each if of.value is not None],
            inside=inside,
            seen=self._seen(one) if inside is not None else (0.0, 0.0),
            reason=row.reason,
            lost=row.bound == "lower",
            off_ns=self.bound_ns,
        )

    def _seen(self, one: Statistic) -> tuple[float, float]:
        """Return the ends of what the limits of an interval may be."""
        least, greatest = (self.value(name, POOL) for name in ("min", "max"))
        if one.percent is not None and one.percent > 50.0:
            least = min((of.value or 0.0 for of in self._each.get("median", ())), default=least)
        return least or 0.0, float("inf") if greatest is None else greatest

    def why_hidden(self, key: str) -> str:
        """Return what share was lost, where the statistic of this key falls among the lost in some
        round; else nothing."""
        row = self.row(BY_KEY[key].name)
        return (row.reason or "") if row and row.bound == "lower" else ""

    def halved(self) -> Distribution:
        """Return the same of half of each time."""
        name: Quantity = f"half_{self.quantity}"  # type: ignore[assignment]
        each = [row for rows in self._each.values() for row in rows]
        return Distribution(name, halves(self._rows.values(), name), halves(each, name))


BY_KEY = {one.key: one for one in STATISTICS}

POOLED_BY_KEY = {one.key: one.statistic for one in POOLED}


def best_shares(rows: Iterable[Estimated]) -> list[BestShare]:
    """Return the shares of smallest samples that rows are of."""
    found: dict[str, dict[str, Estimated]] = {}
    for row in rows:
        if row.over.startswith("best "):
            found.setdefault(row.over, {})[row.statistic] = row
    return [
        BestShare(
            percent=float(over.split()[1]),
            count=own["min"].count or 0,
            min_ns=own["min"].value or 0.0,
            mean_ns=own["mean"].value or 0.0,
            max_ns=own["max"].value or 0.0,
            std_ns=own["stdev"].value,
        )
        for over, own in found.items()
    ]


FACTORS = {"ns": 0.5, "ns²": 0.25}
"""Factor of a value of half of each time, by its unit; of any other it stays."""


def halves(rows: Iterable[Estimated], quantity: str) -> Iterator[Estimated]:
    """Yield the rows of half of each time. One hop's deviation is of half the trip already."""
    for row in rows:
        factor = FACTORS.get(row.unit, 1.0) if row.statistic != HOP else 1.0
        times = [None if v is None else v * factor for v in (row.value, row.low, row.high)]
        yield replace(row, quantity=quantity, value=times[0], low=times[1], high=times[2])


def is_typical(row: Estimated) -> bool:
    """Return whether a row is a reported statistic of a typical round."""
    return row.over == TYPICAL and row.statistic in REPORTED_NAMES


REPORTED_NAMES = frozenset(one.name for one in REPORTED)

Rounds = Mapping[str, ByRound]
"""Statistics of a latency, round by round, by name."""
