"""A history, looked through: the document that terminal, page and Markdown draw.

It is also what `busmark history show --json` prints; `TrackedHistory.model_json_schema()` is its
schema. Times are nanoseconds, Mbit/s 10⁶ bit/s. What is not known is null, never 0.
"""

from __future__ import annotations

from typing import Any, Literal

from busmark.model.figure import Frozen, Quantity

VERSION = 1
"""Version of this document; raised when a reader of the older one would misread it."""

Kind = Literal["regression", "improvement", "small"]
"""small: a change, but by no more than the margin."""


class HistoryPoint(Frozen):
    """One result of a series."""

    commit: str
    subject: str
    commit_utc: str | None
    """Time of the commit; null: git did not know it."""
    measured_utc: str
    modified: bool
    """Whether files differed from the commit when the result was added."""
    value: float
    low: float | None
    high: float | None
    """Interval of the result by itself, of its rounds: results differ by more."""
    count: int | None
    """Samples; null where the source of an imported result does not say."""
    rounds: int
    bound_ns: float | None = None
    """How far a latency may be off, either way, because its ends are by two clocks; `low` and
    `high` hold it. Null: they are by one."""


class HistoryStep(Frozen):
    """A change of the level."""

    kind: Kind
    last_before: int
    first_after: int
    """Index of the first point after the step."""
    earliest: int
    latest: int
    """Latest place: the index of the first point behind it; it lies between these with about 95
    %."""
    before: float
    after: float
    """Levels, from the step before to the next; in the unit of the series."""
    change: float
    low: float
    high: float
    """After over before, minus 1; of a share the difference. With its 95 % interval."""
    p_value: float
    """p-value of no step, wherever in its part of the series it was looked for."""
    p_adjusted: float
    """The p-value adjusted by Bonferroni, over all series that were tested."""
    in_a_row: int
    """After how many results in a row it was found, up to `TrackedHistory.confirmations`; the
    newest result is one of them."""
    confirmed: bool
    """Whether that is enough. What is not confirmed may be some bad results."""
    new: bool
    """Whether it is confirmed, and was not before the newest results were added."""
    stands: bool
    """For a regression: whether the level of the newest results is still worse than before it."""
    besides: list[str]
    """Other differences of the two results, such as versions: they may be the cause."""


class TrackedSeries(Frozen):
    """One figure of one case on one machine."""

    machine: int
    """Index in `TrackedHistory.machines`."""
    case: str
    """Identifier in its newest result."""
    label: str
    adapter: str = ""
    test: str
    placement: str
    size: int | None
    workload: str
    """Further parameters that vary, as text."""
    is_floor: bool
    """Whether this is the null adapter, the cost of Busmark itself. A step in it belongs to the
    machine or to Busmark, and fails no check."""
    figure: str
    """Figure as `--fail-if` names it."""
    latency: Quantity | None
    """Kind of latency; null for other figures."""
    unit: str
    smaller_is_better: bool
    kind: Literal["ratio", "difference"]
    points: list[HistoryPoint]
    tested: bool
    """Whether it has enough results for a step."""
    steps: list[HistoryStep]

    @property
    def regressions(self) -> list[HistoryStep]:
        """Steps to the worse by more than the margin."""
        return [step for step in self.steps if step.kind == "regression" and not self.is_floor]


class TrackedMachine(Frozen):
    """The machine that results are from."""

    name: str
    facts: dict[str, Any]
    results: int
    differs: list[str]
    """Facts in which it differs from the first."""


class TrackedHistory(Frozen):
    """A history."""

    version: int = VERSION
    history: str
    results: int
    commits: int
    newest: str
    """Commit of the result that was added last."""
    figures: list[str]
    worse_than: float
    """Margin of a ratio."""
    worse_than_loss: float
    """Limit for a difference of shares."""
    level: float
    """Probability of any step in a check of what has not changed, at most."""
    confidence: float
    least: int
    """Results needed on each side of a step."""
    confirmations: int
    """Results in a row after each of which a step was found, until it is confirmed."""
    new_for: int
    """Results added last, without which a new regression was not confirmed."""
    tests: int
    """Series that were tested: what p-values are adjusted for."""
    machines: list[TrackedMachine]
    cases: int
    remarks: list[str]
    series: list[TrackedSeries]

    @property
    def new(self) -> list[tuple[TrackedSeries, HistoryStep]]:
        """New regressions that stand: what `busmark history check` fails for."""
        return [
            (one, step)
            for one in self.series
            for step in one.regressions
            if step.new and step.stands
        ]

    @property
    def standing(self) -> list[tuple[TrackedSeries, HistoryStep]]:
        """All confirmed regressions that stand."""
        return [(one, step) for one, step in self._stand if step.confirmed]

    @property
    def unconfirmed(self) -> list[tuple[TrackedSeries, HistoryStep]]:
        """Regressions that stand, and that further results will confirm or not."""
        return [(one, step) for one, step in self._stand if not step.confirmed]

    @property
    def _stand(self) -> list[tuple[TrackedSeries, HistoryStep]]:
        return [(one, step) for one in self.series for step in one.regressions if step.stands]
