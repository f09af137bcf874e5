"""Figures of a distribution, and what charts of it draw, for docs/reference/metrics.md."""

from __future__ import annotations

from tools.pages.metric import TWO_LEVEL, Metric

DISTRIBUTION = (
    Metric(
        "Median", ("median",),
        "Middle latency.",
        "median of each round. " + TWO_LEVEL,
        "all counted rounds",
        "Nothing about the tail, and little when there are two modes (finding `bimodal`).",
    ),
    Metric(
        "Mean", ("mean",),
        "Arithmetic mean.",
        "mean of each round. " + TWO_LEVEL,
        "all counted rounds",
        "A typical sample: a few stalls dominate it.",
    ),
    Metric(
        "p99 and p99.9", ("p99", "p999"),
        "Percentiles with an interval; only where every round supports them.",
        "smallest observed value with at least 99 % (99.9 %) of the round at or below it. "
        + TWO_LEVEL,
        "all counted rounds",
        "A guarantee. The next run may exceed it more often than one in a hundred.",
    ),
    Metric(
        "Percentile ladder", ("percentiles",),
        "50, 75, 90, 95, 99, 99.9 … 99.9999 of all samples together.",
        "value of rank ⌈n·p/100⌉; absent unless at least 10 samples are expected beyond it. "
        "Interval: Woodruff's, over rounds (`low_ns`, `high_ns`); absent where a limit would lie "
        "beyond the samples, or where one or two rounds decide the tail",
        "all counted rounds, pooled",
        "What a typical round has: one bad round decides the tail of all.",
    ),
    Metric(
        "MAD", ("mad_ns",),
        "Median absolute deviation from the median.",
        "median of |x − median|, not multiplied by 1.4826",
        "all counted rounds, pooled",
        "It is not an estimate of a standard deviation.",
    ),
    Metric(
        "Standard deviation, skewness, kurtosis", ("std_ns", "skewness", "kurtosis"),
        "Moments of all samples together.",
        "divisor n − 1; adjusted Fisher–Pearson G1; bias-corrected excess G2 (Joanes & Gill 1998)",
        "all counted rounds, pooled",
        "Much: latencies are not normal, and a few extremes decide all three.",
    ),
    Metric(
        "Minimum and maximum", ("min_ns", "max_ns"),
        "Smallest and largest latency seen.",
        "",
        "all counted rounds, pooled",
        "The maximum grows with the length of the measurement. It bounds nothing.",
    ),
    Metric(
        "Count", ("count",),
        "Samples behind the figures.",
        "",
        "all counted rounds",
        "How many of them are independent.",
    ),
    Metric(
        "Effective count", ("effective_count",),
        "How many independent samples would know the mean as well: neighbours are alike.",
        "n · s² / (b · s_b²) of each round, by means of batches of length b = √n (Flegal & Jones "
        "2010), at most n; summed over rounds",
        "all counted rounds, in time order",
        "Dependence that reaches further than one batch.",
    ),
    Metric(
        "Best part", ("best",),
        "Count, minimum, mean, maximum and standard deviation of the best 100, 99.9, 99 and 90 %, "
        "as the test suite of OpenSplice prints them.",
        "the ⌈n·p/100⌉ smallest samples",
        "all counted rounds, pooled",
        "Anything of what was left out. It shows how far a few samples decide mean and deviation.",
    ),
    Metric(
        "Deviation of one hop", ("hop_std",),
        "Between which the standard deviation of one of the two ways of a round trip lies, if the "
        "two are alike; null for what is one way already.",
        "σ/2 if both ways always go alike, σ/√2 = 0.707 σ if they are independent",
        "all counted rounds, pooled",
        "Extremes or percentiles of one way. If a slow way out goes with a fast way back, it is "
        "more than the upper bound.",
    ),
    Metric(
        "Modes", ("modality",),
        "How many well separated peaks the density has, where the two largest are, and how deep "
        "the valley between them is. Null for jitter, and where a value is not positive.",
        "Gaussian kernel on log(x), Silverman's bandwidth; a valley at most half as high as the "
        "lower peak, deeper than five standard errors, 5 % of all samples on each side",
        "all counted rounds, pooled",
        "Why; nor whether the modes alternate or follow each other. See the finding `bimodal`.",
    ),
    Metric(
        "Drift", ("drift",),
        "Change from the first third of a round to its last, and in how many rounds there is a "
        "trend. Null for jitter.",
        "median of the last third / median of the first − 1, mean over rounds with Student's "
        "interval; `trending`: Mann–Kendall on the medians of 20 blocks, p < 0.01",
        "all counted rounds, in time order",
        "A bump that returns to its beginning.",
    ),
)  # fmt: skip

SHAPE = (
    Metric(
        "Histogram", ("histogram", "log_histogram"),
        "Counts in 25 bins of equal width between the 5th and the 95th percentile; and in 25 bins "
        "of equal ratio from the smallest positive value to the largest. What is outside is in "
        "`below` and `above`.",
        "a bin holds its lower edge, the last one its upper too; all equal: one bin of 1 ns",
        "all counted rounds, pooled",
        "Where the edges happen to be shows in it. Of jitter, the logarithmic one has magnitudes.",
    ),
    Metric(
        "Density", ("density", "density_10us"),
        "Share of samples per nanosecond, by a Gaussian kernel: with a bandwidth from the data, "
        "and with 10 µs, as OpenDDSBench draws it.",
        "bandwidth 0.9 · min(s, IQR/1.34) · n^(−1/5) (Silverman 1986), at least 1 ns; from the "
        "0.5th to the 99.5th percentile and three bandwidths beyond",
        "all counted rounds, pooled; of jitter, signed",
        "Anything finer than its bandwidth. A little of it lies where no sample can be.",
    ),
    Metric(
        "Quantiles", ("quantiles",),
        "Observed values at evenly spaced per cent; turned round, the distribution function.",
        "value of rank ⌈n·p/100⌉; 0 is the smallest, 100 the largest",
        "all counted rounds, pooled",
        "The tail beyond its last step: for that there is `curve`.",
    ),
    Metric(
        "Smoothed distribution function", ("smoothed_cdf",),
        "Share of samples at or below a value, by the kernel of `density`.",
        "mean of Φ((x − xᵢ) / bandwidth)",
        "all counted rounds, pooled",
        "Steps: values that really are the same are spread over a bandwidth.",
    ),
    Metric(
        "Samples", ("count",),
        "Samples behind the shape.",
        "", "all counted rounds",
        "How many of them are independent.",
    ),
)  # fmt: skip
