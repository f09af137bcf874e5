"""The null adapter beside the middlewares: a curve where it is near, else a sentence.

It shows what Busmark itself costs, often a hundredth of what a middleware costs: an axis that
reached it would be empty for the most part.
"""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import Figure
from busmark.analysis.words import text

FAR = 5.0
"""A floor that lies further beyond the other values than this, as a factor, is not drawn."""


def near(floor: Sequence[float], values: Sequence[float]) -> bool:
    """Whether an axis for the values would hardly grow by the floor."""
    own, others = ([v for v in each if v > 0] for each in (floor, values))
    if not own or not others:
        return bool(own)
    return min(own) * FAR >= min(others) and max(own) <= FAR * max(others)


def told(name: str, figures: Sequence[Figure], scales: Sequence[text.Scale], *, above: bool) -> str:
    """A sentence about the floor that is not drawn, to follow others in a caption."""
    values = sorted(figure.value for figure in figures)
    scale = text.scale_for(values, scales)
    ends = dict.fromkeys(text.number(value / scale.factor) for value in (values[0], values[-1]))
    where = "Above" if above else "Below"
    return f" {where} the axis: {name}, {' to '.join(ends)} {scale.unit}."
