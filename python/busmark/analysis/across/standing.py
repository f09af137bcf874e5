"""Who stands where in a workload, and what a parameter costs: made by `contest` and `effects`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from busmark.analysis.figures import Figure, Frozen
from busmark.analysis.pairwise.verdict import Verdict


class Versus(Frozen):
    """A case against another of the same campaign, round by round."""

    case: str
    other: str
    ratio: Figure | None
    """Ratio of the median RTT/2, or of goodput: `case` over `other`."""
    verdict: Verdict
    """Verdict on `case`: faster than `other`, slower, …"""
    reason: str | None
    """Why it is undecided, or what to bear in mind."""
    p_adjusted: float | None
    """p-value of no difference, two-sided, by Holm: for two labels over all workloads of both; for
    a parameter over all its pairs."""
    p99: Figure | None = None
    """The same ratio of the 99th percentile; null where it is not known of both."""
    p99_verdict: Verdict | None = None

    @property
    def excludes_1(self) -> bool:
        """Whether the interval of the ratio, taken alone, shows a difference."""
        ratio = self.ratio
        if ratio is None or ratio.low is None or ratio.high is None:
            return False
        return ratio.low > 1.0 or ratio.high < 1.0


class Place(Frozen):
    """One case of a workload."""

    case: str
    role: Literal["compared", "baseline", "not compared"]
    """baseline: a reference beside the middleware that is compared."""
    reason: str | None = None
    """Why it is not compared."""
    to_leader: Versus | None = None
    """Against the leader; null for the leader itself, and where it is not compared."""


class Standing(Frozen):
    """One workload: the same test, placement, size and further parameters."""

    test: str
    figure: str
    """Kind of the headline that ranks it."""
    placement: str
    size: int | None
    workload: dict[str, str]
    places: list[Place]
    """Best value first."""
    leader: str | None
    """Case of the best value among those compared; null where none is."""
    outcome: Literal["best", "ahead", "tie", "undecided", "alone", "open", "none"]
    """best: the leader is shown to be better than all others. ahead: each ratio taken alone shows
    it, but not with all their workloads in mind. tie: some are shown to be equivalent to it.
    undecided: some are shown to be neither worse nor equivalent. alone: there is no other. open:
    see `open`. none: there is no leader."""
    best: list[str]
    """The leader, and those that are not shown to be worse than anybody."""
    open: str | None
    """Why nobody can be called the best; else null."""
    only_baselines: bool
    """Whether nothing but baselines was measured, so that these are compared."""
    reference: str | None
    """The baseline that the leader is held against."""

    def place(self, case: str) -> Place | None:
        """Place of this case."""
        return next((place for place in self.places if place.case == case), None)

    @property
    def others(self) -> list[Place]:
        """Those compared with the leader, best value first."""
        return [p for p in self.places if p.role == "compared" and p.case != self.leader]


class Effect(Frozen):
    """What one value of a parameter costs against another, all else being equal."""

    test: str
    figure: str
    """Kind of the headline that is compared."""
    parameter: str
    """As scenarios name it: qos.reliability."""
    value: str
    reference: str
    """Values for people."""
    label: str
    """Middleware and choices that both cases share."""
    placement: str | None
    """Null where it is what varies."""
    size: int | None
    rate_hz: float | None = None
    """Rate of each writer that was asked for; null where nothing limits it."""
    workload: dict[str, str]
    """Further parameters that both share."""
    versus: Versus
    """The case with `value` over the one with `reference`."""
    spent: dict[str, Figure] = Field(default={})
    """Ratios of what both spent, by name, as far as it is known: see `spent`."""
