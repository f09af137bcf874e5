"""The case of the null adapter that shows what Busmark itself costs in another case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from busmark.analysis import dimensions as dim
from busmark.analysis.model import Floor

SAME_WORKLOAD = ("payload", "size", "arrivals", "rate_hz", "wait", "placement")
"""In which the floor should be equal, the most important first."""


def nearest_floor(flat: dim.Flat, floors: Mapping[str, dim.Flat]) -> Floor | None:
    """The nearest measured floor of the same test: equal payload first, then nearest size, …"""
    candidates = {c: f for c, f in floors.items() if f.get("test") == flat.get("test")}
    if not candidates:
        return None
    case = min(candidates, key=lambda c: (_distance(flat, candidates[c]), c))
    differs = [name for name in SAME_WORKLOAD if candidates[case].get(name) != flat.get(name)]
    return Floor(case=case, differs=differs)


def _distance(flat: dim.Flat, other: dim.Flat) -> Sequence[float]:
    """Lexicographic: one number per parameter, 0 when equal."""
    return [_gap(flat.get(name), other.get(name)) for name in SAME_WORKLOAD]


def _gap(mine: object, its: object) -> float:
    if mine == its:
        return 0.0
    if isinstance(mine, int | float) and isinstance(its, int | float):
        return abs(log2(mine + 1) - log2(its + 1))
    return 1.0
