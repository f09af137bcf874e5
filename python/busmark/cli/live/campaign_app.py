"""The screen of `busmark run --watch`, and what it has seen of a campaign by its events."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.cli.live.app import LiveApp
from busmark.cli.live.columns import GridColumn
from busmark.cli.live.values import count, percent, sparkline, us, value

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
    """Pings answered, or samples received, in the last second of the running round."""
    median_ns: float | None = None
    """Median round trip in the running round, ns."""
    p99_ns: float | None = None
    looked_at: int = 0
    unanswered: int = 0
    statistic: str = ""
    value: float | None = None
    """Value of that statistic in the last stored round."""
    seconds: tuple[float, float] | None = None
    """How long the current round has run, and how long it is expected to be."""
    trend: deque[float] = field(default_factory=lambda: deque(maxlen=TREND))
    """Live medians of the running round, for the sparkline; its rates where it has none."""
    lines: list[str] = field(default_factory=list)
    """Reports about the case."""


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
        """Reports about the campaign as a whole."""
        self.ended = False

    def hear(self, event: Event) -> None:
        """Take in an event, if it is of a known kind."""
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
        self.lines += [
            f"{found['severity']}: {found['title']}"
            for found in event["findings"]
            if found["severity"] != "note"
        ]

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
        self.lines.append(
            "interrupted; the finished rounds are stored"
            if event["interrupted"]
            else "the last round has ended; the report is being written"
        )

    def _result_closes(self, _: Event) -> None:
        self.ended = True


STYLES = {
    "running": Style(bold=True),
    "marked": Style(color="yellow"),
    "failed": Style(color="red"),
    "unsupported": Style(dim=True),
    "waiting": Style(dim=True),
}


def _half(ns: float | None) -> float | None:
    """Halve a round trip, as in tables: a pong is not distinguished from a ping."""
    return None if ns is None else ns / 2


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 2e3


def _lost(case: CaseSeen) -> float | None:
    return case.unanswered / case.looked_at if case.looked_at else None


def _last(case: CaseSeen, _: int = 0) -> str:
    """Return the statistic of the last stored round, with its unit."""
    if case.value is None:
        return "—"
    rate = case.statistic == "goodput"
    return f"{value(case.value)}/s" if rate else f"{us(_half(case.value))} µs"


COLUMNS: list[GridColumn[CaseSeen]] = [
    GridColumn("case", "case", 22, lambda c, _: c.name, lambda c: c.name, left=True, grows=True),
    GridColumn("state", "state", 11, lambda c, _: c.state, lambda c: c.state, left=True),
    GridColumn("rounds", "rounds", 6, lambda c, _: count(c.rounds), lambda c: c.rounds, rank=2),
    GridColumn("rate_hz", "rate/s", 9, lambda c, _: value(c.rate_hz), lambda c: c.rate_hz),
    GridColumn("median_us", "med. µs", 8, lambda c, _: us(_half(c.median_ns)),
           lambda c: _us(c.median_ns)),
    GridColumn("p99_us", "p99 µs", 8, lambda c, _: us(_half(c.p99_ns)), lambda c: _us(c.p99_ns)),
    GridColumn("loss", "lost", 6, lambda c, _: percent(_lost(c)), _lost, rank=1),
    GridColumn("last_round", "last round", 12, _last, lambda c: c.value, rank=3),
    GridColumn("trend", "trend", 8, lambda c, width: sparkline(c.trend, width), lambda c: None,
           rank=4, grows=True),
]  # fmt: skip


class CampaignApp(LiveApp[CaseSeen]):
    """A line for each case. `take` hands over what has come, and says whether it is over."""

    NAME = "run"
    COLUMNS = COLUMNS
    FOOTER = "q interrupt  ? help  p pause  / search  < > sort  r reverse  d detail  s save"
    KEYS = (*LiveApp.KEYS[:-1], ("q", "interrupt; finished rounds are kept"))
    EMPTY = "the campaign is being planned"

    def __init__(
        self,
        take: Callable[[], tuple[list[dict[str, Any]], bool]],
        interrupt: Callable[[], None],
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._events, self._interrupt = take, interrupt
        self._seen = CampaignSeen()
        self._painted_s = -1.0

    def state(self) -> CampaignSeen:
        """Return all that was seen."""
        return self._seen

    def take(self) -> bool:
        """Take in new events, and leave when the campaign is over; return whether to paint."""
        events, over = self._events()
        for event in events:
            self._seen.hear(event)
        if over:
            self.exit()
        now = time.monotonic()
        if not events and now - self._painted_s < 1.0:
            return False
        self._painted_s = now
        return True

    def rows(self, state: CampaignSeen) -> list[CaseSeen]:
        """Return the case that runs, then all others in the order of the plan."""
        return sorted(state.cases.values(), key=lambda c: (c is not state.now, c.place))

    def heading(self, state: CampaignSeen) -> str:
        """Return how far it is."""
        more = "+" if state.more else ""
        gone = state.now.seconds[0] if state.now and state.now.seconds else 0.0
        parts = [
            "busmark run",
            f"{state.done}/{state.total}{more} rounds",
            f"{max(0.0, state.left_s - gone):,.0f} s left{' or more' if state.more else ''}",
            f"{state.failed} failed" if state.failed else "",
        ]
        return "  ".join(part for part in parts if part)

    def detail(self, state: CampaignSeen, row: CaseSeen, width: int, height: int) -> list[Text]:
        """Return what was reported of the case, the latest last; and of the campaign."""
        lines = [Text(f"{row.name} · {row.state}", style="bold")]
        if row.seconds:
            gone, whole = row.seconds
            lines.append(Text(f"round {row.rounds + 1} of it: {gone:.0f} s of about {whole:.0f} s"))
        if row.value is not None:
            lines.append(Text(f"{row.statistic} of the last stored round: {_last(row)}"))
        if row.looked_at:
            lines.append(
                Text(f"{count(row.unanswered)} of {count(row.looked_at)} looked at unanswered")
            )
        reported = [*state.lines, *row.lines]
        room = max(1, height - len(lines))
        return [*lines, *(Text(line) for line in reported[-room:])]

    def action_leave(self) -> None:
        """Interrupt the campaign, which keeps its finished rounds."""
        self._interrupt()
        self.say("interrupting: finished rounds are kept")

    @staticmethod
    def key_of(row: Any) -> Any:
        """Return the name of a case."""
        return row.name

    @staticmethod
    def style_of(row: Any) -> Style:
        """Return the style of a case's state."""
        return STYLES.get(row.state, Style())

    @staticmethod
    def words_of(row: Any) -> str:
        """Return name and state of a case."""
        return f"{row.name} {row.state}"
