"""Pure statistics for latency and throughput: arrays in, estimates out.

Nothing here reads a file or a clock, knows a unit, or keeps state; a random result depends on
its ``seed`` argument only.

- `estimate`: `Estimate`, a value with its interval.
- `bisection`: `Bisection`, a threshold from trials that may mislead.
- `sustained`: `SustainedRate`, the greatest rate at which trials pass.
- `describe`: `describe`, summary figures of one sample. `middle`: `medians`, sooner than numpy's.
- `percentiles`: observed percentiles, when they are supported, and their exact intervals.
- `typical`: the median over rounds with its interval. `dependence`: rounds like the one before.
- `two_level`: `two_level` and `ratio`, intervals over rounds and the samples within them.
- `change`: `Change`, a ratio or difference of two sets of rounds with its interval and its test.
- `steps`: where the level of a series has changed.
- `multiplicity`: p-values of many tests.
- `within`: `effective_sample_size` of an autocorrelated round, and `evaluate` a statistic of it.
- `intervals`: `t_interval` of a mean and `paired_ratio`, for one figure per round.
- `precision`: `Spread`, how precise that is, also of schedules that were not run.
- `round_length`: how long rounds are best, and how many follow: `Variation`, `schedule`.
- `share`: `share_interval` of things counted.
- `line`: `robust_line` through what several rounds measured, and its cross-validation errors.
- `knee`: where a rising curve leaves its floor. `between`: values between measured points.
- `rising`: the nearest rising curve.
- `clock`: `clock_offset`, bounds on the offset between two clocks.
- `curve`: percentile curves for plots.
- `decimate`: timelines for plots.
- `lost`: percentiles of what was sent, lost samples later than any.
- `jitter`: `ipdv`, delay variation of consecutive samples.
- `session`: what campaigns of the same differ by.
- `stationarity`: `drift` over the length of a series.
- `groups`: `difference`, whether groups of values differ.
- `modality`: `modes` of a latency distribution. `lattice`: the step of the clock.
- `round`: `Round`, `ordered`: `Ordered`, samples that are sorted once and handed on.
- `pooled`: `pooled_percentile` of all rounds together, with an interval over rounds.
- `histogram`: even and logarithmic bins. `density`: Gaussian kernel estimates of any size.
- `best`: figures of the best 100, 99.9, 99, 90 %. `hops`: one hop of a path of several.
- `autocorrelation`: how alike neighbours are.
"""

from busmark.stats._levels import Level, reduce_rounds
from busmark.stats._rank import rank
from busmark.stats.best import BEST, Best, best
from busmark.stats.between import MIN_CURVE, Curve, curve_between
from busmark.stats.bisection import Bisection
from busmark.stats.change import (
    Change,
    difference_of_shares,
    independent_ratio,
    paired_change,
    ratio_of_estimates,
    ratio_of_levels,
)
from busmark.stats.clock import MAX_DRIFT, ClockOffset, clock_offset, clock_step
from busmark.stats.curve import decimate, percentile_curve
from busmark.stats.density import Smoothed, kernel_estimate, silverman_bandwidth
from busmark.stats.dependence import Dependence, autocorrelation, dependence, lengthening
from busmark.stats.describe import Description, describe, hop_deviation
from busmark.stats.estimate import Estimate
from busmark.stats.exceedance import (
    Exceedance,
    exceedance,
    exceedance_of_baseline,
    exceedance_of_counts,
)
from busmark.stats.groups import Difference, difference, holm
from busmark.stats.histogram import Histogram, histogram, log_histogram
from busmark.stats.jitter import Indices, consecutive, ipdv
from busmark.stats.knee import Knee, knee, rising
from busmark.stats.line import MIN_POINTS, Line, robust_line, theil_sen
from busmark.stats.lost import among_lost, of_sent, with_lost
from busmark.stats.modality import Modality, Mode, modes
from busmark.stats.ordered import Ordered, medians
from busmark.stats.percentiles import (
    LADDER,
    MIN_BEYOND,
    percentile,
    percentile_interval,
    percentiles,
    quantiles,
    supported,
)
from busmark.stats.pooled import pooled_percentile
from busmark.stats.precision import FEW, Spread, early
from busmark.stats.round import Round
from busmark.stats.round_length import Schedule, Variation, reach, schedule
from busmark.stats.session import with_sessions
from busmark.stats.share import share_interval
from busmark.stats.stationarity import Drift, drift
from busmark.stats.steps import (
    LEAST,
    MAX_CORRELATION,
    Step,
    divergences,
    divide,
    neighbours,
    steps,
    steps_together,
)
from busmark.stats.steps import LEAST as LEAST_BESIDE_STEP
from busmark.stats.sustained import SustainedRate
from busmark.stats.two_level import level_estimate, paired_ratio, ratio, t_interval, two_level
from busmark.stats.typical import order_limits, typical
from busmark.stats.within import (
    Statistic,
    block_variance,
    effective_sample_size,
    evaluate,
    inner_variance,
    tail_support,
)

__all__ = [
    "BEST",
    "FEW",
    "LADDER",
    "LEAST",
    "LEAST_BESIDE_STEP",
    "MAX_CORRELATION",
    "MAX_DRIFT",
    "MIN_BEYOND",
    "MIN_CURVE",
    "MIN_POINTS",
    "Best",
    "Bisection",
    "Change",
    "ClockOffset",
    "Curve",
    "Dependence",
    "Description",
    "Difference",
    "Drift",
    "Estimate",
    "Exceedance",
    "Histogram",
    "Indices",
    "Knee",
    "Level",
    "Line",
    "Modality",
    "Mode",
    "Ordered",
    "Round",
    "Schedule",
    "Smoothed",
    "Spread",
    "Statistic",
    "Step",
    "SustainedRate",
    "Variation",
    "among_lost",
    "autocorrelation",
    "best",
    "block_variance",
    "clock_offset",
    "clock_step",
    "consecutive",
    "curve_between",
    "decimate",
    "dependence",
    "describe",
    "difference",
    "difference_of_shares",
    "divergences",
    "divide",
    "drift",
    "early",
    "effective_sample_size",
    "evaluate",
    "exceedance",
    "exceedance_of_baseline",
    "exceedance_of_counts",
    "histogram",
    "holm",
    "hop_deviation",
    "independent_ratio",
    "inner_variance",
    "ipdv",
    "kernel_estimate",
    "knee",
    "lengthening",
    "level_estimate",
    "log_histogram",
    "medians",
    "modes",
    "neighbours",
    "of_sent",
    "order_limits",
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
    "reach",
    "reduce_rounds",
    "rising",
    "robust_line",
    "schedule",
    "share_interval",
    "silverman_bandwidth",
    "steps",
    "steps_together",
    "supported",
    "t_interval",
    "tail_support",
    "theil_sen",
    "two_level",
    "typical",
    "with_lost",
    "with_sessions",
]
