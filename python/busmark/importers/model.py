"""What a file of another tool says, before it becomes cases and rounds.

Times are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What a source does not state is None or not
there; it is never 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from busmark.store import Finding

Quantity = Literal[
    "round_trip", "half_round_trip", "one_way", "publish", "publish_delay", "per_hop", "discovery",
    "one_way_jitter", "per_hop_jitter", "serialization", "deserialization",
]  # fmt: skip
"""See the column `quantity` of `busmark.store.columns.SUMMARIES`."""

Statistic = Literal["mean", "std", "min", "max", "mad", "percentile"]


@dataclass(frozen=True, slots=True)
class Stated:
    """One figure, as the source states it."""

    quantity: Quantity
    statistic: Statistic
    value_ns: float
    percent: float | None = None
    count: int | None = None
    """Samples that it rests on."""
    start_s: float | None = None
    """Start and length of a part of the run. None: the figure covers the whole run."""
    duration_s: float | None = None
    line: int | None = None

    @property
    def key(self) -> tuple[str, str, float | None, float | None]:
        """What it is a figure of."""
        return (self.quantity, self.statistic, self.percent, self.start_s)


@dataclass(slots=True)
class Run:
    """One run of a tool with one workload: a round of a case."""

    params: dict[str, Any]
    """As in a case of Busmark; what the source does not state is left out."""
    values: dict[str, Any] = field(default_factory=dict)
    """Columns of the table `cases` that the source states, or that follow from what it states."""
    stated: list[Stated] = field(default_factory=list)
    samples: pl.DataFrame | None = None
    """Columns of the table `samples` that the source has."""
    intervals: pl.DataFrame | None = None
    """Columns of the table `intervals` that the source has."""
    line: int = 1
    """Where it begins."""
    file: str = ""
    """This and the form of the file are set when all files are put together."""
    form: str = ""
    length_s: float | None = None
    """How long the run lasted, from its very begin: no latency is longer. None: not stated."""
    joined: list[str] = field(default_factory=list)
    """Other files whose figures or samples are in it."""
    half: Half | None = None
    """Which half of the run it is, where each process has a file of its own."""
    notes: list[str] = field(default_factory=list)
    """Flaws that concern this run only, by identifier."""
    observed: list[tuple[Flaw, str]] = field(default_factory=list)
    """Flaws that were seen in this run when all files were put together, each with its evidence."""


@dataclass(frozen=True, slots=True)
class Half:
    """One of two halves of a run."""

    side: Literal["written", "read"]
    alike: str
    """What both halves state alike."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that is known to be wrong, or easily misread, in the figures of a tool."""

    id: str
    severity: Literal["error", "warning", "note"]
    title: str
    cause: str
    remedy: str


@dataclass(slots=True)
class Observed:
    """A flaw that concerns these runs, and what shows it; no runs: all of the file."""

    flaw: Flaw
    evidence: str
    runs: list[Run] = field(default_factory=list)

    def finding(self, cases: list[str]) -> Finding:
        """As it is stored with the result."""
        known = self.flaw
        return Finding(
            id=known.id, severity=known.severity, title=known.title, cause=known.cause,
            evidence=self.evidence, remedy=known.remedy, cases=cases,
        )  # fmt: skip


@dataclass(slots=True)
class Imported:
    """One file."""

    tool: str
    """The tool's name for people, such as RTI Perftest."""
    form: str
    """In which of its formats the file is."""
    version: str | None = None
    runs: list[Run] = field(default_factory=list)
    observed: list[Observed] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Parts that were not read, with line and reason."""
    titles: dict[str, str] = field(default_factory=dict)
    """By adapter, what the measured middleware is called; the tool's name is added."""
    versions: dict[str, str] = field(default_factory=dict)
    """By adapter, the middleware's version where it is known."""
