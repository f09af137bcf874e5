"""Delay variation between consecutive samples."""

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample


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
    ordered, first = np.unique(numbers, return_index=True)
    delays = delays[first]
    # Compared by increment: a difference of unsigned numbers in rising order cannot wrap.
    consecutive = ordered[1:] - ordered[:-1] == 1
    variation: FloatArray = (delays[1:] - delays[:-1])[consecutive]
    return variation
