"""What a watcher has seen of a campaign, by its events (`busmark run --json`)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]
TREND = 120
"""Live values that are kept for a sparkline."""
MOST_LINES = 500


@dataclass
class CaseSeen:
    """A case, and how it goes. What is None is not known, or not yet."""

    name: str
    place: int
    state: str = "waiting"
    """waiting, running, ok, marked, failed, unsupported."""
    rounds: int = 0
    """Rounds that are stored."""
    rate_hz: float | None = None
    """Live: pings answered, or samples received, in a second."""
    median_ns: float | None = None
    """Live: of round trips."""
    p99_ns: float | None = None
    looked_at: int = 0
    unanswered: int = 0
    statistic: str = ""
    value: float | None = None
    """Value of that statistic in the last stored round."""
    seconds: tuple[float, float] | None = None
    """How long the current round has run, and how long it is expected to be."""
    trend: deque[float] = field(default_factory=lambda: deque(maxlen=TREND))
    """Live medians; without any, rates."""
    lines: list[str] = field(default_factory=list)
    """What was reported of it."""


class CampaignSeen:
    """Takes in the events of a campaign."""

    def __init__(self) -> None:
        self.directory = ""
        self.cases: dict[str, CaseSeen] = {}
        self.now: CaseSeen | None = None
        """The case that runs."""
        self.done = self.total = self.failed = 0
        self.left_s = 0.0
        self.more = False
        self.lines: deque[str] = deque(maxlen=MOST_LINES)
        """What was reported of the campaign as a whole."""
        self.ended = False

    def hear(self, event: Event) -> None:
        """Takes one in."""
        take = getattr(self, f"_{event.get('event')}", None)
        if take is not None:
            take(event)

    def _case(self, event: Event) -> CaseSeen:
        name = event["case"]
        return self.cases.setdefault(name, CaseSeen(name, len(self.cases)))

    def _campaign_begins(self, event: Event) -> None:
        self.directory = event["directory"]
        for name in event["cases"]:
            self._case({"case": name})
        for each in event["unsupported"]:
            case = self._case(each)
            case.state, case.lines = "unsupported", [str(each["reason"])]
        self.done = event["rounds_done"]
        self.total, self.left_s = self.done + event["rounds_planned"], event["expected_s"]
        self.lines += [f"{found['severity']}: {found['title']}" for found in event["findings"]
                       if found["severity"] != "note"]  # fmt: skip

    def _round_begins(self, event: Event) -> None:
        self.now = case = self._case(event)
        case.state, case.seconds = "running", None

    def _round_goes_on(self, event: Event) -> None:
        self.now = case = self._case(event)
        case.state, case.seconds = "running", (event["seconds"], event["expected_s"])
        if live := event["live"]:
            case.rate_hz = live["rate_hz"]
            case.median_ns, case.p99_ns = live["round_trip_median_ns"], live["round_trip_p99_ns"]
            case.looked_at, case.unanswered = live["looked_at"], live["unanswered"]
            shown = case.rate_hz if case.median_ns is None else case.median_ns
            if shown is not None:
                case.trend.append(shown)

    def _round_ends(self, event: Event) -> None:
        case, left = self._case(event), event["left"]
        case.rounds, case.seconds = case.rounds + 1, None
        case.state, case.statistic, case.value = event["status"], event["statistic"], event["value"]
        self.done, self.more = left["rounds_done"], left["more"]
        self.total, self.left_s = self.done + left["rounds_left"], left["seconds_left"]
        if event["status"] == "marked":
            case.lines.append(f"round {event['round']} marked: {event['reason']}")
        case.lines += [f"round {event['round']}: {trouble}" for trouble in event["troubles"]]

    def _round_fails(self, event: Event) -> None:
        case = self._case(event)
        again = "trying again" if event["again"] else "given up"
        case.state, case.seconds = "failed", None
        case.lines.append(f"round {event['round']} failed: {event['reason']}; {again}")
        self.failed += 1
        self.done += not event["again"]

    def _length_chosen(self, event: Event) -> None:
        self._case(event).lines.append(event["why"])

    def _finding_appears(self, event: Event) -> None:
        found = event["finding"]
        text = f"{found['severity']}: {found['title']}: {event['evidence']}"
        self._case(event).lines.append(text)

    def _finding_goes(self, event: Event) -> None:
        self._case(event).lines.append(f"no longer holds: {event['finding']['title']}")

    def _campaign_ends(self, event: Event) -> None:
        self.now = None
        self.lines.append("interrupted; the finished rounds are stored" if event["interrupted"]
                          else "the last round has ended; the report is being written")  # fmt: skip

    def _result_closes(self, _: Event) -> None:
        self.ended = True
