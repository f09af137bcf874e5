"""How often an interval holds what is true where rounds are added until it is narrow: with rounds
of a length that the scenario states, and with lengths that the run chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tools.simulate.laws import LAWS, Law, Rng

from busmark import stats
from busmark.control.lengths import next_length
from busmark.control.precision import figures, spread
from busmark.model.parameters import Parameters
from busmark.scenario import Scenario
from busmark.store import Case
from busmark.store.samples import RoundLatencies

NAMES = (
    "log-normal",
    "bimodal",
    "heavy tail",
    "autocorrelated",
    "rounds alike",
    "rounds skewed, 30 %",
    "1 round in 10 is 1.5 x",
    "3 rounds in 10 are 1.5 x",
)
ADDED_TO = tuple(law for law in LAWS if law.name in NAMES)
TARGETS = {"rounds skewed, 30 %": 0.2}
TARGET = 0.02
"""Target of all others."""
STATED_S = 1.0
SAMPLES_PER_S, FIXED_S = 10_000, 0.4
"""Samples of a round, and its fixed time."""
MOST = 100
SELDOM = 20
"""Rounds beyond which several are drawn before it is looked at them again."""

WAYS = ("stated", "chosen")


@dataclass(frozen=True)
class Added:
    """Result of one law and way."""

    law: str
    way: str
    target: float
    campaigns: int
    covered: int
    rounds: float
    """Mean number."""
    seconds: float
    """Mean time of a campaign."""

    @property
    def share(self) -> stats.Estimate:
        """Covered, with its binomial interval."""
        return stats.share_interval(self.covered, self.campaigns)


CASE = Case(id="x", status="planned", params=Parameters(test="latency", statistic="median"))


def added(law: Law, way: str, campaigns: int, seed: Sequence[int]) -> list[Added]:
    """Simulate campaigns of at least 5 rounds."""
    rng = np.random.default_rng(seed)
    target = TARGETS.get(law.name, TARGET)
    truth = law.of_a_round((50.0,), 10, int(STATED_S * SAMPLES_PER_S))[0]
    covered, rounds, seconds = 0, 0, 0.0
    for _ in range(campaigns):
        rows = _campaign(law, way, target, rng)
        level = spread(rows)
        assert level is not None
        covered += abs(level.value - truth) <= level.half
        rounds += len(rows)
        seconds += sum(row["measured_s"] + FIXED_S for row in rows)
    return [
        Added(law.name, way, target, campaigns, covered, rounds / campaigns, seconds / campaigns)
    ]


def _campaign(law: Law, way: str, target: float, rng: Rng) -> list[dict[str, Any]]:
    asked = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "x"}, "rounds": {"target": target, "max": MOST}}
    )
    effects = law.rounds(rng, MOST)
    rows: list[dict[str, Any]] = []
    seconds, look = STATED_S, 0
    while len(rows) < MOST:
        if len(rows) >= look:
            look = len(rows) + 1 + len(rows) // SELDOM
            if way == "chosen":
                seconds = next_length(CASE, rows, asked).seconds
        count = int(seconds * SAMPLES_PER_S)
        values = law.samples(rng, (1, count))[0] * effects[len(rows)]
        rows.append(
            {
                "case": "x",
                "round": len(rows),
                "attempt": 0,
                "status": "ok",
                "samples": count,
                "received": count,
                "measured_s": seconds,
                "chosen_s": seconds,
                "warmup_s": 0.0,
                "overhead_s": FIXED_S,
                **figures("median", RoundLatencies(values), None),
            }
        )
        if len(rows) >= asked.rounds.min and len(rows) >= look:
            level = spread(rows)
            if level and level.suffices(target):
                break
    return rows
