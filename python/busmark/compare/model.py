"""The comparison: the document that terminal, page, Markdown and JUnit draw.

It is also what `busmark compare --json` prints; `Comparison.model_json_schema()` is its schema.
Times are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What is not known is null, never 0.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from busmark.compare.verdict import BETTER, WORSE, Verdict
from busmark.model.figure import Figure, Frozen, Quantity

VERSION = 5
"""Version of this document; raised when a reader of the older one would misread it."""

CaseVerdict = Literal[Verdict, "mixed"]
"""mixed: better by one of its headline figures, worse by another."""

Outcome = Literal["passed", "failed", "undecided", "not measured"]
"""passed: shown to be within the limit. failed: shown to be beyond it. not measured: a case of the
baseline that the candidate did not measure."""

REASONS = {
    "rounds beyond the limit": "more rounds are beyond it than chance explains, each compared with "
    "the baseline's round next to it",
    "interval includes the limit": "more rounds may decide",
    "several cases": "beyond the limit alone, but not after Holm's correction for the cases of the "
    "criterion",
    "lost in baseline": "the baseline's percentile falls among its lost samples",
    "loses less": "the baseline's percentile falls among its lost samples",
    "loses more": "the candidate loses more samples; a lost sample has no latency that could be "
    "within the limit",
}
"""Meanings of words for the outcome of a criterion, where these do not say it themselves."""

Reason = Literal[
    "within the limit",
    "beyond the limit",
    "rounds beyond the limit",
    "interval includes the limit",
    "several cases",
    "one round",
    "no interval",
    "no figure",
    "lost in baseline",
    "loses less",
    "loses more",
    "other unit",
    "not measured",
]


class SideSummary(Frozen):
    """A side of the comparison."""

    name: str
    """Directory, or value of the parameter that is compared."""
    directory: str
    campaign: str
    """The scenario's name."""
    created_utc: str
    finished_utc: str | None
    """Time at which the campaign ended; null: it is running or was interrupted."""
    busmark_version: str
    seed: int
    findings: list[str]
    """Errors and warnings of the campaign, each kind once: title, and in how many cases."""


class ComparedFigure(Frozen):
    """One figure of a case on both sides."""

    name: str
    """Name in `--fail-if`: median.latency, goodput.throughput, loss."""
    statistic: str | None
    """Statistic; null where there is one only, as for loss."""
    quantity: str
    """The rest of the name: latency, round_trip, throughput, loss."""
    latency: Quantity | None = None
    """Kind of latency; null for other quantities."""
    headline: bool
    """Whether this figure decides the verdict of the case."""
    kind: Literal["ratio", "difference"]
    baseline: Figure | None
    candidate: Figure | None
    lost: list[Literal["baseline", "candidate"]]
    """Sides on which the percentile falls among the samples that were lost, and has no value."""
    change: Figure | None
    """Candidate over baseline, or candidate minus baseline; unit 1. `count` is samples of both
    sides, `rounds` the rounds of the side with fewer."""
    p_value: float | None
    """p-value of no change, two-sided."""
    p_adjusted: float | None
    """The p-value adjusted by Holm, over all headline figures of the candidate, over all its
    losses, or over all its other figures."""
    verdict: Verdict
    reason: str | None
    """Why it is undecided, or what to bear in mind."""


class Pair(Frozen):
    """A case of the baseline and its counterpart."""

    label: str
    """Label that distinguishes it from the other pairs."""
    adapter: str = ""
    """Adapter of both sides; empty if they differ in it."""
    label_title: str = "Middleware"
    """Heading of the column of labels, for what a label names: the middleware, a choice."""
    test: str
    placement: str
    size: int | None
    """Size of the baseline's case."""
    candidate_size: int | None = None
    workload: str
    """Further parameters that vary, as text."""
    is_floor: bool
    """Whether this is the null adapter, the cost of Busmark itself. Neither in verdicts nor in
    criteria."""
    baseline_case: str
    candidate: str
    """Name of the side."""
    candidate_case: str
    baseline_rounds: int
    """Rounds that count."""
    candidate_rounds: int
    paired: bool
    """Rounds of one campaign were interleaved, and are compared one by one."""
    measured_s: float
    """Measured time of both sides, without warm-up."""
    differs: dict[str, tuple[Any, Any]]
    """Parameters that differ, besides those that are compared: for a single case on each side,
    or with `--force`."""
    remarks: list[str]
    """Rounds that do not count, and why; and background loads that differed though the same was
    asked for."""
    changes: list[ComparedFigure]

    @property
    def headline(self) -> ComparedFigure | None:
        """The figure that gives the case its verdict."""
        return next((change for change in self.changes if change.headline), None)

    @property
    def loss(self) -> ComparedFigure | None:
        """The loss, where the sides differ in it by more than counts as none, or may."""
        found = next((change for change in self.changes if change.name == "loss"), None)
        if found is None or found.change is None or found.verdict == "equivalent":
            return None
        return found if found.change.value != 0.0 else None

    @property
    def headlines(self) -> list[ComparedFigure]:
        """The figures that a summary counts: the loss where the sides differ in it, goodput or the
        median of the latency, and its 99th percentile where a latency is the headline."""
        first = self.headline
        lost = [self.loss] if self.loss and not (first and first.name == "loss") else []
        if first is None:
            return lost
        tail = [c for c in self.changes if c.name == "p99.latency" and first.latency is not None]
        return [*lost, first, *tail]

    @property
    def verdict(self) -> CaseVerdict:
        """Verdict of the case, from all its headline figures: mixed if they contradict each
        other."""
        verdicts = [change.verdict for change in self.headlines]
        better = next((v for v in verdicts if v in BETTER), None)
        worse = next((v for v in verdicts if v in WORSE), None)
        if better and worse:
            return "mixed"
        return better or worse or (self.headline.verdict if self.headline else "undecided")


class LeftOut(Frozen):
    """A case that is not compared."""

    side: str
    case: str
    against: str | None
    """The other side, where there are several."""
    reason: str
    differs: list[str]
    """Parameters in which the nearest case differs, where the case has no counterpart."""


class Difference(Frozen):
    """Something besides what is compared that is not the same on both sides."""

    candidate: str
    """Name of the side that differs from the baseline."""
    area: Literal["machine", "Busmark", "adapter", "measurement"]
    fact: str
    baseline: str
    candidate_value: str
    warning: bool
    """Whether the difference may be the cause of what is found. A version is what a comparison may
    be about, and is listed without one."""


class CriterionVerdict(Frozen):
    """A criterion and one case."""

    criterion: str
    pair: int | None
    """Index in `pairs`; null where the case was not measured with the candidate."""
    case: str
    """Case of the baseline."""
    label: str
    candidate: str
    name: str
    """The figure."""
    outcome: Outcome
    fails: bool
    """Whether it ends the command with exit code 1: always if it failed; as `--undecided` and
    `--missing` have it if it is undecided or was not measured."""
    kind: Literal["share", "value", "ratio", "difference"] | None
    """Kind of value that was compared with the limit: for a percentile the share of the candidate's
    samples beyond `beyond_ns`, lost ones too; for an absolute limit the candidate's own figure."""
    value: Figure | None
    limit: float | None
    """Limit in the unit of `value`."""
    beyond_ns: float | None
    reason: Reason
    """A word of a fixed list; `REASONS` explains some."""
    detail: str
    """Why a figure or an interval is missing, the shares lost, or how many rounds are beyond;
    empty where the reason says all."""
    p_adjusted: float | None
    """p-value of the criterion's limit, two-sided, by Holm over the candidate's cases of this
    criterion; where the figure is beyond the limit, the smaller one of both tests."""
    least: float | None
    """Where the criterion is undecided: the least value that four of five such runs would show to
    be beyond the limit, in the unit of `value`."""
    least_ratio: float | None
    """For a share: the change of the percentile that makes this share."""
    more_rounds: int | None
    """Where the criterion is undecided: about how many more rounds of each side would decide it;
    null if more than can be run."""


CAVEATS = {
    "measured elsewhere": "another tool measured it in its own way on an unknown machine; "
    "parameters that it does not state are taken for equal",
    "not interleaved": "what changed on the machine between the campaigns biases every ratio, and "
    "the intervals do not cover it; `busmark ab` interleaves both sides",
    "interleaved by campaigns": "the intervals cover the differences between campaigns of the "
    "baseline, but not the other time at which the candidate ran",
    "other floor": "the null adapter's figures differ: the machine became faster or slower",
}
"""Meanings of kinds of caveats, where the words do not say it themselves."""


class Caveat(Frozen):
    """A caveat of the verdicts."""

    kind: Literal[
        "not finished",
        "damaged",
        "measured elsewhere",
        "not interleaved",
        "interleaved by campaigns",
        "other environment",
        "other machine",
        "other floor",
    ]
    """A word of a fixed list; `CAVEATS` explains some."""
    of: str
    """The side, the facts or the number of cases that it is of; empty: all campaigns."""


class FigureCounted(Frozen):
    """Verdicts of one figure against one side."""

    name: str
    """Name in `--fail-if`."""
    latency: Quantity | None
    """Kind of latency; null for other quantities."""
    better: int
    worse: int
    loses_more: int
    """For a latency, cases among `worse`: the candidate loses so many more samples that its latency
    says nothing."""
    equivalent: int
    undecided: int


class VerdictCounts(Frozen):
    """Verdicts of the cases against one side."""

    candidate: str
    cases: int
    headline_tests: int
    """Tests over which Holm adjusts the headline figures: only this side's, so that another side
    changes no verdict."""
    loss_tests: int
    """Tests over which Holm adjusts the losses."""
    further_tests: int
    """Tests over which Holm adjusts all other figures."""
    better: int
    worse: int
    mixed: int
    """Better by one headline figure and worse by another."""
    equivalent: int
    undecided: int
    missing: int = 0
    """Cases of the baseline that were not measured with this side."""
    figures: list[FigureCounted]
    """Each headline figure on its own: loss where the sides differ in it, median, 99th percentile,
    goodput."""


class TheirRow(Frozen):
    """One side of a pair in the columns of performance_test."""

    side: str
    tool: str
    """Tool that measured it."""
    label: str
    """Middleware and workload of its case."""
    columns: dict[str, float | None]
    """Values in the order and units of that tool; null: that side does not know it."""


class Comparison(Frozen):
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
    """Tests of headline figures, of all sides; an adjustment is over one side's (`summary`)."""
    loss_tests: int
    """Tests of losses."""
    further_tests: int
    """Tests of all other figures."""
    sessions: int = 1
    """Campaigns of the baseline: from two on, what differs from campaign to campaign is in the
    intervals of campaigns that were run apart."""
    summary: list[VerdictCounts]
    warnings: list[Caveat]
    differences: list[Difference]
    theirs: list[TheirRow] = Field(default=[])
    """Rows of both sides in the columns of performance_test; empty where neither was imported from
    it."""
    pairs: list[Pair]
    left_out: list[LeftOut]
    criteria: list[CriterionVerdict]

    @property
    def failed(self) -> bool:
        """Return whether a criterion ends the command with exit code 1."""
        return any(judged.fails for judged in self.criteria)

    @property
    def gate(self) -> Outcome | None:
        """Return how all criteria together ended; None: there are none."""
        if not self.criteria:
            return None
        if self.failed:
            return "failed"
        every = all(judged.outcome == "passed" for judged in self.criteria)
        return "passed" if every else "undecided"

    def counted(self, candidate: str) -> VerdictCounts:
        """Return what is counted against one side."""
        return next(counts for counts in self.summary if counts.candidate == candidate)
