"""How a campaign is shown while it runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from busmark.analysis.text import duration
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    Listener,
    RoundBegins,
    RoundEnds,
    RoundFails,
)


def figure(row: dict[str, object]) -> str:
    """The round's main figure, in short."""
    if row["test"] == "throughput":
        value = row["mbit_per_s"]
        return "—" if not isinstance(value, float) else f"{value:,.0f} Mbit/s"
    value = row["median_ns"]
    return "—" if not isinstance(value, float) else f"round trip {value / 1000:,.2f} µs"


def listener() -> Listener:
    """The one that fits this output."""
    return Bar() if sys.stderr.isatty() else Lines()


class Lines:
    """One line per round."""

    def __init__(self) -> None:
        self._done = 0
        self._total = 0

    def on(self, event: Event) -> None:
        """Prints what matters."""
        if isinstance(event, CampaignBegins):
            self._total = event.rounds_planned
            for case in event.unsupported:
                click.echo(f"unsupported: {case.id}: {case.reason}", err=True)
            click.echo(
                f"{len(event.cases)} cases, {event.rounds_planned} rounds, "
                f"about {duration(event.expected_s)}",
                err=True,
            )
        elif isinstance(event, RoundEnds):
            self._done += 1
            status = "" if event.row["status"] == "ok" else f"  MARKED: {event.row['reason']}"
            click.echo(
                f"[{self._done}/{max(self._total, self._done)}] {event.case.id} round {event.round}"
                f"  {figure(event.row)}  {duration(event.seconds_left)} left{status}",
                err=True,
            )
        elif isinstance(event, RoundFails):
            again = "; trying again" if event.again else "; given up"
            click.echo(
                f"FAILED {event.case.id} round {event.round}: {event.reason}{again}", err=True
            )
        elif isinstance(event, CampaignEnds) and event.interrupted:
            click.echo("interrupted; the finished rounds are stored", err=True)


class Bar:
    """A progress bar with the time left, failures above it."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"), console=Console(stderr=True),
            # A bar that repaints itself would take CPU time from the measurement.
            auto_refresh=False, transient=True,
        )  # fmt: skip
        self._task = self._progress.add_task("", total=None, left="")

    def on(self, event: Event) -> None:
        """Repaints, between rounds only."""
        if isinstance(event, CampaignBegins):
            for case in event.unsupported:
                self._print(f"unsupported: {case.id}: {case.reason}")
            left = f"{duration(event.expected_s)} left"
            self._progress.update(self._task, total=event.rounds_planned, left=left)
            self._progress.start()
        elif isinstance(event, RoundBegins):
            self._progress.update(self._task, description=event.case.id)
        elif isinstance(event, RoundEnds):
            left = f"{duration(event.seconds_left)} left  {figure(event.row)}"
            self._progress.update(self._task, advance=1, left=left)
            if event.row["status"] != "ok":
                self._print(f"marked: {event.case.id}: {event.row['reason']}")
        elif isinstance(event, RoundFails):
            again = "trying again" if event.again else "given up"
            self._print(f"failed: {event.case.id}: {event.reason}; {again}")
        elif isinstance(event, CampaignEnds):
            self._progress.stop()
        self._progress.refresh()

    def _print(self, text: str) -> None:
        """Above the bar, as it is: brackets in a reason are not markup."""
        self._progress.console.print(text, markup=False, highlight=False)
