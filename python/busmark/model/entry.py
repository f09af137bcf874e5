"""What the tables of quantities and statistics know of each: all that any output needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from busmark import stats

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary
    from busmark.model.distribution import Distribution
    from busmark.model.figure import Figure
    from busmark.model.parameters import Parameters

Row = Mapping[str, Any]
"""A row of the table `cases`: one round."""

TESTS = (
    "latency",
    "throughput",
    "capacity",
    "discovery",
    "service",
    "service-capacity",
    "action",
)

EXCHANGES = ("latency", "service", "service-capacity")
"""Tests whose samples are exchanges: a ping and its answer, a request and its response."""

SERVICES = ("service", "service-capacity")
"""Tests of requests and responses."""

SERVED = (*SERVICES, "action")
"""Tests in which clients ask a server, by services."""

SEARCHES = ("capacity", "service-capacity")
"""Tests whose rounds are trials of a search for a rate."""

STREAMS = ("throughput", "capacity")
"""Tests whose samples are streams."""

Need = str
"""Requirement on a case besides its test: batches, readings of the system's counters, or a key of
the scenario that a plug-in brings, by its name."""

TWO_LEVEL = (
    "Median over rounds of the round's figure (a typical round); interval of order statistics."
)
STUDENT = "Median over rounds (a typical round); interval of order statistics."


@dataclass(frozen=True, slots=True)
class Explained:
    """A part of the reference: of one figure, or of several that are explained together."""

    name: str
    fields: tuple[str, ...]
    """Names of what it explains: statistics or quantities of rows, or fields of a document."""
    definition: str
    formula: str
    source: str
    cannot: str
    section: str = "Distribution"


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure of latencies of a round; reports have it of a typical round, with an interval."""

    key: str
    """Key, as part of the names of columns."""
    name: str
    """Name for people, and in limits."""
    meaning: str
    """Meaning, as part of the descriptions of columns."""
    of: stats.Statistic
    explained: Explained | None = None
    """Its part of the reference; None: it is explained with the other percentiles."""
    reported: bool = True
    """Whether reports show it; otherwise only comparisons do."""

    @property
    def percent(self) -> float | None:
        """Its percentile; None of any other statistic."""
        return self.of if isinstance(self.of, float) else None

    @property
    def title(self) -> str:
        """Its name at the beginning of a heading: "Median", "p99"."""
        return self.name if self.percent is not None else self.name.capitalize()

    @property
    def of_a_round(self) -> str:
        """Return what distinguishes a percentile of a typical round from one of all samples
        together."""
        return "" if self.percent is None else " of a round"

    def figure(self, found: Distribution | None) -> Figure | None:
        """Return this statistic of these latencies."""
        return found.figure(self.key) if found else None


def percentile(percent: float, **more: Any) -> Statistic:
    """Return the `Statistic` of this percentile of a round, with `more` as its further fields."""
    name = f"p{percent:.10g}"
    return Statistic(
        key=name.replace(".", ""),
        name=name,
        meaning=f"{percent:.10g}th percentile",
        of=percent,
        **more,
    )


@dataclass(frozen=True, slots=True)
class Pooled:
    """A figure of all latencies of a case together, in nanoseconds."""

    key: str
    """Key, as part of the names of columns."""
    name: str
    """Name for people."""
    title: str
    """Heading of a narrow column."""
    meaning: str
    of: Callable[[stats.Description, stats.Ordered], float | None]
    """Function that computes it from the description of all samples, and from the samples in rising
    order."""
    statistic: str
    """Name of the statistic in the table of estimates."""
    reported: str
    """Its name in the table `summaries`, if a source states it."""
    explained: Explained
    is_spread: bool = False
    """Whether it is computed from differences of latencies."""


@dataclass(frozen=True, slots=True)
class LatencySet:
    """A set of latencies of a case."""

    key: str
    """Key, as part of the names of columns."""
    quantity: str
    """Name of the quantity in the table of estimates."""
    meaning: str
    tests: tuple[str, ...] = ("latency", "throughput")
    """Tests in which a case has it."""
    within: stats.Range = stats.POSITIVE
    """Range in which its samples, and figures of them, can lie."""

    def in_case(self, case: CaseSummary) -> Distribution | None:
        """Return these latencies of a case; None where it has none, or the median is lost."""
        return case.distribution(self.quantity) if case.test in self.tests else None


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost of each sample."""

    name: str
    """Name in documents."""
    heading: str


@dataclass(frozen=True, slots=True)
class Compared:
    """The way in which a comparison gets a figure of rounds, and its words for a change."""

    name: str
    """Name in comparisons, in histories, and in limits."""
    word: str
    """Word for people."""
    tests: tuple[str, ...]
    more: Literal["faster", "slower", "loses more", "sends more"]
    """Word for a change to a greater value."""
    less: Literal["faster", "slower", "loses less", "sends less"]
    otherwise: str
    """Reason that is given where a round has no such value."""
    of_round: Callable[[Row, Parameters], float | None] | None = None
    """Function that computes it from a round and the case's parameters; compared as a ratio."""
    share_of_round: Callable[[Row], tuple[int, int] | None] | None = None
    """Function that counts the samples in question and all samples of a round, for a share;
    compared as a difference."""
    unit: Callable[[Parameters], str] = lambda params: "ns"
    counted: str | None = None
    """Column with the number of samples that the value rests on; None: each round is one."""
    optional: bool = False
    """Whether it is left out where no round has it."""
    cost: Cost | None = None
    """What it costs, where a choice that costs something shows it beside its ratio."""

    @property
    def is_ratio(self) -> bool:
        """Whether two values are compared as a ratio; otherwise as a difference."""
        return self.share_of_round is None


@dataclass(frozen=True, slots=True)
class EstimatedQuantity:
    """A figure of a case with an interval."""

    key: str
    """Key in the frame of estimates, and part of the names of columns."""
    unit: str
    meaning: str
    pick: Callable[[CaseSummary], Figure | None] | None = None
    """Function that computes it from other figures of a case; None: it has a row of its own."""
    quantity: str = ""
    """Name of the quantity in the table of estimates and in requirements, where it is not the key.
    """
    tests: tuple[str, ...] = TESTS
    """Tests in which it is measured."""
    needs: Need = ""
    statistic: str = "median"
    """Statistic over rounds."""
    within: stats.Range = stats.POSITIVE
    """Range in which its value and the limits of its interval can lie."""
    more_is_better: bool = False
    names: tuple[str, ...] = ()
    """Further names that limits accept."""
    also: tuple[str, ...] = ()
    """Words by which people look for it."""
    suffix: str = ""
    """Suffix of the column, for the unit."""
    compared: Compared | None = None
    explained: tuple[Explained, ...] = ()
    of_cases: bool = True
    """Whether cases have it; otherwise only comparisons do."""

    @property
    def name(self) -> str:
        """Name of the quantity in the table of estimates."""
        return self.quantity or self.key

    @property
    def column(self) -> str:
        """Name of the column of the value."""
        return f"{self.key}{self.suffix}"

    def figure(self, case: CaseSummary) -> Figure | None:
        """Return the estimate of a case with its interval; None where it has none."""
        return case.whole.figure(self)


@dataclass(frozen=True, slots=True)
class Number:
    """A figure of a case without an interval: what was asked for, or counted."""

    key: str
    meaning: str
    pick: Callable[[CaseSummary], float | None] | None = None
    """Function that computes it from other figures of a case; None: it has a row of its own."""
    unit: str = ""
    """Unit; empty: a count."""
    quantity: str = ""
    """Name of the quantity where it is not the key, as in `EstimatedQuantity`."""
    tests: tuple[str, ...] = TESTS
    """Tests in which it is measured."""
    needs: Need = ""
    statistic: str = "count"
    within: stats.Range = stats.POSITIVE
    """Range in which the value can lie, as in `EstimatedQuantity`."""
    frames: bool = True
    """Whether the frame of cases has it."""
    of: Callable[[CaseSummary], int | None] | None = None
    """Function that takes from a case the whole of which this number is a share."""
    explained: tuple[Explained, ...] = ()

    @property
    def name(self) -> str:
        """Name of the quantity in the table of estimates."""
        return self.quantity or self.key

    def value(self, case: CaseSummary) -> float | None:
        """Return the number of a case; None where it has none."""
        return case.whole.value(self) if self.unit else case.whole.counted(self)


@dataclass(frozen=True, slots=True)
class PartQuantity:
    """A figure of a part of a case: of a participant, a node, a level."""

    name: str
    """Name of the quantity in the table of estimates."""
    title: str
    """Heading of a column."""
    meaning: str
    unit: str = ""
    """Unit; empty: a count."""
    statistic: str = "median"
    """Statistic over rounds; count: a sum over them; value: as it was asked for, or the most."""
    detail: bool = False
    """Whether the column may be left out where there is no room."""

    @property
    def is_count(self) -> bool:
        """Whether it counts something, so that it has no interval."""
        return self.statistic == "count"


class RowKey(Protocol):
    """A quantity and a statistic of it, as the table of estimates has them."""

    @property
    def name(self) -> str:
        """Name of the quantity."""

    @property
    def statistic(self) -> str:
        """Statistic over rounds."""

    @property
    def unit(self) -> str:
        """Unit; empty: a count."""
