"""Samples of a round, as all take them from the raw table, and their latencies.

The warm-up is left out. A latency begins when the sample was to be sent, so that a sender that was
held up is charged with the delay (coordinated omission). A sample that was lost counts as later
than any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from busmark.store.columns import ASKING, WARM_UP

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from busmark.model.parameters import Parameters
    from busmark.stats import Round, Statistic


def measured(samples: pl.DataFrame, *roles: str) -> pl.DataFrame:
    """Return the samples of these roles, of all roles if none is named, without the warm-up."""
    flags = samples["flags"]
    # Filling makes a plan, which costs as much as reading a column.
    flags = flags.fill_null(0) if flags.null_count() else flags
    kept = flags & WARM_UP == 0
    if len(roles) == 1:
        kept &= samples["role"] == roles[0]
    elif roles:
        kept &= samples["role"].is_in(roles)
    return samples if kept.all(ignore_nulls=False) else samples.filter(kept)


def start_ns(rows: pl.DataFrame) -> pl.Series:
    """Return when each sample was to be sent, ns; of a source without intended times, when it was
    sent."""
    intended = rows["intended_ns"]
    if not intended.null_count():
        return intended
    return intended.zip_with(intended.is_not_null(), rows["sent_ns"])


def latency_ns(rows: pl.DataFrame) -> pl.Series:
    """Return the latency of each sample, ns: null where it was lost."""
    return rows["read_ns"] - start_ns(rows)


def latencies(rows: pl.DataFrame) -> NDArray[np.float64]:
    """Return the latencies of the samples that came back, ns, in order of their intended sending:
    rows of several writers come one after the other."""
    known = rows.select(start=start_ns(rows), latency=latency_ns(rows)).drop_nulls("latency")
    ordered = known.sort("start", maintain_order=True)["latency"]
    return ordered.to_numpy().astype("float64")


@dataclass(frozen=True, slots=True)
class RoundLatencies:
    """The latencies of a round, ns, in order of intended sending, and how many samples were
    lost."""

    back: NDArray[np.float64]
    lost: int = 0

    def statistic(self, which: Statistic) -> float | None:
        """Return the mean, the median or a percentile; None as for `whole`."""
        from busmark.stats import evaluate

        whole = self.whole(which)
        return None if whole is None else evaluate(whole, which)

    def whole(self, which: Statistic) -> Round | None:
        """Return the values of which a statistic is, the lost ones at the end, except for a mean;
        None where the statistic falls among these, nothing came back, or a percentile has fewer
        than ten effective samples beyond it."""
        import numpy as np

        from busmark.stats import Round, among_lost, supported, tail_support

        values = self.back
        if not values.size or among_lost(which, int(values.size), self.lost):
            return None
        if self.lost and which != "mean":
            values = np.concatenate((values, np.full(self.lost, values.max())))
        found = Round.from_values(values)
        if not isinstance(which, float) or which == 50.0:
            return found
        enough = supported(which, found.count) and supported(which, tail_support([found], which))
        return found if enough else None

    def share_beyond(self, limit_ns: float) -> float | None:
        """Return the share of samples that took longer than this, the lost among them; None
        where there is none. Unlike a percentile it is a count, which needs no number of them."""
        count = int(self.back.size) + self.lost
        return (int((self.back > limit_ns).sum()) + self.lost) / count if count else None

    @property
    def max_ns(self) -> float | None:
        """The longest; None where nothing came back."""
        return float(self.back.max()) if self.back.size else None


def round_trips(samples: pl.DataFrame, params: Parameters) -> RoundLatencies:
    """Return the round trips of a case's pings, or of its echoed probes. What the readers' filter
    leaves out is not lost."""
    import polars as pl

    asked = measured(samples, *ASKING)
    gone = pl.col("read_ns").is_null()
    below, instances = params.filter_below, params.instances
    if below and instances and below < instances:
        gone &= pl.col("seq") % instances < below
    return RoundLatencies(latencies(asked), asked.filter(gone).height)


def one_way(rows: pl.DataFrame) -> RoundLatencies:
    """Return the one-way times of rows, each of which is a sample that was to arrive."""
    values = latencies(rows)
    return RoundLatencies(values, rows.height - values.size)
