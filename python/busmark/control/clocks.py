"""The clocks of a round that has two: their offset, and whether one has stepped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from busmark.control.round import RoundData
from busmark.stats import ClockOffset, clock_offset
from busmark.store.columns import ASKING, EXCHANGE

PPM = 1e6
MOST_OFF = 50e-6
"""A drift that may be off by as much is not reported: crystals differ by no more than 100 ppm."""


@dataclass(frozen=True)
class ClockOffsets:
    """Results of the exchanges of time stamps in a round."""

    offset: ClockOffset | None = None
    """Offset in ns: the clock of whoever answers minus the clock of whoever asks. None if it is not
    known."""
    trouble: str | None = None
    """Why the stamps cannot come from two clocks that run evenly."""

    @property
    def figures(self) -> dict[str, Any]:
        """Columns of the table `cases`."""
        found = self.offset
        return {
            "offset_ns": found.value if found else None,
            "offset_bound_ns": found.bound if found else None,
            "drift_ppm": found.drift * PPM if found and determined(found) else None,
            "drift_bound_ppm": found.drift_bound * PPM if found and determined(found) else None,
        }


def determined(offset: ClockOffset) -> bool:
    """Return whether the exchanges tell the drift."""
    return offset.drift_bound < MOST_OFF


def begins(data: RoundData, begin_ns: int, offset: ClockOffset | None) -> dict[str, int]:
    """Return when the measurement of a round began, by each clock for which that is known, in ns.

    `begin_ns` is by the clock of those that ask. A drift that is not known is taken as none: the
    begin lies before the exchanges.
    """
    found = {}
    if data.asking_clock is not None:
        found[data.asking_clock] = begin_ns
        if offset is not None and data.answering_clock is not None:
            known = offset if determined(offset) else replace(offset, drift=0.0)
            found[data.answering_clock] = begin_ns + round(float(known.offset(begin_ns)))
    return found


def clocks(samples: pl.DataFrame) -> ClockOffsets:
    """Estimate the offset between the clock of all that ask and the clock of all that answer."""
    exchanges = samples.filter(pl.col("role").is_in(ASKING)).drop_nulls(EXCHANGE)
    if exchanges.is_empty():
        return ClockOffsets()
    found = clock_offset(*(exchanges[name].to_numpy().astype(np.float64) for name in EXCHANGE))
    if found is None:
        return ClockOffsets(
            trouble=f"a clock has stepped: no offset, however it drifts, agrees with all "
            f"{exchanges.height} round trips between the hosts"
        )
    return ClockOffsets(found)
