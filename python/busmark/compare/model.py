"""The comparison: the document that terminal, page, Markdown and JUnit draw.

It is also what `busmark compare --json` prints; `Contrast.model_json_schema()` is its schema. Times
are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What is not known is null, never 0.
"""

from __future__ import annotations

from typing import Any, Literal

from busmark.analysis.figures import Figure, Frozen, Quantity

VERSION = 1
"""Of this document; raised when a reader of the older one would misread it."""

Verdict = Literal["faster", "slower", "loses less", "loses more", "equivalent", "cannot tell"]

WORSE: tuple[Verdict, ...] = ("slower", "loses more")
BETTER: tuple[Verdict, ...] = ("faster", "loses less")

Outcome = Literal["failed", "passed", "cannot tell"]


class SideSummary(Frozen):
    """One of what is compared."""

    name: str
    """Directory, or value of the parameter that is compared."""
    directory: str
    campaign: str
    """The scenario's name."""
    created_utc: str
    finished_utc: str | None
    """Null: the campaign is running or was interrupted."""
    busmark_version: str
    seed: int
    findings: list[str]
    """Titles of its errors and warnings."""


class Change(Frozen):
    """One figure of a case on both sides."""

    name: str
    """As `--fail-if` names it: median.latency, goodput.throughput, loss."""
    statistic: str | None
    """Null where there is one only, as for loss."""
    quantity: Literal["latency", "round_trip", "throughput", "loss", "discovery"]
    latency: Quantity | None = None
    """What a latency is; null for other quantities."""
    headline: bool
    """Whether the verdict of the case is this figure's."""
    kind: Literal["ratio", "difference"]
    baseline: Figure | None
    candidate: Figure | None
    change: Figure | None
    """Candidate over baseline, or candidate minus baseline; unit 1. `count` is samples of both
    sides, `rounds` those of the side with fewer."""
    p_value: float | None
    """Of no change, two-sided."""
    p_adjusted: float | None
    """The same by Holm, over all headline figures, or over all others."""
    verdict: Verdict
    reason: str | None
    """Why nothing can be told, or what is to be borne in mind."""


class Pair(Frozen):
    """A case of the baseline and its counterpart."""

    label: str
    """What sets it apart from the other pairs."""
    test: str
    placement: str
    size: int | None
    workload: str
    """Further parameters that vary, as text."""
    is_floor: bool
    """Of the null adapter: what Busmark itself costs. Neither in verdicts nor in criteria."""
    baseline_case: str
    candidate: str
    """Name of the side."""
    candidate_case: str
    baseline_rounds: int
    """That count."""
    candidate_rounds: int
    paired: bool
    """Rounds of one campaign were interleaved, and are compared one by one."""
    measured_s: float
    """Of both sides, without warm-up."""
    differs: dict[str, tuple[Any, Any]]
    """Parameters that differ, besides those that are compared: for a single case on each side,
    or with `--force`."""
    remarks: list[str]
    """Rounds that do not count, and why."""
    changes: list[Change]

    @property
    def headline(self) -> Change | None:
        """The figure whose verdict is that of the case."""
        return next((change for change in self.changes if change.headline), None)

    @property
    def verdict(self) -> Verdict:
        """Of the case."""
        return self.headline.verdict if self.headline else "cannot tell"


class LeftOut(Frozen):
    """A case that is not compared."""

    side: str
    case: str
    against: str | None
    """The other side, where there are several."""
    reason: str


class Difference(Frozen):
    """Something besides what is compared that is not the same on both sides."""

    candidate: str
    """Name of the side that differs from the baseline."""
    area: Literal["machine", "Busmark", "adapter", "measurement"]
    fact: str
    baseline: str
    candidate_value: str
    warning: bool
    """Whether it may be the cause of what is found. A version is what a comparison may be about,
    and is told only."""


class Judged(Frozen):
    """A criterion and one case."""

    criterion: str
    pair: int
    """Index in `pairs`."""
    label: str
    candidate: str
    name: str
    """The figure."""
    outcome: Outcome
    fails: bool
    """Whether it ends the command with exit code 1: failed; with `--strict`, all but passed."""
    reason: str
    p_adjusted: float | None
    """Of the criterion's limit, two-sided, by Holm over the cases of this criterion."""


class Counted(Frozen):
    """Verdicts of the headline figures against one side."""

    candidate: str
    better: int
    worse: int
    equivalent: int
    cannot_tell: int


class Contrast(Frozen):
    """Cases compared with a baseline."""

    version: int = VERSION
    baseline: SideSummary
    candidates: list[SideSummary]
    by: list[str]
    """Parameters that are compared, and need not be equal; empty: none."""
    confidence: float
    equivalent: float
    """Within this share a ratio counts as no change."""
    equivalent_loss: float
    """Within this share of all samples a difference in loss does."""
    headline_tests: int
    """Tests that Holm's adjustment of the headline figures is over."""
    further_tests: int
    summary: list[Counted]
    warnings: list[str]
    """What is to be known before a verdict is relied on."""
    differences: list[Difference]
    pairs: list[Pair]
    left_out: list[LeftOut]
    strict: bool
    criteria: list[Judged]

    @property
    def failed(self) -> bool:
        """Whether a criterion is not met."""
        return any(judged.fails for judged in self.criteria)
