"""The screen of `busmark run --watch`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.cli.live.app import LiveApp
from busmark.cli.live.campaign_seen import CampaignSeen, CaseSeen
from busmark.cli.live.columns import Column
from busmark.cli.live.values import count, percent, sparkline, us, value

STYLES = {"running": Style(bold=True), "marked": Style(color="yellow"),
          "failed": Style(color="red"), "unsupported": Style(dim=True),
          "waiting": Style(dim=True)}  # fmt: skip


def _half(ns: float | None) -> float | None:
    """As in tables: a pong is not distinguished from a ping, so each has half of the way."""
    return None if ns is None else ns / 2


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 2e3


def _lost(case: CaseSeen) -> float | None:
    return case.unanswered / case.looked_at if case.looked_at else None


def _last(case: CaseSeen, _: int = 0) -> str:
    """The statistic of the last stored round, with its unit."""
    if case.value is None:
        return "—"
    rate = case.statistic == "goodput"
    return f"{value(case.value)}/s" if rate else f"{us(_half(case.value))} µs"


COLUMNS: list[Column[CaseSeen]] = [
    Column("case", "case", 22, lambda c, _: c.name, lambda c: c.name, left=True, grows=True),
    Column("state", "state", 11, lambda c, _: c.state, lambda c: c.state, left=True),
    Column("rounds", "rounds", 6, lambda c, _: count(c.rounds), lambda c: c.rounds, rank=2),
    Column("rate_hz", "rate/s", 9, lambda c, _: value(c.rate_hz), lambda c: c.rate_hz),
    Column("median_us", "med. µs", 8, lambda c, _: us(_half(c.median_ns)),
           lambda c: _us(c.median_ns)),
    Column("p99_us", "p99 µs", 8, lambda c, _: us(_half(c.p99_ns)), lambda c: _us(c.p99_ns)),
    Column("lost_share", "lost", 6, lambda c, _: percent(_lost(c)), _lost, rank=1),
    Column("last_round", "last round", 12, _last, lambda c: c.value, rank=3),
    Column("trend", "trend", 8, lambda c, width: sparkline(c.trend, width), lambda c: None,
           rank=4, grows=True),
]  # fmt: skip


class CampaignApp(LiveApp[CaseSeen]):
    """A line for each case. `take` hands over what has come, and says whether it is over."""

    NAME = "run"
    COLUMNS = COLUMNS
    FOOTER = "q interrupt  ? help  p pause  / search  < > sort  r reverse  d detail  s save"
    KEYS = (*LiveApp.KEYS[:-1], ("q", "interrupt; finished rounds are kept"))
    EMPTY = "the campaign is being planned"

    def __init__(self, take: Callable[[], tuple[list[dict[str, Any]], bool]],
                 interrupt: Callable[[], None], **options: Any) -> None:  # fmt: skip
        super().__init__(**options)
        self._events, self._interrupt = take, interrupt
        self._seen = CampaignSeen()
        self._painted_s = -1.0

    def state(self) -> CampaignSeen:
        """All that was seen."""
        return self._seen

    def take(self) -> bool:
        """Takes in what has come; leaves when the campaign is over."""
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
        """The one that runs first; then in the order of the plan."""
        return sorted(state.cases.values(), key=lambda c: (c is not state.now, c.place))

    def heading(self, state: CampaignSeen) -> str:
        """How far it is."""
        more = "+" if state.more else ""
        gone = state.now.seconds[0] if state.now and state.now.seconds else 0.0
        parts = [
            "busmark run", f"{state.done}/{state.total}{more} rounds",
            f"{max(0.0, state.left_s - gone):,.0f} s left{' or more' if state.more else ''}",
            f"{state.failed} failed" if state.failed else "",
        ]  # fmt: skip
        return "  ".join(part for part in parts if part)

    def detail(self, state: CampaignSeen, row: CaseSeen, width: int, height: int) -> list[Text]:
        """What was reported of the case, the latest last; and of the campaign."""
        lines = [Text(f"{row.name} · {row.state}", style="bold")]
        if row.seconds:
            gone, whole = row.seconds
            lines.append(Text(f"round {row.rounds + 1} of it: {gone:.0f} s of about {whole:.0f} s"))
        if row.value is not None:
            lines.append(Text(f"{row.statistic} of the last stored round: {_last(row)}"))
        if row.looked_at:
            lines.append(Text(
                f"{count(row.unanswered)} of {count(row.looked_at)} looked at unanswered"
            ))  # fmt: skip
        reported = [*state.lines, *row.lines]
        room = max(1, height - len(lines))
        return [*lines, *(Text(line) for line in reported[-room:])]

    def action_leave(self) -> None:
        """Interrupts the campaign, which keeps what is finished."""
        self._interrupt()
        self.say("interrupting: finished rounds are kept")

    @staticmethod
    def key_of(row: Any) -> Any:
        """Its name."""
        return row.name

    @staticmethod
    def style_of(row: Any) -> Style:
        """By its state."""
        return STYLES.get(row.state, Style())

    @staticmethod
    def words_of(row: Any) -> str:
        """Name and state."""
        return f"{row.name} {row.state}"
