"""Curves as they are drawn, in µs."""

from __future__ import annotations

from busmark.analysis.case.shapes import Density, Shape
from busmark.present.charts.look import MICRO


def density_points(density: Density, shape: Shape) -> list[tuple[float, float]]:
    """Places (µs) and density (1/µs) where there are samples: what the kernel spreads beyond the
    smallest and the largest is cut off, unless nothing would remain."""
    least, most = shape.quantiles.value_ns[0], shape.quantiles.value_ns[-1]
    every = [
        (at / MICRO, per * MICRO) for at, per in zip(density.at_ns, density.per_ns, strict=True)
    ]
    inside = [point for point in every if least <= point[0] * MICRO <= most]
    return inside if len(inside) > 1 else every
