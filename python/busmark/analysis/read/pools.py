"""The rounds of a case, sorted once: figures and plots are made of the same arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from busmark import stats
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import FloatArray


@dataclass(frozen=True, slots=True)
class Pool:
    """One quantity (ns): by round, none of them empty, and all rounds together."""

    rounds: list[stats.Round]
    pooled: stats.Ordered

    @classmethod
    def of(cls, rounds: Sequence[FloatArray]) -> Pool | None:
        """Pool of one array in time order per round; None when all are empty."""
        known = [stats.Round.of(r) for r in rounds if r.size]
        return cls(known, stats.Ordered.merged([r.ordered for r in known])) if known else None


@dataclass(frozen=True, slots=True)
class Pools:
    """Latencies of the rounds that have some, and their variation."""

    numbers: list[int]
    timed: list[Timed]
    latency: Pool | None
    jitter: Pool | None
    """Magnitudes, of the rounds `jitter_numbers`."""

    @classmethod
    def of(cls, rounds: Sequence[tuple[int, Timed]]) -> Pools:
        """Pool of rounds by number."""
        kept = [(number, timed) for number, timed in rounds if timed.latency.size]
        return cls(
            numbers=[number for number, _ in kept],
            timed=[timed for _, timed in kept],
            latency=Pool.of([timed.latency for _, timed in kept]),
            jitter=Pool.of([np.abs(timed.jitter) for _, timed in kept]),
        )

    @property
    def jitter_numbers(self) -> list[int]:
        """Rounds that have two consecutive samples."""
        both = zip(self.numbers, self.timed, strict=True)
        return [number for number, timed in both if timed.jitter.size]

    def signed_jitter(self) -> stats.Ordered:
        """Jitter of all rounds; there must be some. Only plots ask for it."""
        return stats.Ordered.of(np.concatenate([timed.jitter for timed in self.timed]))
