"""Events of a campaign while it runs, and what is seen of a round while it is measured. Progress
bar and log are listeners; deleting one changes no number."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from busmark.control.protocol import Event as WorkerEvent
from busmark.model.parameters import Parameters
from busmark.plan.flows import Flows
from busmark.store import Case, Finding

NS = 1e9
EVERY_NS = 1_000_000_000
"""Between two events of a worker that tell what has come."""
LOOKS = 5
"""The latest that stand for now, of each role."""
TREND = 30
"""Looks that are kept for a sparkline."""
FEWEST_OF_TAIL = 100
"""Latencies below which there is no 99th percentile."""


@dataclass(frozen=True)
class Live:
    """Values of the last seconds of the current round; None: not known, or not yet."""

    median_ns: float | None
    """Round trips of pings, or of the probes of a stream."""
    p99_ns: float | None
    latencies: int
    """How many these two rest on: a few hundred of each second, at equal distances."""
    rate_hz: float | None
    """Pings answered, or samples received by all readers together, in a second."""
    looked_at: int
    """Pings or probes of this round of which it was seen, a second later, whether they had been
    answered."""
    unanswered: int
    """Pings and probes of these that had no answer."""
    trend: tuple[float, ...]
    """The median of each look; of a stream its rate."""


class Sights:
    """Takes the events of a round's workers together."""

    def __init__(self, params: Parameters, flows: Flows) -> None:
        self._flows = flows
        self._pings = params.test == "latency"
        self._round_trips: dict[int, deque[list[int]]] = {}
        """By role."""
        self._rates: dict[int, float] = {}
        """By worker, in its last interval."""
        self._trend: deque[float] = deque(maxlen=TREND)
        self._looked_at = self._unanswered = 0

    def of(self, worker: int) -> Callable[[dict[str, Any] | WorkerEvent], None]:
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
        return flow is not None and not flow.background and (flow.kind == "pings") == self._pings

    def latest(self) -> Live | None:
        """Return the values of the last seconds; None before the first look."""
        found = sorted(
            value for looks in self._round_trips.values() for look in looks for value in look
        )
        if not found and not self._rates:
            return None
        return Live(
            median_ns=quantile(found, 0.5) if found else None,
            p99_ns=quantile(found, 0.99) if len(found) >= FEWEST_OF_TAIL else None,
            latencies=len(found),
            rate_hz=sum(self._rates.values()) if self._rates else None,
            looked_at=self._looked_at,
            unanswered=self._unanswered,
            trend=tuple(self._trend),
        )


def quantile(ascending: Sequence[int], share: float) -> float:
    """Return the value that this share of the others does not exceed."""
    return float(ascending[min(int(share * len(ascending)), len(ascending) - 1)])


@dataclass(frozen=True)
class CampaignBegins:
    """The plan is settled and the result directory open."""

    cases: list[Case]
    unsupported: list[Case]
    """What cannot run, each with its reason."""
    rounds_done: int
    """Before: those that a campaign that is resumed need not run again."""
    cases_done: int
    rounds_planned: int
    """Without those that adaptive rounds may add."""
    expected_s: float
    """At least."""
    longest_s: float
    """With all rounds and trials that may be added."""
    findings: Sequence[Finding] = ()
    """What is known before the first round."""


@dataclass(frozen=True)
class RoundBegins:
    """A round is about to start."""

    case: Case
    round: int
    attempt: int


@dataclass(frozen=True)
class LengthChosen:
    """From this round on the rounds of a case measure for another time, which the run chose."""

    case: Case
    round: int
    seconds: float
    why: str
    """In a sentence, the length included."""


@dataclass(frozen=True)
class RoundGoesOn:
    """A round is under way; sent once a second. Whoever listens must be quick: it is measured."""

    case: Case
    round: int
    seconds: float
    """Since its start."""
    expected_s: float
    live: Live | None = None
    """How it goes; None where nobody watches, or nothing is known yet."""


@dataclass(frozen=True)
class Outlook:
    """What is left of a campaign, as far as it is known."""

    cases_done: int
    """Cases that want no further round as things stand."""
    rounds_left: int
    seconds_left: float
    more: bool
    """Whether further rounds may follow: an interval is too wide yet, a rate is being searched."""


@dataclass(frozen=True)
class RoundEnds:
    """A round is stored."""

    case: Case
    round: int
    row: dict[str, Any]
    rows: Sequence[Mapping[str, Any]]
    """Rows of the case so far, this one included."""
    outlook: Outlook
    is_last: bool = False
    """Whether the case has all its rounds."""
    troubles: Sequence[str] = ()
    """What ran beside it and could not do its work, in sentences."""


@dataclass(frozen=True)
class FindingAppears:
    """The rounds of a case so far show what makes its figures wrong or distorts them. Reported
    between two rounds, once for a case; notes wait for the end."""

    case: Case
    finding: Finding
    """Finding on this case alone."""


@dataclass(frozen=True)
class FindingGoes:
    """A finding that was reported for a case and that more rounds do not confirm."""

    case: Case
    finding: Finding
    """The finding as it was reported."""


@dataclass(frozen=True)
class RoundFails:
    """A round could not be finished, or not begun; it may be tried again."""

    case: Case
    round: int
    attempt: int
    reason: str
    again: bool


@dataclass(frozen=True)
class CampaignEnds:
    """Nothing runs any more; `interrupted` if the user or an error ended it early."""

    interrupted: bool


@dataclass(frozen=True)
class ResultCloses:
    """The result is whole; sent after `CampaignEnds`."""

    directory: Path
    complete: bool
    findings: Sequence[Finding]
    """All findings, including the ones of the campaign as a whole."""


Event = (
    CampaignBegins
    | RoundBegins
    | RoundGoesOn
    | RoundEnds
    | RoundFails
    | LengthChosen
    | FindingAppears
    | FindingGoes
    | CampaignEnds
    | ResultCloses
)


class Listener(Protocol):
    """Anything that wants to know. Where one has a true attribute `watches`, workers tell once a
    second how the round goes, and `RoundGoesOn` has it."""

    def on(self, event: Event) -> None:
        """Receive an event; while a round is measured, it is `RoundGoesOn` only."""
