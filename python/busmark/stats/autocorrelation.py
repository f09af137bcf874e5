"""How alike values some places apart in a series are."""

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample


def autocorrelation(x: ArrayLike, lags: int) -> FloatArray | None:
    """Return the autocorrelation of ``x`` at lags 0 to min(``lags``, n - 1); None if constant.

    r_k = sum_t (x_t - m)(x_{t+k} - m) / sum_t (x_t - m)**2 (Box & Jenkins 1970, section 2.1.5),
    computed by FFT. ``x`` has shape (n,), in time order. For independent values about 95 % of the
    r_k lie within 1.96 / sqrt(n) of 0.

    It sees linear dependence only, and a few extreme values decide it as they decide a variance.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``lags`` < 0.
    """
    if lags < 0:
        raise ValueError(f"lags must not be negative, got {lags}")
    series = as_sample(x)
    deviation = series - series.mean()
    squares = float(np.square(deviation).sum())
    if np.ptp(series) == 0.0 or squares == 0.0:
        return None
    kept = min(lags, series.size - 1) + 1
    # Padded, so that at none of these lags its end meets its beginning.
    size = 1 << int(series.size + kept - 2).bit_length()
    power = np.abs(np.fft.rfft(deviation, size)) ** 2
    result: FloatArray = np.fft.irfft(power, size)[:kept] / squares
    return result
