"""How a campaign is shown while it runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from busmark.analysis.text import duration, plural
from busmark.cli.estimate import estimate
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    Listener,
    RoundBegins,
    RoundEnds,
    RoundFails,
)


def listener() -> Listener:
    """The one that fits this output."""
    return Bar() if sys.stderr.isatty() else Lines()


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
            self.total, self.cases = event.rounds_planned, len(event.cases)
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
        return f"{duration(self._left_s)}{' or more' if self._more else ''} left"

    @property
    def failures(self) -> str:
        """Empty where there are none."""
        return f"{plural(self.failed, 'attempt')} failed" if self.failed else ""


class Lines:
    """One line per round."""

    def __init__(self) -> None:
        self._tally = Tally()

    def on(self, event: Event) -> None:
        """Prints what matters."""
        self._tally.on(event)
        if isinstance(event, CampaignBegins):
            for case in event.unsupported:
                click.echo(f"unsupported: {case.id}: {case.reason}", err=True)
            click.echo(
                f"{len(event.cases)} cases, {event.rounds_planned} rounds, "
                f"about {duration(event.expected_s)}",
                err=True,
            )
        elif isinstance(event, RoundEnds):
            status = "" if event.row["status"] == "ok" else f"  MARKED: {event.row['reason']}"
            click.echo(
                f"[{self._tally.rounds}] {event.case.id} round {event.round}"
                f"  {estimate(event.case, event.rows)}  {self._tally.left}{status}",
                err=True,
            )
        elif isinstance(event, RoundFails):
            again = "; trying again" if event.again else "; given up"
            click.echo(
                f"FAILED {event.case.id} round {event.round}: {event.reason}{again}", err=True
            )
        elif isinstance(event, CampaignEnds):
            if event.interrupted:
                click.echo("interrupted; the finished rounds are stored", err=True)
            if self._tally.failures:
                click.echo(self._tally.failures, err=True)


class Bar:
    """A progress bar with the estimate of the latest case, the time left, cases done and failures;
    what happened stays above it."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(bar_width=20),
            TextColumn("{task.fields[rounds]}"), TextColumn("{task.fields[state]}", markup=False),
            console=Console(stderr=True),
            # A bar that repaints itself would take CPU time from the measurement.
            auto_refresh=False, transient=True,
        )  # fmt: skip
        self._task = self._progress.add_task("", total=None, rounds="", state="")
        self._estimate = ""

    def on(self, event: Event) -> None:
        """Repaints, between rounds only."""
        self._tally.on(event)
        if isinstance(event, CampaignBegins):
            for case in event.unsupported:
                self._print(f"unsupported: {case.id}: {case.reason}")
            self._progress.start()
        elif isinstance(event, RoundBegins):
            self._progress.update(self._task, description=event.case.id)
        elif isinstance(event, RoundEnds):
            self._estimate = estimate(event.case, event.rows)
            if event.row["status"] != "ok":
                self._print(f"marked: {event.case.id}: {event.row['reason']}")
        elif isinstance(event, RoundFails):
            again = "trying again" if event.again else "given up"
            self._print(f"failed: {event.case.id}: {event.reason}; {again}")
        elif isinstance(event, CampaignEnds):
            self._progress.stop()
        tally = self._tally
        cases = f"{tally.cases_done}/{tally.cases} cases done"
        state = [self._estimate, tally.left, cases, tally.failures]
        self._progress.update(
            self._task, completed=tally.done, total=tally.total or None, rounds=tally.rounds,
            state="  ".join(filter(None, state)),
        )  # fmt: skip
        self._progress.refresh()

    def _print(self, text: str) -> None:
        """Above the bar, as it is: brackets in a reason are not markup."""
        self._progress.console.print(text, markup=False, highlight=False)
