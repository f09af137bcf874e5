"""`--json` of a run: what happens, as lines of JSON on standard output, for other programs.

Every line is an object whose `event` says which of the models below it is
(`schemas/events.schema.json`). Keys are added, never taken away or renamed, within a version.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter

from busmark.cli.output import echo
from busmark.cli.progress import Tally
from busmark.control import events
from busmark.findings.registry import worst
from busmark.store import Finding


class Line(BaseModel):
    """What all have."""

    utc: str = ""
    """When the event was sent."""


class UnsupportedCase(BaseModel):
    """A case that cannot run."""

    case: str
    reason: str | None


class FindingLine(BaseModel):
    """A finding; its evidence and remedy are in the result."""

    id: str
    severity: Literal["error", "warning", "note"]
    title: str
    cases: list[str]
    """Empty: it concerns the machine or the whole campaign."""


class Remainder(BaseModel):
    """How far the campaign is."""

    rounds_done: int
    rounds_left: int
    """Without those that an interval that is too wide yet may add."""
    cases_done: int
    seconds_left: float
    more: bool
    """Whether further rounds may follow."""


class CampaignBegins(Line):
    """The plan is settled; the first line."""

    event: Literal["campaign_begins"] = "campaign_begins"
    directory: str
    """Directory of the result, absolute."""
    cases: list[str]
    unsupported: list[UnsupportedCase]
    rounds_done: int
    """Before, of a campaign that is resumed."""
    rounds_planned: int
    expected_s: float
    """At least."""
    longest_s: float
    """With all rounds and trials that may be added."""
    findings: list[FindingLine]
    """What is known before anything is measured."""


class RoundBegins(Line):
    """A round is about to start."""

    event: Literal["round_begins"] = "round_begins"
    case: str
    round: int
    attempt: int


class LiveFigures(BaseModel):
    """Values of the last seconds of a round, from a few hundred samples of each; not part of the
    result. Null: not known, or not yet."""

    round_trip_median_ns: float | None
    """Median of pings, or of the probes of a stream."""
    round_trip_p99_ns: float | None
    latencies: int
    """How many these rest on."""
    rate_hz: float | None
    """Pings answered, or samples received by all readers together, in a second."""
    looked_at: int
    """Pings or probes of this round of which it was seen, a second later, whether they had been
    answered."""
    unanswered: int
    """Pings and probes of these that had no answer."""


class RoundGoesOn(Line):
    """A round is under way; once a second."""

    event: Literal["round_goes_on"] = "round_goes_on"
    case: str
    round: int
    seconds: float
    """Since its start."""
    expected_s: float
    live: LiveFigures | None


class LengthChosen(Line):
    """The run has chosen how long further rounds of a case measure."""

    event: Literal["length_chosen"] = "length_chosen"
    case: str
    round: int
    seconds: float
    why: str


class RoundEnds(Line):
    """A round is stored."""

    event: Literal["round_ends"] = "round_ends"
    case: str
    round: int
    status: Literal["ok", "marked"]
    reason: str | None
    statistic: str
    """What `value` is: median, p99, … of round trips in ns; goodput in samples per second; in a
    discovery test the median time to the first sample in ns."""
    value: float | None
    left: Remainder
    troubles: list[str]
    """What ran beside it and could not do its work."""


class FindingAppears(Line):
    """The rounds of a case so far show what makes its figures wrong or distorts them; once for a
    case. Notes are in `result_closes` only."""

    event: Literal["finding_appears"] = "finding_appears"
    case: str
    finding: FindingLine
    evidence: str


class FindingGoes(Line):
    """A finding that was reported for a case no longer holds, with more rounds."""

    event: Literal["finding_goes"] = "finding_goes"
    case: str
    finding: FindingLine


class RoundFails(Line):
    """A round could not be finished, or not begun."""

    event: Literal["round_fails"] = "round_fails"
    case: str
    round: int
    attempt: int
    reason: str
    again: bool


class CampaignEnds(Line):
    """Nothing runs any more."""

    event: Literal["campaign_ends"] = "campaign_ends"
    interrupted: bool


class ResultCloses(Line):
    """The result is whole; the last line. The exit code says whether all went well."""

    event: Literal["result_closes"] = "result_closes"
    directory: str
    complete: bool
    findings: list[FindingLine]
    """All."""


EventLine = Annotated[
    CampaignBegins
    | RoundBegins
    | RoundGoesOn
    | LengthChosen
    | RoundEnds
    | RoundFails
    | FindingAppears
    | FindingGoes
    | CampaignEnds
    | ResultCloses,
    Field(discriminator="event"),
]
EVENT_LINE: TypeAdapter[EventLine] = TypeAdapter(EventLine)


class EventLines:
    """Prints a line for each event."""

    watches = True

    def __init__(self, directory: Path) -> None:
        self._directory = str(directory.resolve())
        self._tally = Tally()

    def on(self, event: events.Event) -> None:
        """Print the line of an event."""
        self._tally.on(event)
        line = self._line(event)
        line.utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        echo(line.model_dump_json())

    def _line(self, event: events.Event) -> Line:
        if isinstance(event, events.CampaignBegins):
            return self._begins(event)
        if isinstance(event, events.RoundEnds):
            return self._ended(event)
        if isinstance(event, events.RoundGoesOn):
            return _under_way(event)
        if isinstance(event, events.RoundBegins):
            return RoundBegins(case=event.case.id, round=event.round, attempt=event.attempt)
        if isinstance(event, events.LengthChosen):
            return LengthChosen(
                case=event.case.id, round=event.round, seconds=event.seconds, why=event.why
            )
        if isinstance(event, events.RoundFails):
            return RoundFails(
                case=event.case.id,
                round=event.round,
                attempt=event.attempt,
                reason=event.reason,
                again=event.again,
            )
        if isinstance(event, events.FindingAppears):
            found = _found(event.finding)
            return FindingAppears(
                case=event.case.id, finding=found, evidence=worst(event.finding)[1]
            )
        if isinstance(event, events.FindingGoes):
            return FindingGoes(case=event.case.id, finding=_found(event.finding))
        if isinstance(event, events.CampaignEnds):
            return CampaignEnds(interrupted=event.interrupted)
        return ResultCloses(
            directory=self._directory,
            complete=event.complete,
            findings=[_found(each) for each in event.findings],
        )

    def _begins(self, event: events.CampaignBegins) -> Line:
        return CampaignBegins(
            directory=self._directory,
            cases=[case.id for case in event.cases],
            unsupported=[UnsupportedCase(case=c.id, reason=c.reason) for c in event.unsupported],
            rounds_done=event.rounds_done,
            rounds_planned=event.rounds_planned,
            expected_s=event.expected_s,
            longest_s=event.longest_s,
            findings=[_found(each) for each in event.findings],
        )

    def _ended(self, event: events.RoundEnds) -> Line:
        outlook, row = event.outlook, event.row
        left = Remainder(
            rounds_done=self._tally.done,
            rounds_left=outlook.rounds_left,
            cases_done=outlook.cases_done,
            seconds_left=outlook.seconds_left,
            more=outlook.more,
        )
        return RoundEnds(
            case=event.case.id,
            round=event.round,
            status=row["status"],
            reason=row["reason"],
            statistic=event.case.params.statistic,
            value=row["statistic_value"],
            left=left,
            troubles=list(event.troubles),
        )


def _under_way(event: events.RoundGoesOn) -> Line:
    live = None
    if seen := event.live:
        live = LiveFigures(
            round_trip_median_ns=seen.median_ns,
            round_trip_p99_ns=seen.p99_ns,
            latencies=seen.latencies,
            rate_hz=seen.rate_hz,
            looked_at=seen.looked_at,
            unanswered=seen.unanswered,
        )
    return RoundGoesOn(
        case=event.case.id,
        round=event.round,
        seconds=event.seconds,
        expected_s=event.expected_s,
        live=live,
    )


def _found(finding: Finding) -> FindingLine:
    return FindingLine(
        id=finding.id, severity=finding.severity, title=finding.title, cases=list(finding.cases)
    )
