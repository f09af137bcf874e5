"""The deviation of one hop from the deviation of a path of several."""

from math import sqrt


def hop_deviation(std: float, hops: int = 2) -> tuple[float, float]:
    """Bounds of the standard deviation of one of ``hops`` alike hops, ``std`` being of their sum.

    With deviation s of a hop and correlation r between any two, var(sum) = k s**2 (1 + (k-1) r).
    So s is std / sqrt(k) where hops are independent, std / k where they move together, and between
    the two where r is between 0 and 1: for a round trip, 0.5 std to 0.707 std. Negative
    correlation, where a slow way out goes with a fast way back, would make it greater than that.

    Only mean and deviation can be had this way. The extremes of a path are not sums of its hops'
    extremes.

    Raises:
        ValueError: if ``std`` is negative or not finite, or ``hops`` < 1.
    """
    if not 0.0 <= std < float("inf"):
        raise ValueError(f"std must be finite and not negative, got {std}")
    if hops < 1:
        raise ValueError(f"hops must be at least 1, got {hops}")
    return std / hops, std / sqrt(hops)
