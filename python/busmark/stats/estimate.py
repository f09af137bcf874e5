"""The value type in which every number with an interval leaves the analysis."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its confidence interval where one can be given, and what it rests on.

    Attributes:
        value: the point estimate.
        low: lower confidence limit, or None when the data cannot support an interval.
        high: upper confidence limit; None exactly when ``low`` is None.
        confidence: nominal coverage of [low, high]; None exactly when ``low`` is None.
        count: number of samples behind the estimate.
        rounds: number of independent rounds behind the estimate.

    A missing interval means "not known", never "zero width". The interval covers random
    variation only: clock error, resolution and a wrong set-up are not in it.

    Raises:
        ValueError: if only part of the interval is given, or the limits are out of order.
    """

    value: float
    low: float | None
    high: float | None
    confidence: float | None
    count: int
    rounds: int

    def __post_init__(self) -> None:
        """Refuse a half-given or inverted interval."""
        absent = {self.low is None, self.high is None, self.confidence is None}
        if len(absent) > 1:
            raise ValueError("low, high and confidence are given together or not at all")
        if self.low is not None and self.high is not None and not self.low <= self.high:
            raise ValueError(f"interval limits out of order: {self.low} > {self.high}")

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval; None when there is no interval.

        The interval need not be symmetric, so this is a length and not "plus or minus".
        """
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2.0

    @property
    def relative_half_width(self) -> float | None:
        """``half_width`` over |value|; None without an interval or when ``value`` is zero."""
        half = self.half_width
        if half is None or self.value == 0.0:
            return None
        return half / abs(self.value)
