"""The case of the null adapter that shows what Busmark itself costs in another case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from busmark.analysis.across import dimensions as dim
from busmark.analysis.model import Floor

SAME_WORKLOAD = ("payload", "size", "arrivals", "rate_hz", "wait", "placement")
"""In which the floor should be equal, the most important first."""


class Floors:
    """Measured cases of the null adapter, by workload: a campaign may have thousands of both."""

    def __init__(self, floors: Mapping[str, dim.Flat]) -> None:
        self._by_test: dict[object, dict[str, dim.Flat]] = {}
        for case, flat in floors.items():
            self._by_test.setdefault(flat.get("test"), {})[case] = flat
        self._known: dict[tuple[str, ...], Floor | None] = {}
        for case, flat in sorted(floors.items()):
            self._known.setdefault(_key(flat), Floor(case=case, differs=[]))

    def nearest(self, flat: dim.Flat) -> Floor | None:
        """The nearest of the same test: equal payload first, then nearest size, …"""
        key = _key(flat)
        if key not in self._known:
            self._known[key] = self._search(flat)
        return self._known[key]

    def _search(self, flat: dim.Flat) -> Floor | None:
        candidates = self._by_test.get(flat.get("test"))
        if not candidates:
            return None
        case = min(candidates, key=lambda c: (_distance(flat, candidates[c]), c))
        differs = [name for name in SAME_WORKLOAD if candidates[case].get(name) != flat.get(name)]
        return Floor(case=case, differs=differs)


def _key(flat: dim.Flat) -> tuple[str, ...]:
    return tuple(repr(flat.get(name)) for name in ("test", *SAME_WORKLOAD))


def _distance(flat: dim.Flat, other: dim.Flat) -> Sequence[float]:
    """Lexicographic: one number per parameter, 0 when equal."""
    return [_gap(flat.get(name), other.get(name)) for name in SAME_WORKLOAD]


def _gap(mine: object, its: object) -> float:
    if mine == its:
        return 0.0
    if isinstance(mine, int | float) and isinstance(its, int | float):
        return abs(log2(mine + 1) - log2(its + 1))
    return 1.0
