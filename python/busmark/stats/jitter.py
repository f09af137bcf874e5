"""Delay variation between consecutive samples."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray, as_sample

Indices = NDArray[np.int64]


def ipdv(latency: ArrayLike, seq: ArrayLike) -> FloatArray:
    """Return the signed inter-packet delay variation of consecutive samples.

    ``latency`` and ``seq`` have shape (n,), one entry per received sample in order of arrival.
    For each sequence number s that arrived together with s + 1, the result holds
    latency(s + 1) - latency(s), in order of s (RFC 3393, Demichelis & Chimento 2002, with the
    selection function "consecutive packets"). A pair across a lost sample is left out, since it
    would mix the loss into the variation. Samples that overtook each other are put back in
    order, and of a duplicated sample the first arrival counts. The result may be empty.

    A constant clock offset cancels in each difference; clock drift does not. The differences of
    neighbours say nothing about slow changes of latency.

    Raises:
        ValueError: if either array is empty or not one-dimensional, if they differ in length,
            if ``latency`` holds NaN or an infinity, or if ``seq`` is not of an integer type.
    """
    delays = as_sample(latency, "latency")
    numbers = np.asarray(seq)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"seq must be of an integer type, got {numbers.dtype}")
    if numbers.shape != delays.shape:
        raise ValueError(f"latency and seq differ in shape: {delays.shape} and {numbers.shape}")
    first, second = consecutive(numbers)
    variation: FloatArray = delays[second] - delays[first]
    return variation


def consecutive(seq: ArrayLike, step: int = 1) -> tuple[Indices, Indices]:
    """Return the indices of s and of s + ``step`` for each such pair of numbers in ``seq``.

    ``seq`` has shape (n,), in order of arrival; if a number occurs twice the first counts. Both
    results have the same shape, in order of s. ``step`` above 1 is for series of which only every
    n-th sample is measured.

    Raises:
        ValueError: if ``seq`` is not one-dimensional or not of an integer type, or ``step`` < 1.
    """
    numbers = np.asarray(seq)
    if not np.issubdtype(numbers.dtype, np.integer) or numbers.ndim != 1:
        raise ValueError(f"seq must be one row of integers, got {numbers.ndim} of {numbers.dtype}")
    if step < 1:
        raise ValueError(f"step must be at least 1, got {step}")
    # Compared by increment: a difference of unsigned numbers in rising order cannot wrap.
    if (numbers[1:] > numbers[:-1]).all():
        follows = np.flatnonzero(numbers[1:] - numbers[:-1] == step)
        return follows, follows + 1
    ordered, index = np.unique(numbers, return_index=True)
    follows = np.flatnonzero(ordered[1:] - ordered[:-1] == step)
    return index[follows], index[follows + 1]
