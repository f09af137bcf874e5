"""In which order rounds are run."""

from __future__ import annotations

import random
from collections.abc import Sequence

from busmark.store import Case


def order(cases: Sequence[Case], round_number: int, seed: int) -> list[Case]:
    """The cases of one round, shuffled: every round of the campaign in another order, the same seed
    always in the same."""
    shuffled = list(cases)
    random.Random(f"{seed}/{round_number}").shuffle(shuffled)
    return shuffled
