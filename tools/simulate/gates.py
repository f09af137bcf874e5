"""How often a gate on a percentile fails: candidates that are just at its limit, and worse ones, on
rounds drawn from laws and on rounds that were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from tools.simulate.laws import Array, Rng, log_normal

from busmark import stats
from busmark.compare import Criterion, Gate
from busmark.compare.change import FigureChange
from busmark.compare.gate import Beyond, Candidate, beyond

ROUNDS = (8, 15)
SAMPLES = 1_000
CRITERION = Criterion.parse("p99.latency > 1.2")

RECORDED = Path(__file__).resolve().parent / "recorded.npz"
"""Rounds of two equal sides, UDP sockets, in turn: round trips in ns, shape (rounds, 2, samples).
One is the kept result `sides` of `python/tests/oracles`; the other one of `busmark ab udp udp` on a
machine whose 2 CPUs had other work for 20."""


@dataclass(frozen=True)
class Worse:
    """What is done to each sample of a candidate that was like the baseline."""

    name: str
    factor: float
    stalls: float = 0.0
    """Share of blocks of ten samples that wait for thirty times the typical latency."""


WORSE = (
    Worse("just at the limit", CRITERION.limit),
    Worse("1.5 x", 1.5),
    Worse("5 % of samples stall", 1.0, 0.05),
)


@dataclass(frozen=True)
class Machine:
    """What rounds differ by: standard deviations of the logarithm of their level."""

    name: str
    own: float = 0.0
    common: float = 0.0
    """Variation of both rounds of a pair."""
    bursts: float = 0.0
    """Share of rounds in which a part of the samples waits for other work, of each side by
    itself."""

    def pairs(self, rng: Rng, rounds: int) -> Array:
        """Draw rounds of two equal sides, shape (rounds, 2, samples)."""
        level = self.common * rng.standard_normal((rounds, 1))
        level = level + self.own * rng.standard_normal((rounds, 2))
        values = log_normal(rng, (2 * rounds, SAMPLES)).reshape(rounds, 2, SAMPLES)
        waits = rng.random((rounds, 2, 1)) < self.bursts
        late = np.repeat(rng.random((rounds, 2, SAMPLES // 10)) < 0.03, 10, axis=2)
        found: Array = np.exp(level)[:, :, None] * np.where(waits & late, 20.0 * values, values)
        return found


@dataclass(frozen=True)
class Recording:
    """Pairs of rounds of equal sides, as they were recorded."""

    name: str

    def pairs(self, rng: Rng, rounds: int) -> Array:
        """Draw recorded pairs, and in each at random which of the two is the baseline's."""
        known = recorded()[self.name]
        chosen = known[rng.choice(len(known), rounds, replace=rounds > len(known))]
        turned = rng.random(rounds) < 0.5
        return np.where(turned[:, None, None], chosen[:, ::-1], chosen)


@cache
def recorded() -> Mapping[str, Array]:
    """Return the recordings by name."""
    with np.load(RECORDED) as file:
        return {name: file[name].astype(np.float64) for name in file.files}


SOURCES: tuple[Machine | Recording, ...] = (
    Machine("by 20 %", own=0.2),
    Machine("by 2 %, the machine by a factor of 7", own=0.02, common=2.0),
    Machine("by 2 %, bursts in three of ten", own=0.02, bursts=0.3),
    Recording("recorded, kept result"),
    Recording("recorded, 2 busy CPUs"),
)


@dataclass(frozen=True)
class Gated:
    """How often the gate failed."""

    source: str
    worse: str
    rounds: int
    campaigns: int
    by_share: int
    """Campaigns that failed by the share of samples alone."""
    by_both: int
    """Campaigns that failed by the share or by rounds, as `busmark ab` judges."""

    @property
    def shares(self) -> tuple[stats.Estimate, stats.Estimate]:
        """Shares of campaigns that failed, by the share alone and by both, with binomial
        intervals."""
        one, both = (stats.share_interval(n, self.campaigns) for n in (self.by_share, self.by_both))
        return one, both


def gated(
    source: Machine | Recording, rounds: int, campaigns: int, seed: Sequence[int]
) -> list[Gated]:
    """Simulate campaigns of two sides, and each of `WORSE` in every one of them."""
    rng = np.random.default_rng(seed)
    failed = {worse: [0, 0] for worse in WORSE}
    for _ in range(campaigns):
        pairs = source.pairs(rng, rounds)
        for worse, counts in failed.items():
            found = _beyond(pairs[:, 0], _worse(pairs[:, 1], worse, rng))
            for place, own in enumerate((replace(found, rounds=None), found)):
                counts[place] += _fails(own)
    return [Gated(source.name, worse.name, rounds, campaigns, *failed[worse]) for worse in WORSE]


def _worse(rounds: Array, worse: Worse, rng: Rng) -> Array:
    count = rounds.shape[1] // 10
    stalls = np.repeat(rng.random((len(rounds), count)) < worse.stalls, 10, axis=1)
    found: Array = rounds * worse.factor
    found[:, : 10 * count] += np.where(stalls, 30.0 * np.median(rounds), 0.0)
    return found


def _beyond(baseline: Array, candidate: Array) -> Beyond:
    sides: list[Any] = [
        SimpleNamespace(
            case=SimpleNamespace(test="latency"), by_quantity={"latency": dict(enumerate(rounds))}
        )
        for rounds in (baseline, candidate)
    ]
    return beyond([CRITERION], *sides, paired=True)[CRITERION.text]


def _fails(found: Beyond) -> bool:
    change = FigureChange(CRITERION.names("latency"), True, None, None, None, None)
    one = Candidate(0, "x", "x", "candidate", "latency", {}, [change], {CRITERION.text: found})
    return Gate([CRITERION]).judge([one], [])[0].outcome == "failed"
