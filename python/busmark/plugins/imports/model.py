"""What a file of another tool says, before it becomes cases and rounds.

Times are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What a source does not state is None or not
there; it is never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Literal, TypedDict

import polars as pl
from pydantic import ConfigDict

from busmark.model.parameters import Parameters
from busmark.plugins.imports.text import column
from busmark.store import Finding

SHOWN = 4
"""Sizes that evidence names."""

Quantity = Literal[
    "round_trip",
    "half_round_trip",
    "one_way",
    "publish",
    "publish_delay",
    "per_hop",
    "discovery",
    "one_way_jitter",
    "per_hop_jitter",
    "serialization",
    "deserialization",
]
"""See the column `quantity` of the table `summaries`."""

Statistic = Literal["mean", "std", "min", "max", "mad", "percentile"]


@dataclass(frozen=True, slots=True)
class ReportedFigure:
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
        """Return what it is a figure of."""
        return (self.quantity, self.statistic, self.percent, self.start_s)


class RunParameters(Parameters):
    """Parameters of a run, as in a case of Busmark; what the source does not state is not assigned.

    What is read from a file is assigned, and thereby not checked: a value that no parameter can
    have is refused with file and line when all files are put together (`possible`).
    """

    model_config = ConfigDict(frozen=False, extra="forbid")


class Values(TypedDict, total=False):
    """Columns of the table `cases` that a source states, or that follow from what it states."""

    status: str
    reason: str
    samples: int
    sent: int
    received: int | None
    lost: int | None
    expected: int | None
    duplicated: int
    out_of_order: int
    measured_s: float | None
    samples_per_s: float | None
    mbit_per_s: float | None
    written_per_s: float | None
    process_cpu: float


@dataclass(slots=True)
class Run:
    """One run of a tool with one workload: a round of a case."""

    params: RunParameters
    values: Values = field(default_factory=Values)
    reported: list[ReportedFigure] = field(default_factory=list)
    samples: pl.DataFrame | None = None
    """Columns of the table `samples` that the source has."""
    intervals: pl.DataFrame | None = None
    """Columns of the table `intervals` that the source has."""
    line: int = 1
    """Line at which it begins."""
    file: str = ""
    """This and the form of the file are set when all files are put together."""
    form: str = ""
    length_s: float | None = None
    """How long the run lasted, from its very begin: no latency is longer. None: not stated."""
    identity: str = ""
    """Identifier that the tool gave to the run, or to this half of it."""
    joined: list[str] = field(default_factory=list)
    """Further files whose figures or samples were added to the run."""
    half: Half | None = None
    """The half of the run that it is, where each process has a file of its own."""
    notes: list[str] = field(default_factory=list)
    """Flaws that concern this run only, by identifier."""
    observed: list[tuple[Flaw, str]] = field(default_factory=list)
    """Flaws that were seen in this run when all files were put together, each with its evidence."""


@dataclass(frozen=True, slots=True)
class Half:
    """One of two halves of a run."""

    side: Literal["written", "read"]
    alike: str
    """Text that both halves have in common."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that is known to be wrong, or easily misread, in the figures of a tool."""

    id: str
    severity: Literal["error", "warning", "note"]
    title: str
    cause: str
    remedy: str
    of_summaries: bool = False
    """Whether it does not concern runs whose samples are known."""


@dataclass(slots=True)
class FlawEvidence:
    """A flaw that concerns these runs, and what shows it; no runs: all of the file."""

    flaw: Flaw
    evidence: str
    runs: list[Run] = field(default_factory=list)

    def finding(self, cases: list[str]) -> Finding:
        """Return it in the form that is stored with the result."""
        values = asdict(self.flaw)
        del values["of_summaries"]
        return Finding(**values, evidence=self.evidence, cases=cases)


@dataclass(slots=True)
class ImportedFile:
    """What was read of one file."""

    tool: str
    """The tool's name for people, such as RTI Perftest."""
    form: str
    """Format of the tool in which the file is."""
    version: str | None = None
    runs: list[Run] = field(default_factory=list)
    observed: list[FlawEvidence] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Parts that were not read, with line and reason."""
    titles: dict[str, str] = field(default_factory=dict)
    """Titles of the measured middleware, by adapter; the tool's name is added."""
    versions: dict[str, str] = field(default_factory=dict)
    """Versions of the middleware, by adapter, where they are known."""

    def observe(self, flaw: Flaw, evidence: str, runs: list[Run]) -> None:
        """Add a flaw of these runs, unless there are none."""
        if runs:
            self.observed.append(FlawEvidence(flaw, evidence, runs))

    def of_test(self, test: str) -> list[Run]:
        """Return the runs of a test, latency or throughput."""
        return [run for run in self.runs if run.params.test == test]


def size_flaw(tool: str, what: str) -> Flaw:
    """Return the flaw that a tool's size is not Busmark's: a header of 64 bytes beside the body."""
    return Flaw(
        f"{tool}-size",
        "note",
        "Size is not counted as Busmark counts it",
        f"The size is as the tool states it: {what}. A sample of Busmark has a header of 64 bytes "
        "beside its size.",
        "Beside results of Busmark compare sizes at which this does not matter, or measure with a "
        "size that makes the samples equal.",
    )


def sizes_of(runs: Sequence[Run]) -> str:
    """Return the sizes of runs, as evidence."""
    sizes = sorted({run.params.size for run in runs if run.params.size is not None})
    shown = ", ".join(f"{size} B" for size in sizes[:SHOWN])
    return shown + (f" and {len(sizes) - SHOWN} more" if len(sizes) > SHOWN else "")


def samples_of(**columns: Iterable[int]) -> pl.DataFrame:
    """Return the samples of a pinger, in order of sending, with these columns of `samples`."""
    whole = {name: column(values) for name, values in columns.items()}
    height = max(map(len, whole.values()))
    return pl.DataFrame(
        {"role": ["pinger"] * height, "writer": [0] * height, "seq": range(height), **whole},
        schema_overrides=dict.fromkeys(("seq", *whole), pl.Int64),
    )


def intervals_of(
    starts_s: Iterable[float], durations_s: Iterable[float], counts: Sequence[int], size: int
) -> pl.DataFrame:
    """Return the intervals of a receiver: when each began, its length and its samples."""
    return pl.DataFrame(
        {
            "role": ["receiver"] * len(counts),
            "writer": [0] * len(counts),
            "start_ns": column(round(start * 1e9) for start in starts_s),
            "duration_ns": column(round(duration * 1e9) for duration in durations_s),
            "samples": column(counts),
            "bytes": column(count * size for count in counts),
        }
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Moments of one part of a run."""

    count: int
    mean_ns: float
    min_ns: float | None = None
    max_ns: float | None = None
    variance_ns2: float | None = None
    """Sum of squared deviations over the count."""


def whole_run(quantity: Quantity, parts: Sequence[Part]) -> list[ReportedFigure]:
    """Return mean, deviation, minimum and maximum of all samples together; their line is None.
    Percentiles cannot be put together.

    What some part does not have the whole does not have. The variance of the whole is the mean
    variance inside the parts plus the variance of their means (law of total variance).
    """
    parts = [part for part in parts if part.count]
    if not parts:
        return []
    count = sum(part.count for part in parts)
    mean = sum(part.count * part.mean_ns for part in parts) / count
    squares = 0.0
    for part in parts:
        squares += part.count * ((part.variance_ns2 or 0.0) + (part.mean_ns - mean) ** 2)
    spread = all(part.variance_ns2 is not None for part in parts)
    least = [part.min_ns for part in parts if part.min_ns is not None]
    most = [part.max_ns for part in parts if part.max_ns is not None]
    figures: dict[Statistic, float | None] = {
        "mean": mean,
        "std": sqrt(squares / count) if spread else None,
        "min": min(least) if len(least) == len(parts) else None,
        "max": max(most) if len(most) == len(parts) else None,
    }
    return [
        ReportedFigure(quantity, statistic, value, count=count)
        for statistic, value in figures.items()
        if value is not None
    ]
