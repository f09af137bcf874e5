"""One point of the scenario's matrix, with all that was measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import (
    ConfigDict,
    Field,
    SkipValidation,
    TypeAdapter,
    WithJsonSchema,
    field_serializer,
    field_validator,
)
from pydantic.json_schema import SkipJsonSchema

from busmark.model.distribution import Distribution
from busmark.model.entry import SERVICES, TESTS
from busmark.model.figure import Figure, Frozen, Quantity
from busmark.model.figures import Estimated, Figures, Part, parts
from busmark.model.flow import Flow
from busmark.model.latency import Reported, Segment, SegmentTable, segment_tables, segments
from busmark.model.parameters import Parameters
from busmark.model.quantities.action import ACCEPTED
from busmark.model.quantities.discovery import FIRST_SAMPLE
from busmark.model.quantities.latency import LATENCIES
from busmark.model.quantities.parts import FIRST_AFTER, MATCHED_LAST
from busmark.model.quantities.service import REQUEST_RATE
from busmark.model.quantities.stream import GOODPUT
from busmark.model.rounds import CaseStatus, Precision, RoundCounts, RoundSummary
from busmark.model.stream import Batch, CapacitySearch, Paced, Pairs, batches_of, pairs_of
from busmark.model.traffic import ARROW, OwnFlow, Phase, Way
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


TIMES = ("latency", "response", "one_way", "discovery", "accepted", "matching", "recovery")
"""Kinds of headline of which less is better."""


class Floor(Frozen):
    """The null adapter's case that shows what Busmark itself costs here."""

    case: str
    differs: list[str]
    """Parameters in which it is not the same workload; empty: the same."""


class Headline(NamedTuple):
    """The figure that a case is ranked and compared by."""

    kind: str
    """latency: RTT/2; response: response time of a service; one_way: of a stream's samples;
    discovery: first sample; accepted: a goal of an action; matching; recovery;
    else the test, whose goodput it is."""
    figure: Figure
    tail: Figure | None = None
    """The 99th percentile of a latency, where there is one."""

    @property
    def is_time(self) -> bool:
        """Return whether less is better."""
        return self.kind in TIMES


WITHOUT_PINGS = tuple(test for test in TESTS if test != "latency")
"""Tests that measure no pings."""

ROWS = {"type": "array", "items": TypeAdapter(Estimated).json_schema()}


class CaseSummary(Frozen):
    """One point of the scenario's matrix."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

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
    arrivals: Literal["closed", "open", "paced", "unstated"] | None = None
    """How pings came. open: counted from the intended time of sending, so that a stall is charged
    in full. For imported results, paced: at a rate, counted from the actual sending; or not stated.
    """
    capacity: CapacitySearch | None = None
    paced: Paced | None = None
    """Bandwidth that the rate of a stream asks for, and what of it arrives; null at full speed."""
    rated_mbit_per_s: float | None = None
    """Rated capacity of the lab's links; null if there are none."""
    practical_mbit_per_s: float | None = None
    """Goodput of a plain TCP transfer over such links in this campaign."""
    background_expected: int | None = None
    """Samples of background flows that their readers should have had, in the rounds that count;
    null where there was no background."""
    background_lost: int | None = None
    """Samples that never arrived."""
    os: str | None = None
    """Operating system on which the rounds that count ran; "A → B" where who wrote was on A and who
    read on B. Null where it was not recorded."""
    reported: list[Reported] = Field(default=[])
    """Figures that the source of an imported result states; empty for any other result."""
    floor: Floor | None = None
    problems: list[str] = Field(default=[])
    """What could not be read, or not be used."""
    plugins: dict[str, Any] = Field(default={})
    """Parts of this record that plug-ins make, by plug-in; see their pages."""
    figures: Annotated[SkipValidation[Figures], WithJsonSchema(ROWS)] = Field(
        default=Figures(), repr=False
    )
    """All figures of the case and of its parts: its rows of the table of estimates; what a row does
    not have is left out."""
    series: SkipJsonSchema[Sequence[Curve]] = Field(default=(), exclude=True, repr=False)
    """Curves of the case, where they were asked for; the table of series holds them."""

    @field_serializer("figures")
    def _as_rows(self, figures: Figures) -> list[dict[str, Any]]:
        names = [one.name for one in fields(Estimated)]
        return [
            {name: _plain(value) for name in names if (value := getattr(row, name)) is not None}
            for row in figures
        ]

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
    def has_pings(self) -> bool:
        """Whether pings were measured."""
        return bool(self.rounds.ok) and self.test not in WITHOUT_PINGS

    @property
    def has_requests(self) -> bool:
        """Whether requests of a service were measured."""
        return bool(self.rounds.ok) and self.test == "service"

    @property
    def has_stream(self) -> bool:
        """Whether a stream was measured."""
        return bool(self.rounds.ok) and self.test == "throughput"

    @cached_property
    def _latencies(self) -> dict[tuple[str | None, str], list[Estimated]]:
        """Rows of latencies by flow of the scenario's own, None for the case's, and quantity."""
        found: dict[tuple[str | None, str], list[Estimated]] = {}
        for row in self.figures:
            if row.scope in ("case", "flow") and row.quantity in TIMED:
                found.setdefault((row.of, row.quantity), []).append(row)
        return found

    @cached_property
    def _views(self) -> dict[tuple[str | None, str], Distribution | None]:
        """Latencies that were asked for already."""
        return {}

    @cached_property
    def _each_round(self) -> dict[str, list[Estimated]]:
        found: dict[str, list[Estimated]] = {}
        for row in self.figures:
            if row.scope == "round" and row.quantity in TIMED:
                found.setdefault(row.quantity, []).append(row)
        return found

    def times(self, quantity: str, flow: str | None = None) -> Distribution | None:
        """Return a latency, jitter or ipdv of the case, or of a flow of the scenario's own; also
        one whose median falls among the lost. None: there is none."""
        if (flow, quantity) not in self._views:
            rows = self._latencies.get((flow, quantity))
            each = self._each_round.get(quantity, ()) if flow is None else ()
            made = Distribution(self._of_times(quantity), rows, each) if rows else None
            self._views[flow, quantity] = made
        return self._views[flow, quantity]

    def _of_times(self, quantity: str) -> Quantity:
        """Return which latency a jitter or ipdv is of, with its name."""
        if quantity not in ("jitter", "ipdv"):
            return cast("Quantity", quantity)
        of = "response_time" if self.test in SERVICES else "half_round_trip"
        if self.test == "throughput":
            one_way = self.times("one_way")
            of = "one_way" if one_way and one_way.value("mean") is not None else "round_trip"
        return cast("Quantity", f"{of}_{quantity}")

    def distribution(self, quantity: str) -> Distribution | None:
        """Return a latency, jitter or ipdv of the case; None: there is none, or its median falls
        among the lost."""
        found = self.times(quantity)
        return found if found and found.is_known else None

    @property
    def rtt_2(self) -> Distribution | None:
        """Half the round trips of pings, where there are some."""
        return self.distribution("half_round_trip") if self.has_pings else None

    @property
    def response_time(self) -> Distribution | None:
        """Response times of a service, where there are some."""
        return self.distribution("response_time") if self.has_requests else None

    @property
    def exchange(self) -> Distribution | None:
        """Time of an exchange: half the round trip of a ping, or the response time of a service."""
        return self.rtt_2 or self.response_time

    @property
    def one_way(self) -> Distribution | None:
        """One-way latency of samples in a stream, where it is known."""
        return self.distribution("one_way") if self.has_stream else None

    @property
    def round_trip(self) -> Distribution | None:
        """Round trips of pings, or of probes in a stream."""
        return self.distribution("round_trip")

    @property
    def segments(self) -> list[Segment]:
        """Parts of a ping's way that have a median."""
        return segments(self.figures)

    @property
    def segment_tables(self) -> list[SegmentTable]:
        """Parts of a ping's way with deviations and extremes, as far as stamps are by one clock."""
        return segment_tables(self.figures)

    @property
    def pairs(self) -> Pairs | None:
        """Pairs of a writer and a reader in a stream at a rate; None at full speed, without one
        clock, and for a single writer with a single reader."""
        own = {flow.name for flow in self.params.flows}
        return pairs_of(self.figures, None, own) if self.has_stream else None

    @property
    def batches(self) -> list[Batch]:
        """The first batches, one by one; empty where the stream runs free."""
        return batches_of(self.figures)

    @property
    def phases(self) -> list[Phase]:
        """Phases of rounds in the middle of which something changed; all other figures cover all
        of them. Empty if nothing did."""
        return [Phase.read(part) for part in self.parts("phase")]

    @property
    def ways(self) -> list[Way]:
        """Samples that went from participant to participant; empty where there is one writer and
        one reader."""
        known = self.parts("flow")
        return [Way.read(part.of, part.node) for part in known if part.of and ARROW in part.of]

    @property
    def own_flows(self) -> list[OwnFlow]:
        """Flows of the scenario's own in the background, each with its latency if it has one."""
        known = {part.of: part for part in self.parts("flow")}
        return [
            self._own_flow(flow, known[flow.name])
            for flow in self.params.flows
            if flow.name in known
        ]

    def _own_flow(self, flow: Flow, part: Part) -> OwnFlow:
        kinds = ("half_round_trip", "response_time", "one_way")
        times = (self.times(one, flow.name) for one in kinds)
        return OwnFlow(
            name=flow.name,
            kind=flow.kind,
            size=flow.size,
            part=part,
            times=next(filter(None, times), None),
            pairs=pairs_of(self.figures, flow.name, ()),
        )

    @property
    def sustained(self) -> Figure | None:
        """What a search found: goodput, or requests answered in a second; None: it found none, or
        the case is no search."""
        if self.capacity is None:
            return None
        return (REQUEST_RATE if self.test in SERVICES else GOODPUT).figure(self)

    @property
    def headline(self) -> Headline | None:
        """Return what it is ranked and compared by; None where that was not measured."""
        for kind, times in (
            ("latency", self.rtt_2),
            ("response", self.response_time),
            ("one_way", self.one_way),
        ):
            if times and (kind != "one_way" or self.answer == "latency"):
                return Headline(kind, times.median, times.figure("p99"))
        # The first flow of the last phase.
        phases = self.parts("phase")
        last = max((Phase.read(part).phase for part in phases), default=0)
        again = next((part for part in phases if Phase.read(part).phase == last), None)
        recovery = again.figure(FIRST_AFTER) if again else None
        goodput = GOODPUT.figure(self)
        others = (
            ("recovery", recovery if self.answer == "recovery" else None),
            ("discovery", self.whole.figure(FIRST_SAMPLE)),
            ("accepted", self.whole.figure(ACCEPTED)),
            ("matching", self.whole.figure(MATCHED_LAST) if self.answer == "matching" else None),
            (self.test, self.sustained),
            (self.test, goodput if self.answer == "goodput" else None),
        )
        return next((Headline(kind, found) for kind, found in others if found), None)

    @property
    def round_medians(self) -> dict[int, float]:
        """Medians of what came back in each round that counts, ns; RTT/2 of pings."""
        counted = (one for one in self.attempts if one.status == "ok" and one.times)
        known = {one.round: one.times.median_ns for one in counted if one.times}
        return {number: median for number, median in known.items() if median}

    @property
    def by_round(self) -> dict[str, Distribution]:
        """Statistics of its latencies round by round: `latency`, the one that cases of its test are
        compared by, and the round trips of probes."""
        stated = self.times("half_round_trip")
        if self.has_requests:
            own = self.times("response_time")
        else:
            own = stated if self.has_pings else self.times("one_way") or stated
        found = {
            "latency": own,
            "round_trip": self.times("round_trip") if self.has_stream else None,
        }
        return {name: times for name, times in found.items() if times}

    def why_hidden(self, key: str, quantity: Quantity) -> str:
        """Return what share was lost, where this statistic of a latency falls among the lost in
        some round; else nothing."""
        times = self.times(quantity)
        return times.why_hidden(key) if times else ""


def _plain(value: Any) -> Any:
    """Return a whole number as one, whether it was computed or read from the table."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


TIMED = frozenset(one.quantity for one in LATENCIES)
"""Quantities of single samples."""
