"""Figures of a distribution, and what charts of it draw, for docs/reference/metrics.md."""

from __future__ import annotations

from busmark.model.distribution import HOP, LOSS
from busmark.model.entry import TWO_LEVEL
from busmark.model.entry import Explained as Metric
from busmark.model.quantities.latency import CLOCK_BOUND
from busmark.model.statistics import POOLED, REPORTED
from busmark.model.text import joined
from busmark.stats import LADDER

PERCENTILES = [one for one in REPORTED if one.percent is not None]

RANKED = (
    *(one.explained for one in REPORTED if one.explained),
    Metric(
        f"{joined([one.name for one in PERCENTILES])} of a round",
        tuple(one.name for one in PERCENTILES),
        "The percentile of a typical round, the median over rounds, with an interval; only where "
        "every round supports it. A lost ping is later than any that came back.",
        "smallest observed value with at least this percentage of the round at or below it. "
        + TWO_LEVEL,
        "all counted rounds",
        "A guarantee. The next run may exceed the 99th more often than one in a hundred.",
    ),
)

DISTRIBUTION = (
    *RANKED,
    Metric(
        "What was lost", (LOSS,),
        "Share of the pings, or probes, that never came back. A percentile that falls among them "
        "in some round has no value. Where the median falls among the lost there is no "
        "distribution.",
        "lost / sent; a percentile falls among the lost where its rank ⌈n·p/100⌉ among the n that "
        "were sent is above the number that came back",
        "all counted rounds",
        "For a stream of another tool, which kept no record of its probes: there the share is "
        "null where samples were lost.",
    ),
    *CLOCK_BOUND.explained,
    Metric(
        "Percentile ladder, all rounds pooled", tuple(f"p{percent:.10g}" for percent in LADDER),
        "50, 75, 90, 95, 99, 99.9 … 99.9999 of all samples of all rounds together; so p99 here "
        "differs from p99 of a round. A lost ping is later than any that came back; a percentile "
        "that falls among the lost has no value.",
        "value of rank ⌈n·p/100⌉; absent unless at least 10 samples are expected beyond it. "
        "Interval: Woodruff's, over rounds (`low`, `high`); absent where a limit would lie "
        "beyond the samples, or where one or two rounds decide the tail",
        "all counted rounds, pooled",
        "What a typical round has: one bad round decides the tail of all.",
    ),
    *dict.fromkeys(one.explained for one in POOLED),
    Metric(
        "Count", (),
        "Samples behind the figures: the column `count`.",
        "",
        "all counted rounds",
        "How many of them are independent.",
    ),
    Metric(
        "Effective count", (),
        "The effective sample size, the column `effective`: how many independent samples would "
        "give a mean of the same precision, because neighbours are alike.",
        "n · s² / (b · s_b²) of each round, by means of batches of length b = √n (Flegal & Jones "
        "2010), at most n; summed over rounds",
        "all counted rounds, in time order",
        "Dependence that reaches further than one batch.",
    ),
    Metric(
        "Best part", (),
        "Count, minimum, mean, maximum and standard deviation of the best 100, 99.9, 99 and 90 %, "
        "as the test suite of OpenSplice prints them: rows over `best 99 %`.",
        "the ⌈n·p/100⌉ smallest samples",
        "all counted rounds, pooled",
        "Anything of what was left out. It shows how far a few samples decide mean and deviation.",
    ),
    Metric(
        "Deviation of one hop", (HOP,),
        "Between which the standard deviation of one of the two ways of a round trip lies, if the "
        "two are alike; null for what is one way already.",
        "σ/2 if both ways always go alike, σ/√2 = 0.707 σ if they are independent",
        "all counted rounds, pooled",
        "Extremes or percentiles of one way. If a slow way out goes with a fast way back, it is "
        "more than the upper bound.",
    ),
    Metric(
        "Modes", ("modes", "mode_1", "mode_2", "mode_1_share", "mode_2_share", "valley_ratio"),
        "How many well separated peaks the density has, where the two largest are, which samples "
        "are of each (`low` to `high`: from the valley below to the valley above) and their "
        "share, and how deep the valley between the two is. Null for jitter, by two clocks, and "
        "where a value is not positive.",
        "Gaussian kernel on log(x), Silverman's bandwidth; a valley at most half as high as the "
        "lower peak, deeper than five standard errors, 5 % of all samples on each side",
        "all counted rounds, pooled",
        "Why; nor whether the modes alternate or follow each other. See the finding `bimodal`.",
    ),
    Metric(
        "Drift", ("drift", "trending_rounds"),
        "Change from the first third of a round to its last, and in how many rounds there is a "
        "trend. Null for jitter, by two clocks, and where a timeline changes something in the "
        "middle of rounds.",
        "median of the last third / median of the first − 1, of a typical round: median over "
        "rounds, and interval, of 1 + change on logarithms; `trending_rounds`: Mann–Kendall on the "
        "medians of 20 blocks, p < 0.01",
        "all counted rounds, in time order",
        "A bump that returns to its beginning.",
    ),
)  # fmt: skip

SHAPE = (
    Metric(
        "Histogram", ("histogram", "log_histogram"),
        "Counts in 25 bins of equal width between the 5th and the 95th percentile; and in 25 bins "
        "of equal ratio from the smallest positive value to the largest. What is outside is in "
        "open bins at both ends.",
        "a bin holds its lower edge, the last one its upper too; all equal: one bin of 1 ns",
        "all counted rounds, pooled",
        "Where the edges happen to be shows in it. For jitter, the logarithmic one has magnitudes.",
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
        "Observed values at evenly spaced per cent of what was sent, to the share that came back; "
        "turned round, the distribution function.",
        "value of rank ⌈n·p/100⌉ of the n that were sent; 0 is the smallest",
        "all counted rounds, pooled",
        "The tail beyond its last step: for that there is the kind `percentiles`.",
    ),
    Metric(
        "Smoothed distribution function", ("smoothed_ecdf",),
        "Share of the samples sent that is at or below a value, by the kernel of `density`.",
        "mean of Φ((x − xᵢ) / bandwidth), times the share that came back",
        "all counted rounds, pooled",
        "Steps: values that really are the same are spread over a bandwidth.",
    ),
    Metric(
        "Samples", ("count", "lost"),
        "Samples behind the shape, and those that never came back; null where that is not known.",
        "", "all counted rounds",
        "How many of them are independent.",
    ),
)  # fmt: skip
