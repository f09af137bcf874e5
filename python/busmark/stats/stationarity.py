"""Whether a series changes over its length."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats._trend import trend_p_value
from busmark.stats.middle import medians

MIN_BLOCKS = 5
"""Fewest blocks tested: with four, even a perfect trend has a two-sided p-value of 2/24."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How a series changed over its length.

    Attributes:
        relative_change: (median of last third - median of first third) / |median of first
            third|; None when the series is shorter than three or that median is zero.
        p_value: two-sided p-value of the Mann-Kendall trend test on the block medians; None
            when there are too few samples for five blocks.
        blocks: number of blocks the test used; 0 when it was not done.
    """

    relative_change: float | None
    p_value: float | None
    blocks: int


def drift(x: ArrayLike, blocks: int = 20) -> Drift:
    """Measure the drift of a series in time order.

    The series is cut into ``blocks`` runs of nearly equal length (fewer when it is short), and
    Kendall's rank correlation of their medians with time is tested (Mann 1945, "Nonparametric
    tests against trend", Econometrica 13(3); Kendall 1975). Medians make single outliers
    harmless, and blocks take most of the autocorrelation out of the test.

    The test sees a monotonic trend only: a bump that returns to its start gives a large
    p-value. It takes block medians as independent, so autocorrelation that reaches across
    blocks makes p too small. With many samples a trend can be certain and of no importance,
    therefore thresholds on both figures are left to the caller.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``blocks`` < 5.
    """
    if blocks < MIN_BLOCKS:
        raise ValueError(f"blocks must be at least {MIN_BLOCKS}, got {blocks}")
    series = as_sample(x)
    n = int(series.size)
    change = None
    if n >= 3:
        start, end = (float(medians(part)) for part in (series[: n // 3], series[-(n // 3) :]))
        change = (end - start) / abs(start) if start != 0.0 else None
    used = min(blocks, n)
    if used < MIN_BLOCKS:
        return Drift(change, None, 0)
    p_value = trend_p_value(_block_medians(series, used))
    # Equal medians have no tau, but every ordering of them is as extreme as the one seen.
    return Drift(change, 1.0 if p_value is None else p_value, used)


def _block_medians(series: FloatArray, blocks: int) -> FloatArray:
    """Medians of the blocks of `numpy.array_split`, of which the first may have one value more."""
    length, longer = divmod(int(series.size), blocks)
    cut = longer * (length + 1)
    found = [
        medians(part.reshape(-1, width))
        for part, width in ((series[:cut], length + 1), (series[cut:], length))
        if part.size
    ]
    return np.concatenate(found)
