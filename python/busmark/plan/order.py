"""In which order rounds are run, and how long that takes."""

from __future__ import annotations

import random
from collections.abc import Sequence

from busmark.store import Case

ROUND_OVERHEAD_S = 0.5
"""Expected time of a round beyond warm-up and measuring: processes, discovery, collection."""


def order(cases: Sequence[Case], round_number: int, seed: int) -> list[Case]:
    """The cases of one round, shuffled: every round of the campaign in another order, the same seed
    always in the same."""
    shuffled = list(cases)
    random.Random(f"{seed}/{round_number}").shuffle(shuffled)
    return shuffled


def expected_s(case: Case) -> float:
    """Expected time of one round of the case, seconds; an upper bound where samples end it."""
    params = case.params
    return float(params["warmup_s"]) + float(params["duration_s"]) + ROUND_OVERHEAD_S
