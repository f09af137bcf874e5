"""How a campaign is shown while it runs: `screen` on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

from busmark.cli.estimate import estimate
from busmark.cli.noticed import Noticed
from busmark.cli.output import echo
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    LengthChosen,
    Listener,
    RoundEnds,
    RoundFails,
)
from busmark.findings.kinds import kinds
from busmark.model.text import duration, plural


def listeners(directory: Path, *, as_json: bool) -> list[Listener]:
    """Those of a run whose result goes there: what fits standard error, and `as_json` lines on
    standard output."""
    if not as_json:
        return [_shown()]
    from busmark.cli.event_lines import EventLines

    return [EventLines(directory), _shown()]


def _shown() -> Listener:
    from busmark.cli.screen import Screen

    return Screen() if sys.stderr.isatty() else Lines()


class Tally:
    """How far a campaign is, from what it tells."""

    def __init__(self) -> None:
        self.done = 0
        """Rounds that have ended or were given up."""
        self.total = 0
        self.cases = 0
        self.cases_done = 0
        self.failed = 0
        """Attempts."""
        self._more = False
        self._left_s = 0.0

    def on(self, event: Event) -> None:
        """Counts."""
        if isinstance(event, CampaignBegins):
            self.done, self.cases_done = event.rounds_done, event.cases_done
            self.total, self.cases = self.done + event.rounds_planned, len(event.cases)
            self._left_s = event.expected_s
        elif isinstance(event, RoundEnds):
            self.done += 1
            # Trials and further rounds come one by one: the total grows with them.
            self.total = self.done + event.outlook.rounds_left
            self.cases_done, self._more = event.outlook.cases_done, event.outlook.more
            self._left_s = event.outlook.seconds_left
        elif isinstance(event, RoundFails):
            self.failed += 1
            self.done += not event.again
            self.total = max(self.total, self.done)

    @property
    def rounds(self) -> str:
        """Such as 3/12; 3/12+ where further rounds may follow."""
        return f"{self.done}/{self.total}{'+' if self._more else ''}"

    @property
    def left(self) -> str:
        """The time left."""
        return self.left_after(0.0)

    def left_after(self, seconds: float) -> str:
        """The same, when so much of it has gone by."""
        left = duration(max(0.0, self._left_s - seconds))
        return f"{left}{' or more' if self._more else ''} left"

    @property
    def failures(self) -> str:
        """Empty where there are none."""
        return f"{plural(self.failed, 'attempt')} failed" if self.failed else ""


def warnings(event: CampaignBegins) -> list[str]:
    """What is wrong before anything is measured, a line each; notes are left to the report."""
    return [
        f"{kind.severity}: {kind.counted(len(event.cases))}"
        for kind in kinds(event.findings)
        if kind.severity != "note"
    ]


class Lines:
    """One line per round."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._noticed = Noticed()

    def on(self, event: Event) -> None:
        """Prints what matters."""
        self._tally.on(event)
        for line in self._noticed.on(event):
            echo(line, err=True)
        if isinstance(event, CampaignBegins):
            for case in event.unsupported:
                echo(f"unsupported: {case.id}: {case.reason}", err=True)
            before = f", {event.rounds_done} done before" if event.rounds_done else ""
            planned = f"{plural(len(event.cases), 'case')}, {plural(event.rounds_planned, 'round')}"
            echo(f"{planned}{before}, about {duration(event.expected_s)}", err=True)
            for line in warnings(event):
                echo(line, err=True)
        elif isinstance(event, RoundEnds):
            status = "" if event.row["status"] == "ok" else f"  MARKED: {event.row['reason']}"
            echo(
                f"[{self._tally.rounds}] {event.case.id} round {event.round}"
                f"  {estimate(event.case, event.rows)}  {self._tally.left}{status}",
                err=True,
            )
            for trouble in event.troubles:
                echo(f"{event.case.id} round {event.round}: {trouble}", err=True)
        elif isinstance(event, LengthChosen):
            echo(f"{event.case.id}: {event.why}", err=True)
        elif isinstance(event, RoundFails):
            again = "; trying again" if event.again else "; given up"
            echo(f"FAILED {event.case.id} round {event.round}: {event.reason}{again}", err=True)
        elif isinstance(event, CampaignEnds):
            if event.interrupted:
                echo("interrupted; the finished rounds are stored", err=True)
            if self._tally.failures:
                echo(self._tally.failures, err=True)
