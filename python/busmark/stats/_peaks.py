"""Local maxima of a curve.

As `scipy.signal.find_peaks` finds them, whose package takes longer to import than all statistics of
a short campaign; a test holds the two against each other.
"""

import numpy as np

from busmark.stats._check import FloatArray


def peaks_and_prominences(y: FloatArray) -> tuple[list[int], FloatArray]:
    """Positions of the local maxima of ``y``, shape (n,), and the topographic prominence of each:
    how far it is above the higher of the two lowest points between it and higher ground, or the
    end. The middle of a flat top is its position; an end of ``y`` is no maximum."""
    # The curve without repetitions: a flat top is one point of it.
    begins = np.flatnonzero(np.concatenate(([True], y[1:] != y[:-1])))
    ends = np.append(begins[1:], y.size) - 1
    steps = np.diff(y[begins])
    tops = np.flatnonzero((steps[:-1] > 0.0) & (steps[1:] < 0.0)) + 1
    positions = [int(p) for p in (begins[tops] + ends[tops]) // 2]
    prominences = np.array([_prominence(y, position) for position in positions], dtype=np.float64)
    return positions, prominences


def _prominence(y: FloatArray, peak: int) -> float:
    higher = y > y[peak]
    before, after = np.flatnonzero(higher[:peak]), np.flatnonzero(higher[peak:])
    left = int(before[-1]) + 1 if before.size else 0
    right = peak + int(after[0]) if after.size else y.size
    return float(y[peak] - max(y[left : peak + 1].min(), y[peak:right].min()))
