"""What a case says to a requirement of the scenario, or of the command line."""

from __future__ import annotations

from typing import Literal

from busmark.analysis.figures import Frozen

Verdict = Literal["met", "missed", "undecided"]


class Judged(Frozen):
    """A requirement, and what one case says to it."""

    requirement: str
    """As it was written."""
    where: str
    """The parameters that it is for, as text; empty: all cases."""
    case: str
    label: str
    verdict: Verdict
    figure: str
    """What was held against the limit: a figure, such as `median(cpu)`; or of which samples the
    share was."""
    value: float | None
    low: float | None
    high: float | None
    unit: str
    percentile_ns: float | None = None
    """Where the requirement is one on a percentile: that, as a typical round has it; null where it
    cannot be stated."""
    limit: float
    """In the same unit."""
    at_most: bool
    count: int | None
    """Samples that it rests on."""
    rounds: int
    reason: str
    """In a sentence, with the figures."""
    more_rounds: int | None = None
    """Where it is undecided: about how many more would decide it; null: no number in reach."""
    fails: bool
    """Whether the exit code is 1 because of it."""
