"""The live screen of a campaign: a few lines that are painted over.

How far the campaign is; the case that is being run; how its round goes, once a second, by what the
workers tell (`busmark.control.events`); and what its rounds so far come to. What happened stays
above.
"""

from __future__ import annotations

import math
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TextIO

from busmark.cli.live.values import BLOCKS, sparkline
from busmark.cli.output import visible
from busmark.cli.progress import (
    ABSENT,
    FindingPrinter,
    Tally,
    chosen,
    estimate,
    unsupported,
    warnings,
)
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    LengthChosen,
    LiveFigures,
    ResultCloses,
    RoundBegins,
    RoundEnds,
    RoundFails,
    RoundGoesOn,
)
from busmark.model.entry import SERVICES
from busmark.model.text import count, number
from busmark.plan import expected_s
from busmark.store import Case

BAR_WIDTH = 8
FEWEST_CHARACTERS = 24
"""Characters of a case's name, where it is cut to make room for what is known of it."""
US = 1e3


def size() -> tuple[int, int]:
    """Return columns and lines of the terminal, at this moment; 80 and 24 where there is none."""
    try:
        found = os.get_terminal_size(sys.stderr.fileno())
    except OSError:
        return 80, 24
    return found.columns or 80, found.lines or 24


class Screen:
    """Paints between two rounds, and once a second within one: that takes some 0.1 ms."""

    watches = True

    def __init__(
        self, output: TextIO | None = None, size: Callable[[], tuple[int, int]] = size
    ) -> None:
        self._tally = Tally()
        self._output = output or sys.stderr
        self._size = size
        self._case: Case | None = None
        self._round = 0
        self._estimates: dict[str, str] = {}
        """Estimate of each case, by its name: a value never stands beside another's."""
        self._seconds: tuple[float, float] | None = None
        """Seconds of the current round, and how many it is expected to take."""
        self._live: LiveFigures | None = None
        self._noticed = FindingPrinter()
        self._ended = False
        self._painted: list[str] = []

    def on(self, event: Event) -> None:
        """Take an event in, and paint."""
        self._tally.on(event)
        if isinstance(event, ResultCloses):
            return
        for line in [*self._remarks(event), *self._noticed.on(event)]:
            self._print(line)
        if isinstance(event, RoundBegins | RoundGoesOn):
            self._case, self._round = event.case, event.round
        if isinstance(event, RoundBegins):
            self._seconds, self._live = (0.0, expected_s(event.case)), None
        elif isinstance(event, RoundGoesOn):
            self._seconds, self._live = (event.seconds, event.expected_s), event.live
        elif isinstance(event, RoundEnds | RoundFails):
            self._seconds = self._live = None
        if isinstance(event, RoundEnds):
            self._estimates[event.case.id] = estimate(event.case, event.rows)
        width, height = self._size()
        self._ended = self._ended or isinstance(event, CampaignEnds)
        lines = [] if self._ended else self.lines(width - 1)[: max(1, height - 1)]
        self._output.write(self._back())
        self._output.write("\n".join(map(visible, lines)))
        self._output.flush()
        self._painted = lines

    @staticmethod
    def _remarks(event: Event) -> list[str]:
        """Return what stays above."""
        if isinstance(event, CampaignBegins):
            return [*unsupported(event), *chosen(event), *warnings(event)]
        if isinstance(event, RoundEnds):
            marked = event.row["status"] != "ok"
            return [
                *([f"marked: {event.case.id}: {event.row['reason']}"] if marked else []),
                *(f"{event.case.id}: {trouble}" for trouble in event.troubles),
            ]
        if isinstance(event, LengthChosen):
            return [f"{event.case.id}: {event.why}"]
        if isinstance(event, RoundFails):
            again = "trying again" if event.again else "given up"
            return [f"failed: {event.case.id}: {event.reason}; {again}"]
        return []

    def lines(self, width: int) -> list[str]:
        """Return what is known at this moment; no line is longer than this."""
        found = [self._campaign(width)]
        if self._case is not None:
            found.append(self._under_way(width))
            if self._live is not None:
                found.append(fitting(["  now", *self._now(self._live, width)], width))
            if known := self._estimates.get(self._case.id):
                first, *others = known.split(", ")
                found.append(fitting([f"  so far  {first}", *others], width, ", "))
        if text := self._noticed.counted():
            found.append(cut(f"found  {text}", width))
        return found

    def _campaign(self, width: int) -> str:
        tally = self._tally
        share = min(1.0, tally.done / tally.total) if tally.total else 0.0
        full = round(share * BAR_WIDTH)
        bar = f"[{'#' * full}{'-' * (BAR_WIDTH - full)}]"
        gone = self._seconds[0] if self._seconds else 0.0
        cases = f"{tally.cases_done}/{tally.cases} cases done"
        # Without the bar first, then without the cases.
        for parts in ((bar, cases), ("", cases), ("", "")):
            line = "  ".join(
                filter(
                    None, (parts[0], tally.rounds, tally.left_after(gone), parts[1], tally.failures)
                )
            )
            if len(line) <= width:
                return line
        return line[:width]

    def _under_way(self, width: int) -> str:
        assert self._case is not None
        within = f"round {self._round}"
        if self._seconds and self._seconds[0]:
            within += f", {self._seconds[0]:.0f} s of about {self._seconds[1]:.0f} s"
        room = min(max(width - len(within) - 2, FEWEST_CHARACTERS), width)
        return fitting([cut(self._case.id, room), within], width)

    def _now(self, live: LiveFigures, width: int) -> list[str]:
        """Return what is seen of the round, by rank."""
        assert self._case is not None
        # As in tables: a pong is not distinguished from a ping, so each has half of the way.
        median, p99 = half_us(live.round_trip_median_ns), half_us(live.round_trip_p99_ns)
        rate = ABSENT if live.rate_hz is None else f"{number(live.rate_hz)}/s"
        if self._case.params.test == "latency":
            parts = [f"median RTT/2 {median}", f"p99 {p99}", rate]
        elif self._case.params.test in SERVICES:
            found = (live.round_trip_median_ns, live.round_trip_p99_ns)
            whole, tail = (ABSENT if ns is None else f"{number(ns / 1000)} µs" for ns in found)
            parts = [f"median response time {whole}", f"p99 {tail}", rate]
        elif self._case.params.test in ("discovery", "action"):
            return []
        else:
            parts = [f"goodput {rate}"]
            # A stream without probes has a rate only.
            parts += [f"probe RTT/2 {median}", f"p99 {p99}"] if live.latencies else []
        if live.looked_at:
            parts.append(f"lost {count(live.unanswered)}/{count(live.looked_at)}")
        left = width - len("  ".join(["  now", *parts])) - 2
        if left > 1 and self._draws(BLOCKS):
            parts.append(sparkline(live.trend, min(left, len(live.trend))))
        return parts

    def _draws(self, text: str) -> bool:
        try:
            text.encode(getattr(self._output, "encoding", None) or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def _print(self, text: str) -> None:
        """Print above the painted lines, broken between words."""
        lines = textwrap.wrap(
            visible(text),
            max(self._size()[0] - 1, FEWEST_CHARACTERS),
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        self._output.write(self._back() + "".join(f"{line}\n" for line in lines))
        self._painted = []

    def _back(self) -> str:
        """Return codes that move to the start of the painted lines and clear them: also the rest of
        lines that the terminal broke when it was made narrower."""
        width, _ = self._size()
        rows = sum(max(1, math.ceil(len(line) / max(width, 1))) for line in self._painted)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J"


def fitting(parts: Sequence[str], width: int, between: str = "  ") -> str:
    """Join as many of the first parts as there is room for. None stands half, for a number that is
    cut is another."""
    line = ""
    for part in filter(None, parts):
        longer = f"{line}{between}{part}" if line else part
        if len(longer) > width:
            break
        line = longer
    return line


def half_us(round_trip_ns: float | None) -> str:
    """Return half of a round trip in µs, with three digits or more."""
    if round_trip_ns is None:
        return ABSENT
    return f"{number(round_trip_ns / 2 / US)} µs"


def cut(text: str, width: int) -> str:
    """Shorten a text in the middle: names of cases differ at their beginning and end."""
    if len(text) <= width:
        return text
    left = max(0, width - 1) * 2 // 3
    return f"{text[:left]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (width - 1 - left) :]}"
