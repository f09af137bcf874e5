"""Which phase of a round a row belongs to: by when each change took effect, on its own clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl


@dataclass(frozen=True)
class Moment:
    """A change of one end of a flow."""

    phase: int
    """Which began with it, from 1."""
    asked_ns: int
    """From the begin of the measured time."""
    flow: str
    number: int
    """Number of the end."""
    change: str
    """What was set."""
    taken_ns: int
    """When it took effect, by the clock of the end's host."""


class Phases:
    """Those of a round."""

    def __init__(self, moments: Sequence[Moment], *, one_clock: bool) -> None:
        self._moments = moments
        self._one_clock = one_clock
        self._last = max((each.phase for each in moments), default=0)

    def __bool__(self) -> bool:
        """Whether there was more than one."""
        return self._last > 0

    def begins(self, number: int) -> list[int] | None:
        """When each phase but the first began for an end: with the change of that end itself, else
        with the first of the others'; None where another clock than its own has to tell."""
        found = []
        for phase in range(1, self._last + 1):
            of = [each for each in self._moments if each.phase == phase]
            own = [each.taken_ns for each in of if each.number == number]
            if not own and not self._one_clock:
                return None
            found.append(min(own or [each.taken_ns for each in of]))
        return found

    def of_samples(self, frame: pl.DataFrame) -> pl.Series:
        """Phases of samples, by when each was sent; null if that is not known."""
        phase = pl.Series("phase", [None] * frame.height, dtype=pl.Int64)
        if not self:
            return phase
        for number in frame["writer"].unique().drop_nulls():
            begins = self.begins(number)
            if begins is None:
                continue
            own = (frame["writer"] == number) & frame["sent_ns"].is_not_null()
            found = np.searchsorted(begins, frame["sent_ns"].fill_null(0).to_numpy(), side="right")
            phase = phase.zip_with(~own, pl.Series(found, dtype=pl.Int64))
        return phase

    def of_intervals(
        self, number: int, starts_ns: npt.NDArray[np.int64], width_ns: int
    ) -> list[int | None]:
        """Phases of intervals of samples of this writer, which begin then; null if a phase begins
        within one."""
        begins = self.begins(number) if self else None
        if begins is None:
            return [None] * len(starts_ns)
        first = np.searchsorted(begins, starts_ns, side="right")
        last = np.searchsorted(begins, starts_ns + width_ns - 1, side="right")
        return [int(a) if a == b else None for a, b in zip(first, last, strict=True)]


def change_rows(moments: Sequence[Moment], names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Rows of the table `changes`, besides case and round; `names` of participants by end."""
    return [
        {
            "phase": each.phase, "participant": names.get(each.number), "flow": each.flow,
            "writer": each.number, "change": each.change, "asked_ns": each.asked_ns,
            "taken_ns": each.taken_ns,
        }
        for each in moments
    ]  # fmt: skip
