"""Events of a campaign while it runs, and what is seen of a round while it is measured.

Progress bar, screen and log are listeners; deleting one changes no number. As JSON the events are
the lines of `busmark run --json`, a model each (`schemas/events.schema.json`): keys are added,
never taken away or renamed, within a version.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    computed_field,
    field_serializer,
)

from busmark.control.protocol import Event as WorkerEvent
from busmark.findings.registry import worst
from busmark.model.entry import EXCHANGES
from busmark.model.parameters import Parameters
from busmark.plan.flows import Flows
from busmark.store import Case, Finding

NS = 1e9
EVERY_NS = 1_000_000_000
"""Time between two events of a worker about received samples, ns."""
LOOKS = 5
"""Number of latest events of each role whose figures are shown as the present ones."""
TREND = 30
"""Live medians or rates that are kept for a sparkline."""
FEWEST_OF_TAIL = 100
"""Latencies below which there is no 99th percentile."""


class EventPart(BaseModel):
    """A part of an event: complete when made, never changed."""

    model_config = ConfigDict(frozen=True)


class LiveFigures(EventPart):
    """Values of the last seconds of a round, from a few hundred samples of each; not part of the
    result. Null: not known, or not yet."""

    round_trip_median_ns: float | None
    """Median of pings, or of the probes of a stream."""
    round_trip_p99_ns: float | None
    latencies: int
    """Number of latencies for these two: a few hundred of each second, at equal distances."""
    rate_hz: float | None
    """Pings answered, or samples received by all readers together, in a second."""
    looked_at: int
    """Pings or probes of this round of which it was seen, a second later, whether they had been
    answered."""
    unanswered: int
    """Pings or probes among the `looked_at` that had no answer."""
    trend: Annotated[tuple[float, ...], Field(exclude=True)] = ()
    """The median of each look; of a stream its rate."""


class Sights:
    """Takes the events of a round's workers together."""

    def __init__(self, params: Parameters, flows: Flows) -> None:
        self._flows = flows
        self._pings = params.test in EXCHANGES
        self._round_trips: dict[int, deque[list[int]]] = {}
        """Round trips by role."""
        self._rates: dict[int, float] = {}
        """Rates by worker, in its last interval."""
        self._trend: deque[float] = deque(maxlen=TREND)
        self._looked_at = self._unanswered = 0

    def listener(self, worker: int) -> Callable[[dict[str, Any] | WorkerEvent], None]:
        """Return a listener to the worker of this place."""

        def hear(event: Any) -> None:
            if event["event"] == "interval":
                self._hear(worker, event)

        return hear

    def _hear(self, worker: int, event: Mapping[str, Any]) -> None:
        seconds = (event.get("end_ns", 0) - event.get("begin_ns", 0)) / NS
        counts = [each["samples"] for each in event.get("counts", []) if self._counts(each)]
        if counts and seconds > 0:
            self._rates[worker] = sum(counts) / seconds
            if not self._pings:
                self._trend.append(sum(self._rates.values()))
        for seen in event.get("seen", []):
            if self._is_measured(seen["role"]):
                self._look(seen)

    def _look(self, seen: Mapping[str, Any]) -> None:
        flow = self._flows.flow_of(seen["role"])
        # Nobody answers a probe that the readers' filter leaves out.
        if flow and not flow.filter_below:
            self._looked_at += seen["asked"]
            self._unanswered += seen["unanswered"]
        if found := seen["round_trips_ns"]:
            kept = self._round_trips.setdefault(seen["role"], deque(maxlen=LOOKS))
            kept.append(found)
            if self._pings:
                self._trend.append(quantile(sorted(found), 0.5))

    def _counts(self, count: Mapping[str, Any]) -> bool:
        # A pinger is itself the writer.
        own = count["role"] == count["writer"]
        return own == self._pings and self._is_measured(count["writer"])

    def _is_measured(self, number: int) -> bool:
        flow = self._flows.flow_of(number)
        if flow is None or flow.background:
            return False
        return (flow.kind in ("pings", "service")) == self._pings

    def latest(self) -> LiveFigures | None:
        """Return the values of the last seconds; None before the first look."""
        found = sorted(
            value for looks in self._round_trips.values() for look in looks for value in look
        )
        if not found and not self._rates:
            return None
        return LiveFigures(
            round_trip_median_ns=quantile(found, 0.5) if found else None,
            round_trip_p99_ns=quantile(found, 0.99) if len(found) >= FEWEST_OF_TAIL else None,
            latencies=len(found),
            rate_hz=sum(self._rates.values()) if self._rates else None,
            looked_at=self._looked_at,
            unanswered=self._unanswered,
            trend=tuple(self._trend),
        )


def quantile(ascending: Sequence[int], share: float) -> float:
    """Return the value that this share of the others does not exceed."""
    return float(ascending[min(int(share * len(ascending)), len(ascending) - 1)])


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class UnsupportedCase(EventPart):
    """A case that cannot run."""

    case: str
    reason: str | None


class BriefFinding(EventPart):
    """A finding; its evidence and remedy are in the result."""

    id: str
    severity: Literal["error", "warning", "note"]
    title: str
    cases: list[str]
    """Cases that it concerns; empty: it concerns the machine or the whole campaign."""


def _brief(finding: Finding) -> BriefFinding:
    return BriefFinding(
        id=finding.id, severity=finding.severity, title=finding.title, cases=finding.cases
    )


ById = Annotated[Case, PlainSerializer(lambda case: case.id, return_type=str)]
Absolute = Annotated[Path, PlainSerializer(lambda path: str(path.resolve()), return_type=str)]


class OfCampaign(EventPart):
    """Fields of all events."""

    utc: str = Field(default_factory=_now)
    """When the event was sent."""

    @field_serializer("unsupported", check_fields=False)
    def _with_reasons(self, cases: list[Case]) -> list[UnsupportedCase]:
        return [UnsupportedCase(case=case.id, reason=case.reason) for case in cases]

    @field_serializer("finding", check_fields=False)
    def _in_brief(self, finding: Finding) -> BriefFinding:
        return _brief(finding)

    @field_serializer("findings", check_fields=False)
    def _all_in_brief(self, findings: list[Finding]) -> list[BriefFinding]:
        return [_brief(finding) for finding in findings]


class CampaignBegins(OfCampaign):
    """The plan is settled and the result directory open; the first event."""

    event: Literal["campaign_begins"] = "campaign_begins"
    directory: Absolute
    """Directory of the result, absolute."""
    cases: list[ById]
    unsupported: list[Case]
    rounds_done: int
    """Rounds that a campaign that is resumed need not run again."""
    cases_done: Annotated[int, Field(exclude=True)]
    rounds_planned: int
    """Rounds of the plan, without rounds that adaptive rounds may add."""
    expected_s: float
    """Least time that the campaign is expected to take."""
    longest_s: float
    """Time of the campaign with all rounds and trials that may be added."""
    findings: list[Finding]
    """Findings that are known before anything is measured."""


class RoundBegins(OfCampaign):
    """A round is about to start."""

    event: Literal["round_begins"] = "round_begins"
    case: ById
    round: int
    attempt: int


class LengthChosen(OfCampaign):
    """The run has chosen how long further rounds of a case measure."""

    event: Literal["length_chosen"] = "length_chosen"
    case: ById
    round: int
    seconds: float
    why: str
    """Reason in a sentence, the length included."""


class RoundGoesOn(OfCampaign):
    """A round is under way; once a second. Whoever listens must be quick: it is measured."""

    event: Literal["round_goes_on"] = "round_goes_on"
    case: ById
    round: int
    seconds: float
    """Seconds since its start."""
    expected_s: float
    live: LiveFigures | None = None
    """Figures of the last seconds; null where nobody watches, or nothing is known yet."""


class Remainder(EventPart):
    """Progress of the campaign, and what is left of it."""

    rounds_done: int
    """Rounds that have ended or were given up."""
    rounds_left: int
    """Rounds that are left, without rounds that are added where an interval is still too wide."""
    cases_done: int
    """Cases that want no further round as things stand."""
    seconds_left: float
    more: bool
    """Whether further rounds may follow: an interval is still too wide, or a rate is being searched
    for."""


class RoundEnds(OfCampaign):
    """A round is stored."""

    event: Literal["round_ends"] = "round_ends"
    case: ById
    round: int
    row: Annotated[dict[str, Any], Field(exclude=True)]
    rows: Annotated[Sequence[Mapping[str, Any]], Field(exclude=True)]
    """Rows of the case so far, this one included."""
    left: Remainder
    is_last: Annotated[bool, Field(exclude=True)] = False
    """Whether the case has all its rounds."""
    troubles: list[str]
    """Companions that ran beside it and could not do their work, in sentences."""

    @computed_field
    def status(self) -> Literal["ok", "marked"]:
        """Return how it ended."""
        return "ok" if self.row["status"] == "ok" else "marked"

    @computed_field
    def reason(self) -> str | None:
        """Return why it is marked."""
        return cast("str | None", self.row["reason"])

    @computed_field
    def statistic(self) -> str:
        """Return what `value` is: median, p99, … of round trips in ns; goodput in samples per
        second; in a discovery test the median time to the first sample in ns."""
        return self.case.params.statistic

    @computed_field
    def value(self) -> float | None:
        """Return the statistic of the round; null where it has none."""
        return cast("float | None", self.row["statistic_value"])


class FindingAppears(OfCampaign):
    """The rounds of a case so far show what makes its figures wrong or distorts them; sent between
    two rounds, once for a case. Notes are in `result_closes` only."""

    event: Literal["finding_appears"] = "finding_appears"
    case: ById
    finding: Finding
    """Finding on this case alone."""

    @computed_field
    def evidence(self) -> str:
        """Return what was seen."""
        return worst(self.finding)[1]


class FindingGoes(OfCampaign):
    """A finding that was reported for a case no longer holds, with more rounds."""

    event: Literal["finding_goes"] = "finding_goes"
    case: ById
    finding: Finding
    """The finding as it was reported."""


class RoundFails(OfCampaign):
    """A round could not be finished, or not begun; it may be tried again."""

    event: Literal["round_fails"] = "round_fails"
    case: ById
    round: int
    attempt: int
    reason: str
    again: bool


class CampaignEnds(OfCampaign):
    """All rounds have ended; `interrupted` if the user or an error ended the campaign early."""

    event: Literal["campaign_ends"] = "campaign_ends"
    interrupted: bool


class ResultCloses(OfCampaign):
    """The result is whole; the last event. The exit code says whether all went well."""

    event: Literal["result_closes"] = "result_closes"
    directory: Absolute
    complete: bool
    findings: list[Finding]
    """All findings, including findings on the campaign as a whole."""


Event = (
    CampaignBegins
    | RoundBegins
    | RoundGoesOn
    | LengthChosen
    | RoundEnds
    | RoundFails
    | FindingAppears
    | FindingGoes
    | CampaignEnds
    | ResultCloses
)
EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


class Listener(Protocol):
    """Anything that wants to know. Where one has a true attribute `watches`, workers tell once a
    second how the round goes, and `RoundGoesOn` has it."""

    def on(self, event: Event) -> None:
        """Receive an event; while a round is measured, it is `RoundGoesOn` only."""
