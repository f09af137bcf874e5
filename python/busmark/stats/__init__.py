"""Pure statistics for latency and throughput: arrays in, estimates out.

Nothing here reads a file or a clock, knows a unit, or keeps state; a random result depends on
its ``seed`` argument only.

- `sample`: samples, validated and sorted once (`Ordered`), and ranks.
- `intervals`: `Estimate`, a value with its interval; `Range`, what it can be; `typical`, the
  median over rounds.
- `rounds`: `Round`, a round of autocorrelated samples, and the variation of a statistic in it.
- `two_level`: intervals over rounds and the samples within them; over sessions.
- `change`: `Change`, a ratio or difference of two sets of rounds, with interval and test.
- `percentiles`: observed percentiles with their intervals: of a round, of all rounds together,
  with lost samples as later than any.
- `exceedance`: the share of samples beyond a limit; rounds beyond one, each by its partner.
- `precision`: how precise a typical round is, how long rounds are best, and how many follow.
- `describe`: summary figures of a sample, of its best part, and of neighbours (jitter).
- `distribution`: densities, histograms and percentile curves. `modality`: modes.
- `dependence`: autocorrelated rounds, drift in a series, differences of groups, many tests.
- `steps`: where the level of a series has changed.
- `sweep`: through several points: a robust line, values between them, a knee.
- `sustained`: the greatest rate at which trials pass, by bisection.
- `clock`: bounds on the offset between two clocks, and the step of one.
"""

from busmark.stats.change import (
    Change,
    Level,
    difference_of_shares,
    independent_ratio,
    paired_change,
    ratio_of_estimates,
    ratio_of_levels,
    reduce_rounds,
    sign_test,
)
from busmark.stats.clock import MAX_DRIFT, ClockOffset, clock_offset, clock_step
from busmark.stats.dependence import (
    Dependence,
    GroupDifference,
    SeriesDrift,
    autocorrelation,
    dependence,
    difference,
    drift,
    holm,
    lengthening,
)
from busmark.stats.describe import (
    BEST,
    BestPart,
    Description,
    Indices,
    best,
    consecutive,
    describe,
    hop_deviation,
    ipdv,
)
from busmark.stats.distribution import (
    Histogram,
    Smoothed,
    decimate,
    histogram,
    kernel_estimate,
    log_histogram,
    percentile_curve,
    silverman_bandwidth,
)
from busmark.stats.exceedance import (
    Exceedance,
    RoundsBeyond,
    exceedance,
    exceedance_of_baseline,
    exceedance_of_counts,
    rounds_beyond,
)
from busmark.stats.intervals import (
    CHANGE,
    DIFFERENCE,
    POSITIVE,
    SHARE,
    SIGNED,
    Estimate,
    Range,
    order_limits,
    share_interval,
    typical,
    typical_change,
)
from busmark.stats.modality import DensityMode, DensityModes, modes
from busmark.stats.percentiles import (
    LADDER,
    MIN_BEYOND,
    among_lost,
    of_sent,
    percentile,
    percentile_interval,
    percentiles,
    pooled_percentile,
    quantiles,
    supported,
    with_lost,
)
from busmark.stats.precision import (
    FEW,
    Schedule,
    StatisticSpread,
    Variation,
    early,
    reach,
    schedule,
)
from busmark.stats.rounds import (
    Round,
    Statistic,
    block_variance,
    effective_sample_size,
    evaluate,
    inner_variance,
    tail_support,
)
from busmark.stats.sample import Ordered, medians, rank
from busmark.stats.steps import FEWEST as FEWEST_FOR_STEP
from busmark.stats.steps import LEAST as LEAST_BESIDE_STEP
from busmark.stats.steps import (
    MAX_CORRELATION,
    SeriesStep,
    divergences,
    divide,
    neighbours,
    rank_p_value,
    steps,
    steps_together,
)
from busmark.stats.sustained import Bisection, SustainedRate
from busmark.stats.sweep import (
    MIN_POINTS,
    FittedLine,
    Knee,
    SweepCurve,
    curve_between,
    knee,
    rising,
    robust_line,
    theil_sen,
)
from busmark.stats.two_level import (
    level_estimate,
    paired_ratio,
    ratio,
    t_interval,
    two_level,
    with_sessions,
)

__all__ = [
    "BEST",
    "CHANGE",
    "DIFFERENCE",
    "FEW",
    "FEWEST_FOR_STEP",
    "LADDER",
    "LEAST_BESIDE_STEP",
    "MAX_CORRELATION",
    "MAX_DRIFT",
    "MIN_BEYOND",
    "MIN_POINTS",
    "POSITIVE",
    "SHARE",
    "SIGNED",
    "BestPart",
    "Bisection",
    "Change",
    "ClockOffset",
    "DensityMode",
    "DensityModes",
    "Dependence",
    "Description",
    "Estimate",
    "Exceedance",
    "FittedLine",
    "GroupDifference",
    "Histogram",
    "Indices",
    "Knee",
    "Level",
    "Ordered",
    "Range",
    "Round",
    "RoundsBeyond",
    "Schedule",
    "SeriesDrift",
    "SeriesStep",
    "Smoothed",
    "Statistic",
    "StatisticSpread",
    "SustainedRate",
    "SweepCurve",
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
    "rank_p_value",
    "ratio",
    "ratio_of_estimates",
    "ratio_of_levels",
    "reach",
    "reduce_rounds",
    "rising",
    "robust_line",
    "rounds_beyond",
    "schedule",
    "share_interval",
    "sign_test",
    "silverman_bandwidth",
    "steps",
    "steps_together",
    "supported",
    "t_interval",
    "tail_support",
    "theil_sen",
    "two_level",
    "typical",
    "typical_change",
    "with_lost",
    "with_sessions",
]
