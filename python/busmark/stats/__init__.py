"""Pure statistics for latency and throughput: arrays in, estimates out.

Nothing here reads a file or a clock, knows a unit, or keeps state; a random result depends on
its ``seed`` argument only.

- `estimate`: `Estimate`, a value with its interval.
- `bisection`: `Bisection`, a threshold from trials that may mislead.
- `sustained`: `SustainedRate`, the greatest rate at which trials pass.
- `describe`: `describe`, summary figures of one sample.
- `percentiles`: observed percentiles, when they are supported, and their exact intervals.
- `bootstrap`: `two_level` and `ratio`, intervals over rounds and the samples within them.
- `change`: `Change`, a ratio or difference of two sets of rounds with its interval and its test.
- `multiplicity`: p-values of many tests.
- `within`: `effective_sample_size` of an autocorrelated round, and `evaluate` a statistic of it.
- `intervals`: `t_interval` and `paired_ratio`, for one figure per round.
- `precision`: `Spread`, how precise a mean over rounds is, also of schedules that were not run.
- `share`: `share_interval` of things counted.
- `line`: `robust_line` through what several rounds measured, and its errors on points held out.
- `knee`: where a rising curve leaves its floor. `between`: values between measured points.
- `clock`: `clock_offset`, bounds on the offset between two clocks.
- `ecdf`: distribution functions and percentile curves for plots.
- `decimate`: timelines for plots.
- `jitter`: `ipdv`, delay variation of consecutive samples.
- `stationarity`: `drift` over the length of a series.
- `groups`: `difference`, whether groups of values differ.
- `modality`: `modes` of a latency distribution.
- `round`: `Round`, `ordered`: `Ordered`, samples that are sorted once and handed on.
- `pooled`: `pooled_percentile` of all rounds together, with an interval over rounds.
- `histogram`: even and logarithmic bins. `density`: Gaussian kernel estimates of any size.
- `best`: figures of the best 100, 99.9, 99, 90 %. `hops`: one hop of a path of several.
- `shift`: two distributions, percentile by percentile. `effect`: how large a difference is.
- `autocorrelation`: how alike neighbours are. `multiplicity`: p-values of many tests.
"""

from busmark.stats._levels import Level, reduce_rounds
from busmark.stats.autocorrelation import autocorrelation
from busmark.stats.best import BEST, Best, best
from busmark.stats.between import MIN_CURVE, Curve, curve_between
from busmark.stats.bisection import Bisection
from busmark.stats.bootstrap import RESAMPLES, level_estimate, ratio, two_level
from busmark.stats.change import (
    Change,
    difference_of_shares,
    independent_ratio,
    paired_change,
    ratio_of_estimates,
    ratio_of_levels,
)
from busmark.stats.clock import ClockOffset, clock_offset
from busmark.stats.decimate import decimate
from busmark.stats.density import Smoothed, kernel_estimate, silverman_bandwidth
from busmark.stats.describe import Description, describe
from busmark.stats.ecdf import ecdf, percentile_curve
from busmark.stats.effect import cliffs_delta, hodges_lehmann, superiority, superiority_over_rounds
from busmark.stats.estimate import Estimate
from busmark.stats.groups import Difference, difference
from busmark.stats.histogram import Histogram, histogram, log_histogram
from busmark.stats.hops import hop_deviation
from busmark.stats.intervals import paired_ratio, t_interval
from busmark.stats.jitter import Indices, consecutive, ipdv
from busmark.stats.knee import Knee, knee
from busmark.stats.line import MIN_POINTS, Line, robust_line
from busmark.stats.modality import Modality, Mode, modes
from busmark.stats.multiplicity import benjamini_hochberg, holm
from busmark.stats.ordered import Ordered
from busmark.stats.percentiles import (
    LADDER,
    MIN_BEYOND,
    percentile,
    percentile_interval,
    percentiles,
    quantiles,
    rank,
    supported,
)
from busmark.stats.pooled import pooled_percentile
from busmark.stats.precision import Spread, inner_variance
from busmark.stats.round import Round
from busmark.stats.share import share_interval
from busmark.stats.shift import DECILES, Shift, shift
from busmark.stats.stationarity import Drift, drift
from busmark.stats.sustained import SustainedRate
from busmark.stats.within import Statistic, effective_sample_size, evaluate

__all__ = [
    "BEST",
    "DECILES",
    "LADDER",
    "MIN_BEYOND",
    "MIN_CURVE",
    "MIN_POINTS",
    "RESAMPLES",
    "Best",
    "Bisection",
    "Change",
    "ClockOffset",
    "Curve",
    "Description",
    "Difference",
    "Drift",
    "Estimate",
    "Histogram",
    "Indices",
    "Knee",
    "Level",
    "Line",
    "Modality",
    "Mode",
    "Ordered",
    "Round",
    "Shift",
    "Smoothed",
    "Spread",
    "Statistic",
    "SustainedRate",
    "autocorrelation",
    "benjamini_hochberg",
    "best",
    "cliffs_delta",
    "clock_offset",
    "consecutive",
    "curve_between",
    "decimate",
    "describe",
    "difference",
    "difference_of_shares",
    "drift",
    "ecdf",
    "effective_sample_size",
    "evaluate",
    "histogram",
    "hodges_lehmann",
    "holm",
    "hop_deviation",
    "independent_ratio",
    "inner_variance",
    "ipdv",
    "kernel_estimate",
    "knee",
    "level_estimate",
    "log_histogram",
    "modes",
    "paired_change",
    "paired_ratio",
    "percentile",
    "percentile_curve",
    "percentile_interval",
    "percentiles",
    "pooled_percentile",
    "quantiles",
    "rank",
    "ratio",
    "ratio_of_estimates",
    "ratio_of_levels",
    "reduce_rounds",
    "robust_line",
    "share_interval",
    "shift",
    "silverman_bandwidth",
    "superiority",
    "superiority_over_rounds",
    "supported",
    "t_interval",
    "two_level",
]
