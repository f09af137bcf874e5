"""One point of the scenario's matrix, with all that was measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from busmark.model.figure import Distribution, Figure, Frozen, Quantity
from busmark.model.figures import Estimated, Part, parts
from busmark.model.latency import Latency, LatencyByRound, Reported
from busmark.model.parameters import Parameters
from busmark.model.quantities.discovery import FIRST_SAMPLE
from busmark.model.quantities.parts import FIRST_AFTER, MATCHED_LAST
from busmark.model.quantities.stream import GOODPUT
from busmark.model.rounds import CaseStatus, Precision, RoundCounts, RoundSummary
from busmark.model.stream import CapacitySearch, Throughput
from busmark.model.traffic import OwnFlow, Phase, Way
from busmark.plugin import read_part

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one curve; the fields are columns of the table."""

    quantity: str
    kind: str
    x: Values
    y: Values
    x_unit: str
    unit: str
    scope: str = "case"
    of: str | None = None
    node: str | None = None
    round: int | None = None
    low: Values | None = None
    high: Values | None = None
    count: int | None = None
    lost: int | None = None
    bandwidth: float | None = None

    @property
    def is_jitter(self) -> bool:
        """Return whether it is of the variation of a latency, with its sign or without."""
        return self.quantity.endswith(("jitter", "ipdv"))


TIMES = ("latency", "one_way", "discovery", "matching", "recovery")
"""Kinds of headline of which less is better."""


class Floor(Frozen):
    """The null adapter's case that shows what Busmark itself costs here."""

    case: str
    differs: list[str]
    """Parameters in which it is not the same workload; empty: the same."""


class Headline(NamedTuple):
    """The figure that a case is ranked and compared by."""

    kind: str
    """latency: RTT/2; one_way: of a stream's samples; discovery: first sample; matching; recovery;
    else the test, whose goodput it is."""
    figure: Figure
    tail: Figure | None = None
    """The 99th percentile of a latency, where there is one."""

    @property
    def is_time(self) -> bool:
        """Return whether less is better."""
        return self.kind in TIMES


class CaseSummary(Frozen):
    """One point of the scenario's matrix."""

    id: str
    test: str
    adapter: str
    label: str
    """Adapter and the choices that tell its cases apart, but for what all have in common: the name
    of its curve."""
    label_title: str = "Middleware"
    """Heading of the column of labels, for what a label names: the middleware, a choice."""
    label_parts: dict[str, str] = Field(default={})
    """The middleware and each choice that the label tells, by what it is."""
    placement: str
    size: int | None
    workload: dict[str, str]
    """Further parameters of the workload that vary in this campaign, as text."""
    choices: dict[str, str]
    """Choices that vary in this campaign and are not in the label, as text."""
    params: Parameters
    answer: Literal["goodput", "latency", "matching", "recovery"] = "goodput"
    """What the scenario wants streams to be ranked and compared by."""
    is_floor: bool
    is_baseline: bool = False
    """Whether its adapter is one of the baselines, such as plain sockets, that middleware is held
    against."""
    status: CaseStatus
    reason: str | None
    rounds: RoundCounts
    precision: Precision | None = None
    """Precision that its rounds reached; null where the scenario has no target."""
    attempts: list[RoundSummary]
    latency: Latency | None = None
    throughput: Throughput | None = None
    capacity: CapacitySearch | None = None
    phases: list[Phase] = Field(default=[])
    """Phases of rounds in the middle of which something changed; all other figures cover all of
    them. Empty if nothing did."""
    ways: list[Way] = Field(default=[])
    """Samples that went from participant to participant; empty where there is one writer and one
    reader."""
    own_flows: list[OwnFlow] = Field(default=[])
    """Flows of the scenario's own in the background, each with its latency if it has one."""
    background_expected: int | None = None
    """Samples of background flows that their readers should have had, in the rounds that count;
    null where there was no background."""
    background_lost: int | None = None
    """Samples that never arrived."""
    figures: list[Estimated] = Field(default=[])
    """Rows of the table of estimates: what participants, nodes, levels and flows wrote and read,
    and what they cost."""
    os: str | None = None
    """Operating system on which the rounds that count ran; "A → B" where who wrote was on A and who
    read on B. Null where it was not recorded."""
    reported: list[Reported] = Field(default=[])
    """Figures that the source of an imported result states; empty for any other result."""
    floor: Floor | None = None
    plugins: dict[str, Any] = Field(default={})
    """Parts of this record that plug-ins make, by plug-in; see their pages."""
    series: SkipJsonSchema[Sequence[Curve]] = Field(default=(), exclude=True, repr=False)
    """Curves of the case, where they were asked for; the table of series holds them."""

    @field_validator("plugins", mode="before")
    @classmethod
    def _read(cls, stored: Any) -> Any:
        return {name: read_part(name, part) for name, part in stored.items()}

    def curves(
        self,
        kind: str,
        quantity: str | None = None,
        *,
        is_jitter: bool = False,
        scope: str | None = None,
    ) -> list[Curve]:
        """Return its curves of this kind: of a quantity, or of its latency or its jitter."""
        return [
            curve
            for curve in self.series
            if curve.kind == kind
            and scope in (None, curve.scope)
            and (curve.quantity == quantity if quantity else curve.is_jitter == is_jitter)
        ]

    @cached_property
    def whole(self) -> Part:
        """The figures of the whole case."""
        return next(iter(self.parts("case")), Part("case"))

    def parts(self, scope: str) -> list[Part]:
        """Return its participants, nodes or levels, with their figures."""
        return parts(self.figures, scope)

    @property
    def middleware(self) -> str:
        """Name of its middleware, or of both in a pair, also where the label leaves it out."""
        return next(iter(self.label_parts.values()), self.label)

    @property
    def rtt_2(self) -> Distribution | None:
        """Half the round trips, where there are some."""
        return None if self.latency is None else self.latency.half_round_trip

    @property
    def headline(self) -> Headline | None:
        """Return what it is ranked and compared by; None where that was not measured."""
        one_way = self.throughput.probe_one_way if self.throughput else None
        for kind, times in (("latency", self.rtt_2), ("one_way", one_way)):
            if times and (kind == "latency" or self.answer == "latency"):
                return Headline(kind, times.median, times.figure("p99"))
        last = max((each.phase for each in self.phases), default=0)
        named = {part.of: part for part in self.parts("phase")} if last else {}
        first = next((each for each in self.phases if each.phase == last), None)
        again = named[first.name].figure(FIRST_AFTER) if first and first.name in named else None
        goodput = GOODPUT.figure(self)
        others = (
            ("recovery", again if self.answer == "recovery" else None),
            ("discovery", self.whole.figure(FIRST_SAMPLE)),
            ("matching", self.whole.figure(MATCHED_LAST) if self.answer == "matching" else None),
            (self.test, goodput if self.answer == "goodput" or self.capacity else None),
        )
        return next((Headline(kind, found) for kind, found in others if found), None)

    @property
    def round_medians(self) -> dict[int, float]:
        """Medians of what came back in each round that counts, ns; RTT/2 of pings."""
        counted = (one for one in self.attempts if one.status == "ok" and one.times)
        known = {one.round: one.times.median_ns for one in counted if one.times}
        return {number: median for number, median in known.items() if median}

    @property
    def by_round(self) -> list[LatencyByRound]:
        """Statistics of its latencies, round by round."""
        measured = self.latency or self.throughput
        return measured.by_round if measured else []

    def why_hidden(self, key: str, quantity: Quantity) -> str:
        """Return what share was lost, where this statistic of a latency falls among the lost in
        some round; else nothing."""
        own = (each for each in self.by_round if each.quantity == quantity)
        return next(filter(None, (each.why_hidden(key) for each in own)), "")
